import { concat, u16, u32, u64, utf8 } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { describe, expect, test } from "vitest";
import { hostFingerprint } from "../shared/live-link.ts";
import { type Asked, type Grant, openAnswer, sealAnswer } from "./live-answer.ts";
import { LINK_CLAIM, pskOf } from "./live-ask.ts";
import { hpkeFrom, hpkeTo, newViewerKey } from "./live-hpke.ts";
import { newIdentity } from "./room.cases.ts";

const identity = await newIdentity();
const host = await hostFingerprint(identity.publicKey);
const { publicKey: viewerKey, privateKey } = await newViewerKey();
const asked: Asked = { room: "r".repeat(22), nonce: random(32), viewerKey, psk: pskOf(LINK_CLAIM, random(32)) };
const grant: Grant = {
  stream: random(16),
  rotation: 7,
  streamKey: random(32),
  resume: { id: random(16), secret: random(32) },
  floors: [{ kid: 9n, highest: 300 }],
  signingKey: random(32),
};

/** Of an answer, as PROTOCOL.md lays it down: what a host might write otherwise. */
interface Parts {
  type: number;
  /** The stream key and the floors may be others than the signature is over. */
  granted: Uint8Array;
  signed: Uint8Array[];
  by: typeof identity;
  proof: (whole: Uint8Array) => Uint8Array;
  end: Uint8Array;
}

const floorsOf = (count: number) =>
  concat(Uint8Array.of(count), ...Array.from({ length: count }, () => concat(u64(9n), u64(300n))));
const { stream, streamKey, resume, signingKey } = grant;
const granted = concat(stream, u32(7), streamKey, resume.id, resume.secret, floorsOf(1));
const label = utf8("Sealcast live answer\0");
const offered = [utf8(asked.room), viewerKey, asked.nonce, stream, u32(7), signingKey, floorsOf(1)];

async function write(differs: Partial<Parts> = {}): Promise<Uint8Array> {
  const whole: Parts = {
    type: 2,
    granted,
    signed: offered,
    by: identity,
    proof: (all) => all,
    end: new Uint8Array(),
    ...differs,
  };
  const { enc, hpke } = (await hpkeTo(viewerKey, asked.room, asked.psk)) ?? expect.unreachable();
  const sealedGrant = (await hpke.next(asked.nonce, whole.granted)) ?? expect.unreachable();
  const signature = await whole.by.sign(concat(label, ...whole.signed, enc, sealedGrant));
  const proof = whole.proof(concat(identity.publicKey, signingKey, signature));
  const sealedProof = (await hpke.next(asked.nonce, proof)) ?? expect.unreachable();
  return concat(Uint8Array.of(whole.type), enc, u16(sealedGrant.length), sealedGrant, sealedProof, whole.end);
}

const open = (body: Uint8Array, differs: Partial<Asked> = {}, by = host) =>
  openAnswer(privateKey, by, { ...asked, ...differs }, body);

const INVALID = { ok: false, why: "invalid" };
const WRONG_HOST = { ok: false, why: "wrong-host" };

test("an answer opens to what was granted, with the same two keys on both sides", async () => {
  const { body, keys } = (await sealAnswer(identity, asked, grant)) ?? expect.unreachable();
  const opened = await open(body);
  expect(opened).toEqual({ ok: true, grant, identity: identity.publicKey, keys });
  const hpke = await hpkeFrom(privateKey, body.subarray(1, 1121), asked.room, asked.psk);
  expect(keys.toViewer).toEqual(await hpke?.export("Sealcast live to viewer"));
  expect(keys.toHost).toEqual(await hpke?.export("Sealcast live to host"));
});

test("it is laid out as the protocol says", async () => {
  expect(await open(await write())).toMatchObject({ ok: true, grant });
});

test("a viewer's key that is none has no answer", async () => {
  expect(await sealAnswer(identity, { ...asked, viewerKey: new Uint8Array(1216).fill(255) }, grant)).toBeNull();
});

test("a host names 64 floors at most, and no viewer takes more", async () => {
  const floors = Array.from({ length: 70 }, (_, i) => ({ kid: BigInt(i), highest: i }));
  const { body } = (await sealAnswer(identity, asked, { ...grant, floors })) ?? expect.unreachable();
  expect(await open(body)).toMatchObject({ ok: true, grant: { floors: floors.slice(0, 64) } });
  const named = (count: number) => ({
    granted: concat(stream, u32(7), streamKey, resume.id, resume.secret, floorsOf(count)),
    signed: offered.with(6, floorsOf(count)),
  });
  expect(await open(await write(named(64)))).toMatchObject({ ok: true });
  expect(await open(await write(named(65)))).toEqual(INVALID);
});

describe("an answer is invalid", () => {
  test("of another type, or with anything missing or left over", async () => {
    const wrong: Partial<Parts>[] = [
      { type: 1 },
      { end: new Uint8Array(1) },
      { granted: granted.subarray(0, -1) },
      { granted: concat(granted, new Uint8Array(1)) },
      { granted: new Uint8Array() },
      { proof: (all) => all.subarray(0, -1) },
      { proof: (all) => concat(all, new Uint8Array(1)) },
    ];
    for (const differs of wrong) expect(await open(await write(differs))).toEqual(INVALID);
    const body = await write();
    for (const length of [0, 1, 1121, 1122, 1123, body.length - 1])
      expect(await open(body.subarray(0, length)), `${length}`).toEqual(INVALID);
  });

  test("to another ask, in another room or with another secret", async () => {
    const body = await write();
    expect(await open(body, { nonce: random(32) })).toEqual(INVALID);
    expect(await open(body, { room: "s".repeat(22) })).toEqual(INVALID);
    expect(await open(body, { psk: pskOf(LINK_CLAIM, random(32)) })).toEqual(INVALID);
    expect(await open(body, { psk: { ...asked.psk, id: utf8("another") } })).toEqual(INVALID);
  });

  test("with an encapsulated key that is none", async () => {
    const body = await write();
    expect(await open(body.fill(0, 1, 1121))).toEqual(INVALID);
  });
});

describe("it is from another host than the link's", () => {
  test("with another identity, or one whose private key is missing", async () => {
    expect(await open(await write(), {}, random(16))).toEqual(WRONG_HOST);
    expect(await open(await write({ by: await newIdentity() }))).toEqual(WRONG_HOST);
  });

  test("if anything of it, or of the ask, is not what was signed", async () => {
    for (const [at, part] of offered.entries()) {
      const signed = offered.with(at, random(part.length));
      expect(await open(await write({ signed })), `${at}`).toEqual(WRONG_HOST);
    }
    expect(await open(await write({ proof: (all) => all.fill(1, 32, 64) }))).toEqual(WRONG_HOST);
  });
});
