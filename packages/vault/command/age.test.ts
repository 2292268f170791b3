import { execFile } from "node:child_process";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { random } from "@sealcast/crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAgeFile } from "../src/shared/age-file.ts";
import { digestOf } from "../src/shared/digests.ts";
import { newIdentity, recipientOf, sealHeader } from "../src/shared/header.ts";
import { FILE_KEY_BYTES, NONCE_BYTES, payloadCipher } from "../src/shared/payload.ts";
import { SealedWriter } from "../src/shared/sealed-writer.ts";
import { fileBytes } from "./file.ts";

/**
 * Round trips with the `age` command, 1.3 or newer, both ways. AGE names it; without it these tests are left out, since
 * distributions have older ones (`go install filippo.io/age/cmd/age@latest` builds it).
 */
const { AGE } = process.env;
const age = (...args: string[]) => promisify(execFile)(AGE ?? "age", args);
const GB = 1_000_000_000;
const PART = 4 * 1024 * 1024;

let directory: string;
let identity: string;
const at = (name: string) => join(directory, name);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sealcast-age-"));
  identity = await newIdentity();
  await writeFile(at("key"), `${identity}\n`);
});

afterAll(() => rm(directory, { recursive: true }));

/** Noise that repeats, so that a large file is quickly made. */
async function makePlain(bytes: number): Promise<void> {
  const noise = new Uint8Array(PART).map((_, i) => (i * i) >> 3);
  const file = await open(at("plain"), "w");
  for (let done = 0; done < bytes; done += PART) await file.write(noise.subarray(0, Math.min(PART, bytes - done)));
  await file.close();
}

async function sealByUs(): Promise<void> {
  const [fileKey, nonce] = [random(FILE_KEY_BYTES), random(NONCE_BYTES)];
  const header = await sealHeader(fileKey, [await recipientOf(identity)]);
  const [from, to] = [await open(at("plain")), await open(at("ours.age"), "w")];
  await to.write(header);
  await to.write(nonce);
  const writes: Promise<unknown>[] = [];
  const writer = new SealedWriter(await payloadCipher(fileKey, nonce), (sealed, place) => {
    writes.push(to.write(sealed, 0, sealed.length, header.length + place));
  });
  const plain = await fileBytes(from);
  for (let done = 0; done < plain.size; done += PART) {
    await writer.append(await plain.read(done, PART));
    await Promise.all(writes.splice(0));
  }
  await writer.finish();
  await Promise.all(writes);
  await Promise.all([from.close(), to.close()]);
}

async function openByUs(name: string): Promise<void> {
  const [from, to] = [await open(at(name)), await open(at("opened"), "w")];
  const reader = await openAgeFile(await fileBytes(from), { identities: [identity] });
  for (let done = 0; done < reader.size; done += PART) await to.write(await reader.read(done, PART));
  await Promise.all([from.close(), to.close()]);
}

/** Of a file's parts, so that a large one need not be in memory. */
async function digestsOf(name: string): Promise<string> {
  const file = await open(at(name));
  const { size, read } = await fileBytes(file);
  const digests: string[] = [];
  for (let done = 0; done < size; done += PART) digests.push((await digestOf(await read(done, PART))).join());
  await file.close();
  return `${size} ${digests.join("\n")}`;
}

describe.skipIf(AGE === undefined)("the age command", () => {
  test.each([0, 1, 65_535, 65_536, 65_537, GB])(
    "opens what we sealed, and we open what it sealed: %d bytes",
    { timeout: 600_000 },
    async (bytes) => {
      await makePlain(bytes);
      const plain = await digestsOf("plain");
      await sealByUs();
      await age("--decrypt", "--identity", at("key"), "--output", at("opened"), at("ours.age"));
      expect(await digestsOf("opened")).toBe(plain);
      await age("--encrypt", "--recipient", await recipientOf(identity), "--output", at("theirs.age"), at("plain"));
      await openByUs("theirs.age");
      expect(await digestsOf("opened")).toBe(plain);
    },
  );
});
