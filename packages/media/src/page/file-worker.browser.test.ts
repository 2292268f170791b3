import { toHex } from "@sealcast/bytes";
import { importBaseKey, random } from "@sealcast/crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FILE_CHUNK_BYTES, fileChunks, sealedFileChunkBytes } from "../shared/file.ts";
import fileUrl from "../worker/file/file.worker.ts?worker&url";
import { FileWorker } from "./file-worker.ts";

let sender: FileWorker;
let receiver: FileWorker;
let folder: FileSystemDirectoryHandle;
let baseKey: CryptoKey;
beforeEach(async () => {
  const spawn = () => new Worker(fileUrl, { type: "module" });
  [sender, receiver] = [new FileWorker(spawn), new FileWorker(spawn)];
  const root = await navigator.storage.getDirectory();
  folder = await root.getDirectoryHandle("file worker test", { create: true });
  baseKey = await importBaseKey(random(32));
});
afterEach(async () => {
  sender.close();
  receiver.close();
});

function fileOf(bytes: number): File {
  const pieces = Array.from({ length: Math.ceil(bytes / 65_536) }, (_, at) =>
    random(Math.min(65_536, bytes - at * 65_536)),
  );
  return new File(pieces, "file.bin");
}

async function names(): Promise<string[]> {
  const names: string[] = [];
  for await (const name of folder.keys()) names.push(name);
  return names;
}

async function digestOf(bytes: Blob | ArrayBuffer | null): Promise<string> {
  const whole = bytes instanceof Blob ? await bytes.arrayBuffer() : (bytes ?? new ArrayBuffer());
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", whole)));
}

test.each([0, 1, FILE_CHUNK_BYTES, FILE_CHUNK_BYTES + 1, 5 * FILE_CHUNK_BYTES - 3])(
  "a file of %i bytes arrives byte for byte, chunks in any number of runs",
  async (size) => {
    const file = fileOf(size);
    await sender.send("a", file, baseKey);
    await receiver.receive("a", size, baseKey, { type: "private", folder, name: "a" });
    for (let chunk = 0; chunk < fileChunks(size); chunk++) {
      const sealed = await sender.seal("a", chunk);
      expect(sealed.byteLength).toBe(sealedFileChunkBytes(size, chunk));
      expect(await digestOf(await sender.seal("a", chunk)), "sealed again").toBe(await digestOf(sealed));
      await receiver.open("a", chunk, sealed);
    }
    expect(await digestOf(await receiver.finish("a"))).toBe(await digestOf(file));
  },
);

test("a chunk that is changed, out of place, cut short or of another file is refused, and the file is gone when it is dropped", async () => {
  const size = 3 * FILE_CHUNK_BYTES;
  await sender.send("a", fileOf(size), baseKey);
  await sender.send("b", fileOf(size), await importBaseKey(random(32)));
  await sender.send("shorter", fileOf(2 * FILE_CHUNK_BYTES), baseKey);
  await receiver.receive("a", size, baseKey, { type: "private", folder, name: "dropped" });
  const refused = (sealed: ArrayBuffer) =>
    expect(receiver.open("a", 0, sealed)).rejects.toMatchObject({ failure: "damaged" });
  const changed = new Uint8Array(await sender.seal("a", 0));
  changed[5] = (changed[5] ?? 0) ^ 1;
  await refused(changed.buffer);
  await refused(await sender.seal("a", 1));
  await refused((await sender.seal("a", 0)).slice(1));
  await refused(await sender.seal("b", 0));
  // The number of chunks counts too: a file cannot be passed off as a longer one.
  await refused(await sender.seal("shorter", 0));
  expect(await names()).toContain("dropped");
  await receiver.drop("a");
  expect(await names()).not.toContain("dropped");
});

test("a chunk whose bytes are not what they were is not sealed a second time", async () => {
  const root = await navigator.storage.getDirectory();
  const handle = await root.getFileHandle("changes", { create: true });
  const write = async (byte: number) => {
    const writable = await handle.createWritable();
    await writable.write(new Uint8Array(100).fill(byte));
    await writable.close();
  };
  await write(1);
  await sender.send("a", await handle.getFile(), baseKey);
  await sender.seal("a", 0);
  await write(2);
  await expect(sender.seal("a", 0)).rejects.toMatchObject({ failure: "changed" });
});

test("where the person chose a place, the file is there once it is whole, and one that was there stays if it never is", async () => {
  const handle = await folder.getFileHandle("chosen", { create: true });
  const old = await handle.createWritable();
  await old.write("old");
  await old.close();
  const file = fileOf(FILE_CHUNK_BYTES + 5);
  await sender.send("a", file, baseKey);
  for (const isWhole of [false, true]) {
    await receiver.receive("a", file.size, baseKey, { type: "chosen", handle });
    await receiver.open("a", 0, await sender.seal("a", 0));
    if (!isWhole) {
      await receiver.drop("a");
      expect(await (await handle.getFile()).text()).toBe("old");
      continue;
    }
    await receiver.open("a", 1, await sender.seal("a", 1));
    expect(await receiver.finish("a")).toBeNull();
  }
  expect(await digestOf(await handle.getFile())).toBe(await digestOf(file));
  const fresh = await folder.getFileHandle("fresh", { create: true });
  await receiver.receive("b", file.size, baseKey, { type: "chosen", handle: fresh });
  await receiver.drop("b");
  expect(await names()).not.toContain("fresh");
});

test("what is asked of a worker that is gone is answered", async () => {
  const asked = sender.send("a", fileOf(1), baseKey);
  sender.close();
  await expect(asked).rejects.toMatchObject({ failure: "stopped" });
  await expect(sender.seal("a", 0)).rejects.toMatchObject({ failure: "stopped" });
});
