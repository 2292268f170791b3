import { concat, utf8 } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { bytesOf } from "./age-file.ts";
import { digestOf } from "./digests.ts";
import { MAX_HEADER_BYTES, newIdentity, recipientOf } from "./header.ts";
import type { Meta } from "./meta.ts";
import { ID_BYTES, type MetaSigner, openMeta, openSidecar, sealMeta, signMeta } from "./signed-meta.ts";
import { newSigner } from "./signer.cases.ts";
import { jpegOf } from "./thumbnail.cases.ts";

/** A payload of one chunk, which nobody opens here. */
const payload = random(16 + 16 + 100);
const id = random(ID_BYTES);
const nonce = payload.slice(0, 16);

let identity: string;
let recipient: string;
let ann: MetaSigner;
let eve: MetaSigner;
let signed: Meta;

beforeAll(async () => {
  identity = await newIdentity();
  recipient = await recipientOf(identity);
  [ann, eve] = [await newSigner(), await newSigner()];
  const facts = { kind: "video/mp4", people: ["Ann"], created: 1, seconds: 2 };
  const notes = { title: "A call", signature: null, resealing: false, shared: [] };
  const digests = await digestOf(payload.slice(16));
  const meta = { facts, notes, thumbnail: jpegOf(160, 90), digests };
  signed = await signMeta(meta, { id, nonce, payloadBytes: payload.length }, ann);
});

async function opened(meta: Meta, { of = payload, by = id } = {}) {
  return openSidecar(concat(by, await sealMeta(meta, [recipient])), bytesOf(of), [identity]);
}

describe("a signature beside a file", () => {
  it("says who signed, whatever the title", async () => {
    const renamed = { ...signed, notes: { ...signed.notes, title: "Another" } };
    for (const meta of [signed, renamed]) expect((await opened(meta)).signer).toEqual(ann.publicKey);
  });

  it("is nobody's where there is none", async () => {
    expect((await opened({ ...signed, notes: { ...signed.notes, signature: null } })).signer).toBeNull();
  });

  it.each([
    ["another picture for the list", () => ({ thumbnail: jpegOf(90, 160) })],
    ["no picture for the list", () => ({ thumbnail: new Uint8Array() })],
    ["other people", () => ({ facts: { ...signed.facts, people: ["Ben"] } })],
    ["another time", () => ({ facts: { ...signed.facts, created: 2 } })],
    ["other contents", () => ({ digests: random(32) })],
    ["another signer", () => signatureOf({ signer: eve.publicKey })],
    ["another signature", () => signatureOf({ value: random(64) })],
  ])("is not good for %s", async (_, change) => {
    await expect(opened({ ...signed, ...change() })).rejects.toMatchObject({ code: "bad-signature" });
  });

  it.each([
    ["under another name", () => ({ by: random(ID_BYTES) })],
    ["of another nonce", () => ({ of: concat(random(16), payload.slice(16)) })],
  ])("is not good for a file %s", async (_, change) => {
    await expect(opened(signed, change())).rejects.toMatchObject({ code: "bad-signature" });
  });

  it.each([
    ["shorter within its chunk", () => payload.slice(0, -1), "bad-signature"],
    ["longer by a chunk", () => concat(payload, new Uint8Array(65_552)), "tampered"],
    ["of a length that none has", () => payload.slice(0, 20), "tampered"],
    ["without anything", () => new Uint8Array(), "tampered"],
  ])("is not good for a file %s", async (_, of, code) => {
    await expect(opened(signed, { of: of() })).rejects.toMatchObject({ code });
  });

  it("for others does not open, and is altered where any part of it is", async () => {
    const sealed = await sealMeta(signed, [recipient]);
    await expect(openMeta(sealed, [await newIdentity()])).rejects.toMatchObject({ code: "not-for-you" });
    for (const at of [0, sealed.length - 1])
      await expect(openMeta(sealed.with(at, sealed.at(at)! ^ 1), [identity])).rejects.toMatchObject({
        code: "tampered",
      });
    for (const length of [0, 3, sealed.length - 1])
      await expect(openMeta(sealed.slice(0, length), [identity])).rejects.toMatchObject({ code: "tampered" });
  });

  it("with more recipients than a header has is refused before any of them is tried", async () => {
    const sealed = await sealMeta(signed, [recipient]);
    const [line = "", ...rest] = new TextDecoder("latin1").decode(sealed).split("\n-> ");
    const stanza = `\n-> ${rest[0]?.split("\n---")[0]}`;
    const bomb = utf8(`${line}${stanza.repeat(Math.ceil(MAX_HEADER_BYTES / stanza.length) + 1)}\n--- AAAA\n`);
    expect(bomb.length).toBeGreaterThan(MAX_HEADER_BYTES);
    await expect(openMeta(bomb, [await newIdentity()])).rejects.toMatchObject({ code: "tampered" });
  });
});

function signatureOf(change: object): { notes: Meta["notes"] } {
  const { signature } = signed.notes;
  return { notes: { ...signed.notes, signature: signature && { ...signature, ...change } } };
}
