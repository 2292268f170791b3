import { fromHex, toHex } from "@sealcast/bytes";
import * as vectors from "cctv-age";
import { describe, expect, test } from "vitest";
import { type AgeOpener, bytesOf, openAgeFile } from "./age-file.ts";
import { VaultError } from "./error.ts";

/** C2SP's test vectors of age (CCTV), through the reader that opens any part of a file. */

interface Vector {
  readonly expect: string;
  readonly sha256: string | undefined;
  readonly opener: AgeOpener;
  readonly file: Uint8Array;
}

const LF = 10;

async function parse(text: Uint8Array): Promise<Vector | null> {
  const end = text.findIndex((byte, i) => byte === LF && text[i + 1] === LF);
  const lines = new TextDecoder().decode(text.subarray(0, end)).split("\n");
  const valuesOf = (key: string) =>
    lines.filter((line) => line.startsWith(`${key}: `)).map((line) => line.slice(key.length + 2));
  const [passphrase] = valuesOf("passphrase");
  const identities = valuesOf("identity");
  const [expected = "", sha256, compressed] = [
    valuesOf("expect")[0],
    valuesOf("payload")[0],
    valuesOf("compressed")[0],
  ];
  const body = text.slice(end + 2);
  const file = compressed === "zlib" ? await inflated(body) : body;
  if (passphrase !== undefined && identities.length > 0) return null;
  return { expect: expected, sha256, opener: passphrase === undefined ? { identities } : { passphrase }, file };
}

async function inflated(body: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([body]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function open({ file, opener }: Vector): Promise<Uint8Array> {
  const reader = await openAgeFile(bytesOf(file), opener);
  return reader.read(0, reader.size);
}

const parsed = await Promise.all(
  Object.entries(vectors).map(async ([name, text]) => [name, await parse(text)] as const),
);
const all = parsed.flatMap(([name, vector]) => (vector === null ? [] : [[name, vector] as const]));
/** Their scrypt takes a work factor that a passphrase of ours never has; a minute each. */
const slow = /scrypt_work_factor_(23|wrong)/;

describe("the published test vectors of age", () => {
  test("are all here", () => expect(all.length).toBeGreaterThan(120));

  test.each(all.filter(([name]) => !slow.test(name)))("%s", async (_, vector) => {
    const { expect: outcome, sha256 } = vector;
    if (outcome !== "success") {
      await expect(open(vector)).rejects.toBeInstanceOf(VaultError);
      return;
    }
    const digest = await crypto.subtle.digest("SHA-256", (await open(vector)) as Uint8Array<ArrayBuffer>);
    expect(toHex(new Uint8Array(digest))).toBe(toHex(fromHex(sha256 ?? "") ?? new Uint8Array()));
  });
});
