import { writeFile } from "node:fs/promises";
import { XWing } from "@hpke/hybridkem-x-wing";
import { fromHex, toHex, utf8 } from "@sealcast/bytes";
import { AES_256_GCM_SHA512_128, deriveFrameKey, random } from "@sealcast/crypto";
import { ManualClock } from "@sealcast/time";
import { expect, test } from "vitest";
import frozenText from "../../../vectors/frozen/live.json?raw";
import { hostFingerprint } from "../../shared/live-link.ts";
import { newIdentity } from "../room/room.cases.ts";
import { LiveAdmission } from "./admission.ts";
import { openAnswer, sealAnswer } from "./answer.ts";
import { isAskOf, LINK_CLAIM, openWord, parseAsk, pskOf, sealAsk, sealWord } from "./ask.ts";
import { type ChannelContent, LiveChannel, type Rotation } from "./channel.ts";
import { rotationKeys, signingContext } from "./stream.ts";

/** A viewer who is let into a live room, recorded once. All bytes are hex; the viewer's key comes from a seed. */
interface Frozen {
  host: { identity: string; kept: string; doors: string[]; fragment: string };
  room: string;
  secret: string;
  viewer: { seed: string; publicKey: string; nonce: string };
  ask: string;
  word: string;
  answer: string;
  grant: { stream: string; signingKey: string };
  streamKey: string;
  resume: { id: string; secret: string };
  /** Tells the key of the first rotation. */
  salt: string;
  /** To the viewer: the keys, a message, a rotation, a farewell. */
  records: string[];
}

const kem = new XWing();
const SECONDS = 1_000n;
const floors = [129n, 137n, 145n, 153n].map((kid) => ({ kid, highest: 300 }));

const bytes = (hex: string): Uint8Array<ArrayBuffer> => new Uint8Array(fromHex(hex) ?? expect.unreachable());

async function saltOf(stream: Uint8Array, rotation: number, streamKey: Uint8Array): Promise<string> {
  const { baseKey } = await rotationKeys(stream, rotation, streamKey);
  return toHex((await deriveFrameKey(AES_256_GCM_SHA512_128, baseKey, 1n)).salt);
}

/** What the host says in the four records. */
const said = (streamKey: Uint8Array, resume: Rotation["resume"]): ChannelContent[] => [
  { type: "rotation", rotation: 7, removal: false, streamKey, resume, floors },
  { type: "message", body: utf8("an offer") },
  { type: "rotation", rotation: 8, removal: true, streamKey, resume, floors },
  { type: "farewell", why: "ended" },
];

if (process.env.FREEZE !== undefined)
  test("records the live room again", async () => {
    await writeFile(new URL("../../../vectors/frozen/live.json", import.meta.url), await freeze());
  });
else
  test("a frozen live room lets its viewer in as it did then", async () => {
    const frozen: Frozen = JSON.parse(frozenText);
    const { host, room, viewer, grant, resume } = frozen;
    const fingerprint = await hostFingerprint(bytes(host.identity));
    const admission = (await LiveAdmission.parse(fingerprint, bytes(host.kept))) ?? expect.unreachable();
    expect([admission.room, await admission.doors(), await admission.fragment()]).toEqual([
      room,
      host.doors,
      host.fragment,
    ]);
    expect(toHex((await admission.resume(bytes(resume.id))).secret)).toBe(resume.secret);

    const [secret, nonce, viewerKey] = [bytes(frozen.secret), bytes(viewer.nonce), bytes(viewer.publicKey)];
    expect(toHex(await sealAsk(secret, room, SECONDS, { ...LINK_CLAIM, nonce, viewerKey }))).toBe(frozen.ask);
    expect(parseAsk(bytes(frozen.ask))).toEqual({ ...LINK_CLAIM, nonce, viewerKey, expiry: SECONDS + 120n });
    expect(await isAskOf(secret, room, bytes(frozen.ask))).toBe(true);
    expect(await openWord(fingerprint, { secret, room, nonce }, bytes(frozen.word))).toBe("waiting");

    const asked = { room, nonce, viewerKey, psk: pskOf(LINK_CLAIM, secret) };
    const privateKey = await kem.importKey("raw", bytes(viewer.seed).buffer, false);
    const opened = await openAnswer(privateKey, fingerprint, asked, bytes(frozen.answer));
    if (!opened.ok) return expect.unreachable();
    const [stream, streamKey] = [bytes(grant.stream), bytes(frozen.streamKey)];
    expect(toHex(opened.identity)).toBe(host.identity);
    expect(opened.grant).toEqual({ stream, signingKey: bytes(grant.signingKey) });
    expect(await saltOf(stream, 7, streamKey)).toBe(frozen.salt);
    expect(signingContext(room, stream)).toBe(`live ${room} ${grant.stream}`);

    const heard: ChannelContent[] = [];
    const channel = await LiveChannel.open({
      clock: new ManualClock(),
      sealKey: opened.keys.toHost,
      openKey: opened.keys.toViewer,
      transmit: () => undefined,
      deliver: (content) => void heard.push(content),
    });
    for (const record of frozen.records) expect(await channel.receive(bytes(record))).toBe(true);
    expect(heard).toEqual(said(streamKey, { id: bytes(resume.id), secret: bytes(resume.secret) }));
  });

/** To record again: FREEZE=1 npx vitest run --project node packages/keys/src/worker/live/frozen.test.ts */
async function freeze(): Promise<string> {
  const identity = await newIdentity();
  const admission = await LiveAdmission.create(await hostFingerprint(identity.publicKey));
  const { room } = admission;
  const kept = admission.encode();
  const secret = kept.slice(-34, -2);
  const pair = await kem.generateKeyPair();
  const viewerKey = new Uint8Array(await kem.serializePublicKey(pair.publicKey));
  const nonce = random(32);
  const resume = await admission.resume(random(16));
  const [stream, streamKey, signingKey] = [random(16), random(32), random(32)];
  const asked = { room, nonce, viewerKey, psk: pskOf(LINK_CLAIM, secret) };
  const answer = (await sealAnswer(identity, asked, { stream, signingKey })) ?? expect.unreachable();
  const records: string[] = [];
  const channel = await LiveChannel.open({
    clock: new ManualClock(),
    sealKey: answer.keys.toViewer,
    openKey: answer.keys.toHost,
    transmit: (body) => void records.push(toHex(body)),
    deliver: () => undefined,
  });
  for (const content of said(streamKey, resume)) await channel.send(content);
  const frozen: Frozen = {
    host: {
      identity: toHex(identity.publicKey),
      kept: toHex(kept),
      doors: await admission.doors(),
      fragment: await admission.fragment(),
    },
    room,
    secret: toHex(secret),
    viewer: {
      seed: toHex(new Uint8Array(await kem.serializePrivateKey(pair.privateKey))),
      publicKey: toHex(viewerKey),
      nonce: toHex(nonce),
    },
    ask: toHex(await sealAsk(secret, room, SECONDS, { ...LINK_CLAIM, nonce, viewerKey })),
    word: toHex(await sealWord(identity, { secret, room, nonce }, "waiting")),
    answer: toHex(answer.body),
    grant: { stream: toHex(stream), signingKey: toHex(signingKey) },
    streamKey: toHex(streamKey),
    resume: { id: toHex(resume.id), secret: toHex(resume.secret) },
    salt: await saltOf(stream, 7, streamKey),
    records,
  };
  return `${JSON.stringify(frozen, null, 2)}\n`;
}
