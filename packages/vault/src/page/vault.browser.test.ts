import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { digestOf } from "../shared/digests.ts";
import { sealMeta } from "../shared/signed-meta.ts";
import { jpegOf } from "../shared/thumbnail.cases.ts";
import { type Entry, VaultClient } from "./index.ts";

/** The vault in this browser's private file system, through its real workers. */

const PASSPHRASE = "a long passphrase";
const DETAILS = { title: "A call", kind: "video/mp4", people: ["Ann", "Ben"] };
const ENDING = {
  seconds: 12.5,
  kind: 'video/mp4; codecs="avc1.42E01F, opus"',
  people: ["Ann", "Ben", "Cleo"],
  thumbnail: jpegOf(160, 90),
};
const MIB = 1024 * 1024;
/** In the third chunk. */
const TORN = 16 + 2 * 65_552;

const spawn = {
  vault: () => new Worker(new URL("../worker/vault.worker.ts", import.meta.url), { type: "module" }),
  chunks: () => new Worker(new URL("../worker/chunk.worker.ts", import.meta.url), { type: "module" }),
  ranges: () => Promise.reject(new Error("not in this test")),
};

let vault: VaultClient;

/** Another visit, with nothing on the disk. */
async function begin(): Promise<void> {
  const root = await navigator.storage.getDirectory();
  // The files of a worker that was ended are free a moment later.
  await vi.waitFor(async () => expect(await removed(root)).toBe(true), { timeout: 10_000 });
  vault = new VaultClient(spawn);
}

function removed(root: FileSystemDirectoryHandle): Promise<boolean> {
  const isGone = (error: unknown) => error instanceof DOMException && error.name === "NotFoundError";
  return root.removeEntry("vault", { recursive: true }).then(() => true, isGone);
}

function noise(bytes: number): Uint8Array<ArrayBuffer> {
  const array = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(array.subarray(at, Math.min(at + 65_536, bytes)));
  return array;
}

async function written(parts: readonly Uint8Array[]): Promise<Entry> {
  const writing = await vault.create(DETAILS);
  for (const part of parts) await writing.append(part);
  return writing.finish(ENDING);
}

async function imported(file: File, sidecar: File | null = null): Promise<Entry> {
  return (await vault.importFile(file, { sidecar })) ?? expect.unreachable();
}

async function readAll(id: string): Promise<Uint8Array> {
  const file = await vault.open(id);
  try {
    return await file.read(0, await file.size());
  } finally {
    await file.close();
  }
}

async function joined(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer());
}

/** The directory of a file's version. */
async function directoryOf(id: string, version = "0"): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  const file = await (await root.getDirectoryHandle("vault")).getDirectoryHandle(id);
  return file.getDirectoryHandle(version);
}

/** Of its files on the disk. */
async function namesInVault(): Promise<string[]> {
  const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("vault");
  const names: string[] = [];
  for await (const [name, { kind }] of root.entries()) if (kind === "directory") names.push(name);
  return names;
}

async function change(id: string, name: string, edit: (bytes: Uint8Array) => Uint8Array): Promise<void> {
  const handle = await (await directoryOf(id)).getFileHandle(name);
  const bytes = edit(new Uint8Array(await (await handle.getFile()).arrayBuffer()));
  const writable = await handle.createWritable();
  await writable.write(bytes as Uint8Array<ArrayBuffer>);
  await writable.close();
}

describe("a vault that nobody has set up", () => {
  beforeEach(begin);
  afterEach(() => vault.end());

  test("is empty, then unlocked; another visit unlocks it with the passphrase, and with no other", async () => {
    expect(await vault.call("state")).toBe("empty");
    await vault.call("setUp", PASSPHRASE);
    expect(await vault.call("state")).toBe("unlocked");
    vault.end();
    vault = new VaultClient(spawn);
    expect(await vault.call("state")).toBe("locked");
    await expect(vault.call("list")).rejects.toMatchObject({ code: "locked" });
    await expect(vault.call("unlock", "another")).rejects.toMatchObject({ code: "wrong-passphrase" });
    await vault.call("unlock", PASSPHRASE);
    expect(await vault.call("list")).toEqual([]);
  });

  test("has one identity, in however many tabs it is set up at once", async () => {
    const other = new VaultClient(spawn);
    const outcomes = await Promise.allSettled([
      vault.call("setUp", PASSPHRASE),
      other.call("setUp", "another passphrase"),
    ]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    other.end();
    const { id } = await written([noise(10)]);
    vault.end();
    vault = new VaultClient(spawn);
    await vault.call("unlock", outcomes[0]?.status === "fulfilled" ? PASSPHRASE : "another passphrase");
    expect(await readAll(id)).toHaveLength(10);
  });
});

describe("once it is set up", () => {
  // All share one vault, which is unlocked and empty before each: to set one up takes what makes passphrases hard to guess.
  beforeAll(async () => {
    await begin();
    await vault.call("setUp", PASSPHRASE);
  });
  afterEach(async () => {
    vault.onProgress = () => undefined;
    for (const { id } of await vault.call("list")) await vault.call("remove", id);
    expect(await namesInVault()).toEqual([]);
  });
  afterAll(() => vault.end());

  describe("a vault", () => {
    test("is written to while it is locked, and read once it is unlocked", async () => {
      vault.end();
      vault = new VaultClient(spawn);
      const parts = [noise(100), noise(65_536), noise(200_000)];
      const { id } = await written(parts);
      await expect(vault.open(id)).rejects.toMatchObject({ code: "locked" });
      await vault.call("unlock", PASSPHRASE);
      expect(await readAll(id)).toEqual(await joined(new Blob(parts).stream()));
      const [entry] = await vault.call("list");
      expect(entry).toMatchObject({ id, title: "A call", people: ENDING.people, seconds: 12.5, state: "finished" });
      expect(entry?.signer).toHaveLength(32);
    });

    test("names no more people than its details have room for, whatever their names", async () => {
      const writing = await vault.create(DETAILS);
      const people = Array.from({ length: 500 }, (_, i) => `${i} ${"\u0007".repeat(500)}`);
      const { id } = await writing.finish({ ...ENDING, people });
      const [entry] = await vault.call("list");
      expect(entry).toMatchObject({ id, state: "finished" });
      expect(entry?.people).toHaveLength(100);
    });

    test("gives any part of a file", async () => {
      const whole = noise(3 * 65_536 + 17);
      const { id } = await written([whole]);
      const file = await vault.open(id);
      for (const [at, length] of [
        [0, 1],
        [65_535, 2],
        [65_536, 65_536],
        [1, 3 * 65_536],
        [3 * 65_536 + 16, 1],
      ] as const)
        expect(await file.read(at, length)).toEqual(whole.slice(at, at + length));
      expect(await file.read(whole.length, 10)).toHaveLength(0);
      expect(await file.read(whole.length - 1, 10)).toHaveLength(1);
      await file.close();
    });

    test("recovers what was written when its writer ended early", async () => {
      const writing = await vault.create(DETAILS);
      const whole = noise(200_000);
      await writing.append(whole.slice(0, 150_000));
      await writing.append(whole.slice(150_000));
      vault.end();
      vault = new VaultClient(spawn);
      await vault.call("unlock", PASSPHRASE);
      // The lock of a worker that was ended is free a moment later.
      await expect.poll(async () => (await vault.call("list"))[0]?.state, { timeout: 10_000 }).toBe("unfinished");
      expect(await vault.recover(writing.id, { seconds: 3, kind: "video/mp4" })).toMatchObject({
        state: "finished",
        seconds: 3,
      });
      expect(await readAll(writing.id)).toEqual(whole);
    });

    test("recovers what was written up to a last chunk that is torn", async () => {
      const writing = await vault.create(DETAILS);
      const whole = noise(200_000);
      await writing.append(whole);
      vault.end();
      await expect
        .poll(() =>
          change(writing.id, "payload", (bytes) => bytes.with(TORN, (bytes[TORN] ?? 0) ^ 1)).then(
            () => true,
            () => false,
          ),
        )
        .toBe(true);
      vault = new VaultClient(spawn);
      await vault.call("unlock", PASSPHRASE);
      await expect.poll(async () => (await vault.call("list"))[0]?.state, { timeout: 10_000 }).toBe("unfinished");
      await vault.recover(writing.id, null);
      expect(await readAll(writing.id)).toEqual(whole.slice(0, 2 * 65_536));
    });

    test("can be read while it is written", async () => {
      const writing = await vault.create(DETAILS);
      const whole = noise(200_000);
      await writing.append(whole);
      const file = await vault.open(writing.id);
      const size = await file.size();
      expect(size).toBe(3 * 65_536);
      expect(await file.read(0, size)).toEqual(whole.slice(0, size));
      await writing.append(whole);
      expect(await file.size()).toBe(6 * 65_536);
      await writing.finish(ENDING);
      expect(await file.size()).toBe(2 * whole.length);
      expect(await file.read(whole.length, whole.length)).toEqual(whole);
      await file.close();
    });

    test("can be read at any moment while it is written, by another tab too", async () => {
      const other = new VaultClient(spawn);
      await other.call("unlock", PASSPHRASE);
      const writing = await vault.create(DETAILS);
      const whole = noise(200_000);
      await writing.append(whole);
      const file = await other.open(writing.id);
      let isWritten = false;
      const write = async () => {
        for (let n = 0; n < 20; n++) await writing.append(whole);
        isWritten = true;
      };
      const read = async () => {
        while (!isWritten) expect(await file.read(0, 65_536)).toEqual(whole.subarray(0, 65_536));
      };
      await Promise.all([write(), read()]);
      expect(await file.size()).toBe(Math.floor((21 * whole.length) / 65_536) * 65_536);
      await file.close();
      await writing.finish(ENDING);
      other.end();
    });
  });

  describe("what is not as it was signed does not play", () => {
    const flip = (at: number) => (bytes: Uint8Array) => bytes.with(at, (bytes[at] ?? 0) ^ 1);

    test.each([
      ["a changed chunk", "payload", flip(16 + 65_552 + 5), "tampered"],
      ["a file that was cut off", "payload", (bytes: Uint8Array) => bytes.slice(0, 16 + 65_552), "tampered"],
      ["chunks in another order", "payload", (bytes: Uint8Array) => swapped(bytes), "tampered"],
      ["another nonce", "payload", flip(3), "bad-signature"],
    ])("%s", async (_, name, edit, code) => {
      const { id } = await written([noise(200_000)]);
      await change(id, name, edit);
      await expect(readAll(id)).rejects.toMatchObject({ code });
    });

    test("details that another made", async () => {
      const { id } = await written([noise(1000)]);
      const { id: other } = await written([noise(1000)]);
      const handle = await (await directoryOf(other)).getFileHandle("meta.age");
      const meta = new Uint8Array(await (await handle.getFile()).arrayBuffer());
      await change(id, "meta.age", () => meta);
      await expect(vault.open(id)).rejects.toMatchObject({ code: "bad-signature" });
      expect((await vault.call("list")).find((entry) => entry.id === id)?.state).toBe("damaged");
    });

    function swapped(bytes: Uint8Array): Uint8Array {
      const [first, second] = [bytes.slice(16, 16 + 65_552), bytes.slice(16 + 65_552, 16 + 2 * 65_552)];
      const result = bytes.slice();
      result.set(second, 16);
      result.set(first, 16 + 65_552);
      return result;
    }
  });

  describe("files", () => {
    const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

    test.each([0, 1, 65_535, 65_536, 65_537, 5 * MIB])(
      "of %d bytes beyond their signature are imported over all workers",
      async (length) => {
        const file = new File([PNG, noise(length)], "holiday.png");
        const progress: number[] = [];
        vault.onProgress = (_, done) => progress.push(done);
        const entry = await imported(file);
        expect(entry).toMatchObject({ title: "holiday", kind: "image/png", state: "finished", bytes: file.size });
        expect(await digestOf(await readAll(entry.id))).toEqual(
          await digestOf(new Uint8Array(await file.arrayBuffer())),
        );
        expect(progress.at(-1)).toBe(file.size);
      },
    );

    test("keep what was found out by looking at them, signed", async () => {
      const canvas = new OffscreenCanvas(4, 3);
      canvas.getContext("2d")?.fillRect(0, 0, 1, 1);
      const jpeg = await canvas.convertToBlob({ type: "image/jpeg" });
      const preview = { seconds: 3.5, thumbnail: new Uint8Array(await jpeg.arrayBuffer()) };
      const { id } = (await vault.importFile(new File([PNG], "holiday.png"), { preview })) ?? expect.unreachable();
      expect(await vault.call("list")).toMatchObject([{ id, ...preview, state: "finished" }]);
    });

    test.each(["a plain one", "a sealed one"])("whose import is cancelled leave nothing: %s", async (kind) => {
      const plain = new File([PNG, new Uint8Array(64 * MIB)], "holiday.png");
      const { id } = kind === "a plain one" ? { id: "" } : await imported(plain);
      const sealed = id && (await joined((await vault.call("exportSealed", id)).file.stream()));
      if (id !== "") await vault.call("remove", id);
      const cancelling = new AbortController();
      vault.onProgress = () => cancelling.abort();
      const file = sealed === "" ? plain : new File([sealed], "holiday.age");
      expect(await vault.importFile(file, { signal: cancelling.signal })).toBeNull();
      expect(await namesInVault()).toEqual([]);
      // The next one is not cancelled with it.
      vault.onProgress = () => undefined;
      expect(await imported(new File([PNG], "holiday.png"))).toMatchObject({ state: "finished" });
    });

    test("that are no media are refused by name", async () => {
      const refused = vault.importFile(new File(["hello"], "notes.txt"));
      await expect(refused).rejects.toMatchObject({
        code: "unknown-kind",
        message: expect.stringContaining("notes.txt"),
      });
      expect(await vault.call("list")).toEqual([]);
    });

    test("are exported sealed and come back with their signature", async () => {
      const whole = noise(100_000);
      const { id } = await written([whole]);
      const { file, sidecar } = await vault.call("exportSealed", id);
      const sealed = new File([await joined(file.stream())], "A call.mp4.age");
      await vault.call("remove", id);
      expect(await vault.call("list")).toEqual([]);
      const entry = await imported(sealed, new File([sidecar as Uint8Array<ArrayBuffer>], "A call.mp4.age.sig"));
      expect(entry).toMatchObject({ id, title: "A call", state: "finished" });
      expect(entry.signer).toHaveLength(32);
      expect(await readAll(id)).toEqual(whole);
      const alone = await imported(sealed);
      expect(alone.signer).toBeNull();
      expect(await readAll(alone.id)).toEqual(whole);
    });

    test("that come with a sidecar take nothing of its notes but title and signature; with a piece of one they do not come", async () => {
      const { id } = await written([noise(1000)]);
      const { file, sidecar } = await vault.call("exportSealed", id);
      const sealed = new File([await joined(file.stream())], "A call.mp4.age");
      await vault.call("remove", id);
      const recipient = await vault.call("recipient");
      const facts = { kind: "video/mp4", people: [], created: 0, seconds: null };
      const notes = { title: "Theirs", signature: null, resealing: true, shared: [{ name: "Eve", recipient }] };
      const meta = await sealMeta({ facts, notes, thumbnail: new Uint8Array(), digests: new Uint8Array(32) }, [
        recipient,
      ]);
      const made = new File([sidecar.slice(0, 16), meta as Uint8Array<ArrayBuffer>], "A call.mp4.age.sig");
      expect(await imported(sealed, made)).toMatchObject({ title: "Theirs", state: "finished", shared: [] });
      const piece = new File([sidecar.slice(0, 3)], "A call.mp4.age.sig");
      await expect(imported(sealed, piece)).rejects.toMatchObject({ code: "tampered" });
    });

    test("are renamed, and shared and taken back: who had the key does not have the next", async () => {
      const whole = noise(300_000);
      const { id } = await written([whole]);
      expect(await vault.call("rename", id, "Another name")).toMatchObject({ title: "Another name" });
      const recipient = await vault.call("recipient");
      const shared = await vault.call("share", id, "Ben", recipient);
      expect(shared.shared).toEqual([{ name: "Ben", recipient }]);
      const before = await headerOf(id);
      // What is open keeps the version before from being removed at once.
      const open = await vault.open(id);
      expect(await vault.call("unshare", id, recipient)).toMatchObject({ state: "resealing", shared: [] });
      await expect(vault.call("exportSealed", id)).rejects.toMatchObject({ code: "busy" });
      expect(await vault.reseal(id)).toMatchObject({ state: "finished", title: "Another name" });
      expect(await headerOf(id, "1")).not.toEqual(before);
      expect(await open.read(0, whole.length)).toEqual(whole);
      await open.close();
      await vault.call("list");
      await expect(headerOf(id, "0")).rejects.toThrow();
      expect(await readAll(id)).toEqual(whole);
    });

    test("are not shared with what is no recipient, and can be shared all the same afterwards", async () => {
      const { id } = await written([noise(100)]);
      await expect(vault.call("share", id, "Nobody", "age1nonsense")).rejects.toMatchObject({ code: "unknown-kind" });
      expect(await vault.call("list")).toMatchObject([{ shared: [] }]);
      const recipient = await vault.call("recipient");
      expect(await vault.call("share", id, "Ben", recipient)).toMatchObject({ shared: [{ name: "Ben" }] });
    });

    async function headerOf(id: string, version = "0"): Promise<Uint8Array> {
      const handle = await (await directoryOf(id, version)).getFileHandle("header.age");
      return new Uint8Array(await (await handle.getFile()).arrayBuffer());
    }
  });
});
