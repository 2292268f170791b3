import { fromBase64url, fromHex, toHex, utf8 } from "@sealcast/bytes";
import { AES_256_GCM_SHA512_128, deriveFrameKey, importBaseKey, Secret } from "@sealcast/crypto";
import { ManualClock, milli } from "@sealcast/time";
import { encodeKeyPackage } from "ts-mls/keyPackage.js";
import { describe, expect, test } from "vitest";
import frozenText from "../../../vectors/frozen/room.json?raw";
import { laterFragment, newLink, parseLink } from "../../shared/link.ts";
import type { KeyUpdate } from "../../shared/messages.ts";
import type { Identity } from "../identity/identity.ts";
import { safetyCode } from "../identity/safety-code.ts";
import { Group, type PendingCommit } from "../mls/group.ts";
import { type Membership, makeKeyPackage, readApplication } from "../mls/key-package.ts";
import { isOffered, offerKnockKey } from "../mls/knock-key.ts";
import type { EpochNode } from "../mls/node.ts";
import { mlsSuite } from "../mls/suite.ts";
import { ALL, encodePlaintext } from "../plaintext.ts";
import { openAnswer, openKnock, sealAnswer, sealKnock, unwrapKnock } from "./knock.ts";
import { Member } from "./member.ts";
import type { FromMember, FromRoom } from "./wire.ts";

/**
 * A room of two layers, recorded once: its founder lets Bea in, then Cid, and removes Cid, with a message after each. All
 * bytes are hex. Bea's keys all come from seeds, so everything she computes has to come out as it did then.
 */
interface Frozen {
  /** Wall clock of everybody. */
  seconds: number;
  room: string;
  /** Of the link, base64url. */
  secret: string;
  founder: { identity: string };
  bea: { seeds: Seeds; seat: string; name: string };
  /** Bea's, at the founder's first epoch. `external`: that epoch's external secret. */
  knock: { sealed: string; keyPackage: string; at: string; external: string; key: string; tags: string[] };
  answer: { sealed: string; answer: string };
  welcome: string;
  commits: string[];
  /** The founder's, one for each epoch. */
  messages: string[];
  received: string[];
  epochs: (EpochNode & { authenticator: string; baseKey: string; outerKey: string; members: string[] })[];
  /** From the epoch in which Cid was removed. */
  laterLink: { secret: string; fragment: string };
  safetyCode: { digits: string; symbols: number[] };
}

/** 32 bytes each, hex. */
interface Seeds {
  identity: string;
  /** Of the one key package. */
  signature: string;
  init: string;
  leaf: string;
}

const suite = await mlsSuite();
const LAYERS = 2;

/** To record again: FREEZE=1 npx vitest run --project node packages/keys/src/worker/room/frozen.test.ts */
export async function freeze(): Promise<string> {
  const { room, secret } = await newLink(LAYERS);
  // ts-mls adds nobody whose key package is not valid by its own clock.
  const seconds = Math.floor(Date.now() / 1000);
  const random = (length: number): string => toHex(crypto.getRandomValues(new Uint8Array(length)));
  const seeds = { identity: random(32), signature: random(32), init: random(32), leaf: random(32) };
  const bea = { seeds, seat: random(16), name: "Bea" };
  const link = base64url(secret);
  const own = await makeKeyPackage(await seeded({ room, secret, seconds, bea }));
  const membership = async (seat: string): Promise<Membership> => ({
    suite,
    identity: await identityOf(random(32)),
    room,
    host: "localhost",
    seat: bytes(seat),
    name: "Ada",
    linkSecret: new Secret(link.slice()),
    layers: LAYERS,
    seconds: () => BigInt(seconds),
  });
  const founder = await membership(random(16));
  const group = await Group.create(founder);
  const frozen: Frozen = {
    seconds,
    room,
    secret,
    founder: { identity: toHex(founder.identity.publicKey) },
    bea,
    knock: await knockOf(group, link, room, seconds, encodeKeyPackage(own.publicPackage)),
    answer: {
      sealed: toHex(await sealAnswer(link, room, own.publicPackage.leafNode.signaturePublicKey, "waiting")),
      answer: "waiting",
    },
    welcome: "",
    commits: [],
    messages: [],
    received: ["for all", "for Bea", "for all again"],
    epochs: [],
    laterLink: { secret: "", fragment: "" },
    safetyCode: safetyCode(founder.identity.publicKey, await publicKeyOf(seeds.identity)),
  };
  const adopt = async (pending: PendingCommit, said: { to: number; number: number; previous: number }) => {
    group.adopt(pending);
    const body = utf8(frozen.received[frozen.messages.length] ?? "");
    const plaintext = encodePlaintext(said.to, { ...said, type: "data", epoch: group.epoch, body });
    frozen.messages.push(toHex(await group.seal(plaintext)));
    frozen.epochs.push({
      ...group.place,
      authenticator: toHex(group.authenticator),
      baseKey: toHex(await group.exportSecret("SFrame 1.0 Base Key", 32)),
      outerKey: toHex(await group.exportSecret("Sealcast second layer", 32)),
      members: group.members.map(
        ({ leaf, identity, seat, leafKeyId, name }) => `${leaf} ${identity} ${seat} ${leafKeyId} ${name}`,
      ),
    });
  };
  const welcoming = await group.commit({ add: [own.publicPackage], remove: [] });
  frozen.welcome = toHex(welcoming.welcome ?? new Uint8Array());
  await adopt(welcoming, { to: ALL, number: 0, previous: 0 });
  const cid = await makeKeyPackage(await membership(random(16)));
  const adding = await group.commit({ add: [cid.publicPackage], remove: [] });
  frozen.commits.push(toHex(adding.bytes));
  await adopt(adding, { to: 1, number: 0, previous: 0 });
  const removing = await group.commit({ add: [], remove: [2], newLink: true });
  frozen.commits.push(toHex(removing.bytes));
  await adopt(removing, { to: ALL, number: 1, previous: 1 });
  const later = await group.laterLinkSecret();
  frozen.laterLink = { secret: toHex(later), fragment: await laterFragment(room, LAYERS, later) };
  return `${JSON.stringify(frozen, null, 1)}\n`;
}

async function knockOf(
  { place: { node: at }, externalSecret }: Group,
  link: Uint8Array,
  room: string,
  seconds: number,
  keyPackage: Uint8Array,
): Promise<Frozen["knock"]> {
  const offer = await offerKnockKey(externalSecret, { room, at }, [link], suite);
  const context = { room, at, link, suite, seconds: BigInt(seconds) };
  const sealed = await sealKnock(context, offer.key, keyPackage);
  if (sealed === null) throw new Error("no key to knock at");
  return { sealed: toHex(sealed), keyPackage: toHex(keyPackage), at, external: toHex(externalSecret), ...offer };
}

function bytes(hex: string): Uint8Array<ArrayBuffer> {
  const parsed = fromHex(hex);
  if (parsed === null) throw new Error(`${hex} is not hex`);
  return parsed;
}

function base64url(text: string): Uint8Array<ArrayBuffer> {
  const parsed = fromBase64url(text);
  if (parsed === null) throw new Error(`${text} is not base64url`);
  return parsed;
}

/** An Ed25519 private key (32 bytes, hex) as PKCS #8 (RFC 8410). */
function pkcs8(seed: string): Uint8Array<ArrayBuffer> {
  return bytes(`302e020100300506032b657004220420${seed}`);
}

async function publicKeyOf(seed: string): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey("pkcs8", pkcs8(seed), "Ed25519", true, ["sign"]);
  return base64url((await crypto.subtle.exportKey("jwk", key)).x ?? "");
}

async function identityOf(seed: string): Promise<Identity> {
  return { publicKey: await publicKeyOf(seed), sign: (message) => suite.signature.sign(pkcs8(seed), message) };
}

/** Bea, whose keys come from her seeds: one key package only. */
async function seeded(frozen: Pick<Frozen, "room" | "secret" | "seconds" | "bea">): Promise<Membership> {
  const { seeds, seat } = frozen.bea;
  const hpkeSeeds = [seeds.init, seeds.leaf];
  return {
    suite: {
      ...suite,
      signature: {
        ...suite.signature,
        keygen: async () => ({ publicKey: await publicKeyOf(seeds.signature), signKey: pkcs8(seeds.signature) }),
      },
      hpke: { ...suite.hpke, generateKeyPair: () => suite.hpke.deriveKeyPair(bytes(hpkeSeeds.shift() ?? "")) },
    },
    identity: await identityOf(seeds.identity),
    room: frozen.room,
    host: "localhost",
    seat: bytes(seat),
    name: frozen.bea.name,
    linkSecret: new Secret(base64url(frozen.secret)),
    layers: LAYERS,
    seconds: () => BigInt(frozen.seconds),
  };
}

/** What a base key is, as far as it can be seen: it cannot be read. */
async function saltOf(baseKey: CryptoKey): Promise<string> {
  return toHex((await deriveFrameKey(AES_256_GCM_SHA512_128, baseKey, 1n)).salt);
}

/** The member of the product in Bea's place, and all it says. */
async function seatBea(frozen: Frozen) {
  const said: FromMember[] = [];
  const news: KeyUpdate[] = [];
  const clock = new ManualClock();
  const member = new Member(await seeded(frozen), clock, (message) => void said.push(message));
  const port = { postMessage: (message: KeyUpdate) => void news.push(message) };
  await member.receive({ type: "media", port: port as unknown as MessagePort });
  await member.receive({ type: "introduce", name: frozen.bea.name });
  const hear = async (event: FromRoom): Promise<void> => {
    await member.receive({ type: "room", event });
    // Timers say what they say in the member's queue.
    clock.advance(milli(0));
    await member.receive({ type: "reachable", leaf: 63, up: false });
  };
  return { said, news, hear };
}

/** Everything that can be computed again of a room that was recorded once. */
export function frozenCases(): void {
  const frozen = JSON.parse(frozenText) as Frozen;
  const link = base64url(frozen.secret);

  describe("a frozen room", () => {
    test("has the name that its link makes", async () => {
      expect(await parseLink(frozen.room, frozen.secret)).toEqual({ ok: true, secret: link, layers: LAYERS });
    });

    test("has a knock that opens under its link, with the epoch's knock key, to the key package of the seeds", async () => {
      const own = await makeKeyPackage(await seeded(frozen));
      expect(toHex(encodeKeyPackage(own.publicPackage))).toBe(frozen.knock.keyPackage);
      const { room, seconds, knock } = frozen;
      const { at, key, tags } = knock;
      expect(await offerKnockKey(bytes(knock.external), { room, at }, [link], suite)).toEqual({ key, tags });
      expect(await isOffered({ key, tags }, { room, at }, link)).toBe(true);
      const inner = await unwrapKnock({ room, link, seconds: BigInt(seconds) }, bytes(knock.sealed));
      const opened = inner && (await openKnock({ room, at, suite }, bytes(knock.external), inner));
      expect(opened && toHex(opened)).toBe(knock.keyPackage);
      expect(await readApplication(await seeded(frozen), bytes(frozen.knock.keyPackage))).toMatchObject({
        name: frozen.bea.name,
        identity: toHex(await publicKeyOf(frozen.bea.seeds.identity)),
        seat: toHex(await publicKeyOf(frozen.bea.seeds.identity)) + frozen.bea.seat,
      });
      const { signaturePublicKey } = own.publicPackage.leafNode;
      const { sealed, answer } = frozen.answer;
      expect(await openAnswer(link, frozen.room, signaturePublicKey, bytes(sealed))).toBe(answer);
    });

    test("lets the group follow: every epoch's authenticator and exported secrets", async () => {
      const membership = await seeded(frozen);
      const group = await Group.join(membership, [await makeKeyPackage(membership)], bytes(frozen.welcome));
      if (group === null) throw new Error("the welcome was refused");
      for (const [i, expected] of frozen.epochs.entries()) {
        const commit = frozen.commits[i - 1];
        if (commit !== undefined) expect(await group.process(bytes(commit))).toMatchObject({ ok: true });
        expect(group.epoch).toBe(i + 1);
        expect(toHex(group.authenticator)).toBe(expected.authenticator);
        expect(group.place).toEqual({ token: expected.token, node: expected.node });
        expect(toHex(await group.exportSecret("SFrame 1.0 Base Key", 32))).toBe(expected.baseKey);
        expect(toHex(await group.exportSecret("Sealcast second layer", 32))).toBe(expected.outerKey);
      }
      const later = await group.laterLinkSecret();
      expect(toHex(later)).toBe(frozen.laterLink.secret);
    });

    test("lets the member follow: places, members, media keys, messages and the later link", async () => {
      const { said, news, hear } = await seatBea(frozen);
      await hear({ type: "joined", member: "B".repeat(22), resumed: false });
      const { at, key, tags } = frozen.knock;
      await hear({ type: "knock-keys", tips: [{ at, key, tags }] });
      await hear({ type: "welcomed", from: "founder", body: bytes(frozen.welcome) });
      for (const [i, message] of frozen.messages.entries()) {
        const body = frozen.commits[i - 1];
        const [at, next] = [frozen.epochs[i - 1]?.node ?? "", frozen.epochs[i]?.node ?? ""];
        if (body !== undefined) await hear({ type: "ordered", from: "founder", at, next, body: bytes(body) });
        await hear({ type: "relayed", from: "founder", body: bytes(message) });
      }
      const entered = said.flatMap((message) =>
        message.type === "to-room" && message.message.type === "enter" ? [message.message.token] : [],
      );
      expect(entered).toEqual(frozen.epochs.map(({ token }) => token));
      const members = said.flatMap((message) => (message.type === "members" ? [message.members] : []));
      expect(
        members.map((all) =>
          all.map(({ leaf, identity, seat, leafKeyId, name }) => `${leaf} ${identity} ${seat} ${leafKeyId} ${name}`),
        ),
      ).toEqual(frozen.epochs.map((epoch) => epoch.members));
      expect(members.at(-1)?.map(({ identity, me }) => [identity === frozen.founder.identity, me])).toEqual([
        [true, false],
        [false, true],
      ]);
      const received = said.flatMap((message) => (message.type === "message" ? [message.body] : []));
      expect(received.map((body) => new TextDecoder().decode(body))).toEqual(frozen.received);

      const keys = news.flatMap((message) => (message.type === "epoch" ? [message] : []));
      expect(keys.map(({ epoch, leaf }) => [epoch, leaf])).toEqual(frozen.epochs.map((_, i) => [i + 1, 1]));
      for (const [i, { baseKey, outerKey }] of frozen.epochs.entries()) {
        expect(await saltOf(keys[i]!.baseKey)).toBe(await saltOf(await importBaseKey(bytes(baseKey))));
        expect(toHex(keys[i]!.outerKey ?? new Uint8Array())).toBe(outerKey);
      }

      const links = said.flatMap((message) => (message.type === "link" ? [message.secret] : []));
      expect(links.map(toHex)).toEqual([frozen.laterLink.secret]);
      expect(await laterFragment(frozen.room, LAYERS, links[0]!)).toBe(frozen.laterLink.fragment);
      expect(await parseLink(frozen.room, frozen.laterLink.fragment)).toMatchObject({ ok: true, secret: links[0] });
    });

    test("has the safety code of its two identities", { timeout: 20_000 }, async () => {
      const [founder, bea] = [bytes(frozen.founder.identity), await publicKeyOf(frozen.bea.seeds.identity)];
      expect(safetyCode(bea, founder)).toEqual(frozen.safetyCode);
    });
  });
}
