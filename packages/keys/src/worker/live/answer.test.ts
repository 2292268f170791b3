import { concat, utf8 } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { describe, expect, test } from "vitest";
import { hostFingerprint } from "../../shared/live-link.ts";
import { newIdentity } from "../room/room.cases.ts";
import { type AnsweredAsk, type Grant, openAnswer, sealAnswer } from "./answer.ts";
import { LINK_CLAIM, pskOf } from "./ask.ts";
import { hpkeFrom, hpkeTo, newViewerKey } from "./hpke.ts";

const identity = await newIdentity();
const host = await hostFingerprint(identity.publicKey);
const { publicKey: viewerKey, privateKey } = await newViewerKey();
const asked: AnsweredAsk = { room: "r".repeat(22), nonce: random(32), viewerKey, psk: pskOf(LINK_CLAIM, random(32)) };
const grant: Grant = { stream: random(16), signingKey: random(32) };

/** Of an answer, as PROTOCOL.md lays it down: what a host might write otherwise. */
interface Parts {
  type: number;
  signed: Uint8Array[];
  by: typeof identity;
  sealed: (whole: Uint8Array) => Uint8Array;
  end: Uint8Array;
}

const { stream, signingKey } = grant;
const label = utf8("Sealcast live answer\0");
const offered = [utf8(asked.room), viewerKey, asked.nonce, stream, signingKey];

async function write(differs: Partial<Parts> = {}): Promise<Uint8Array> {
  const whole: Parts = {
    type: 2,
    signed: offered,
    by: identity,
    sealed: (all) => all,
    end: new Uint8Array(),
    ...differs,
  };
  const { enc, hpke } = (await hpkeTo(viewerKey, asked.room, asked.psk)) ?? expect.unreachable();
  const signature = await whole.by.sign(concat(label, ...whole.signed, enc));
  const plaintext = whole.sealed(concat(stream, signingKey, identity.publicKey, signature));
  const sealed = (await hpke.next(asked.nonce, plaintext)) ?? expect.unreachable();
  return concat(Uint8Array.of(whole.type), enc, sealed, whole.end);
}

const open = (body: Uint8Array, differs: Partial<AnsweredAsk> = {}, by = host) =>
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

describe("an answer is invalid", () => {
  test("of another type, or with anything missing or left over", async () => {
    const wrong: Partial<Parts>[] = [
      { type: 1 },
      { end: new Uint8Array(1) },
      { sealed: (all) => all.subarray(0, -1) },
      { sealed: (all) => concat(all, new Uint8Array(1)) },
      { sealed: () => new Uint8Array() },
    ];
    for (const differs of wrong) expect(await open(await write(differs))).toEqual(INVALID);
    const body = await write();
    expect(body).toHaveLength(1281);
    for (const length of [0, 1, 1121, body.length - 1])
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
    for (const at of [0, 16, 48, 80])
      expect(await open(await write({ sealed: (all) => all.with(at, (all[at] ?? 0) ^ 1) })), `${at}`).toEqual(
        WRONG_HOST,
      );
  });
});
