import { random } from "@sealcast/crypto";
import { memory } from "../selective/selective-packets.page.ts";
import { AesGpu, adapterOf } from "./aes-gpu.page.ts";
import {
  type BatchPage,
  type BatchPass,
  type FromBatchWorker,
  IMAGE_BYTES,
  recordAt,
  sealedBytes,
  type ToBatchWorker,
} from "./batch.ts";
import { batchCipher } from "./batch-cipher.ts";

export function batch(): BatchPage {
  return { batchPass, gpuAdapter: adapterOf, gpuPass };
}

async function batchPass({ scheme, images: count, perRecord, workers: many }: BatchPass) {
  const images = noise(count);
  const sealed = new SharedArrayBuffer(sealedBytes(scheme, count, perRecord));
  const all = { scheme, perRecord, key: random(32), images, sealed };
  const records = Math.ceil(count / perRecord);
  const workers = await Promise.all(Array.from({ length: many }, started));
  const since = performance.now();
  const share = Math.ceil(records / many);
  const from = (i: number) => Math.min(records, i * share);
  await Promise.all(workers.map((worker, i) => done(worker, { ...all, from: from(i), to: from(i + 1) })));
  const ms = performance.now() - since;
  await check(all, records);
  const passed = { ms, memoryBytes: await memory() };
  for (const worker of workers) worker.terminate();
  return passed;
}

/** The first record, the last, and one between them. */
async function check(all: Omit<ToBatchWorker, "from" | "to">, records: number): Promise<void> {
  const cipher = await batchCipher(all.scheme, all.key);
  for (const record of [0, records >> 1, records - 1]) {
    const { at, length, sealedAt, sealedLength } = recordAt(all, record);
    const sealed = new Uint8Array(all.sealed, sealedAt, sealedLength).slice();
    const opened = await cipher.open(record, new Uint8Array(), sealed);
    const image = new Uint8Array(all.images, at, length);
    if (opened?.length !== length || opened.some((byte, i) => byte !== image[i]))
      throw new Error("a record did not come back as it was");
  }
}

async function gpuPass(images: number, keyBits: 128 | 256) {
  const gpu = await AesGpu.start(random(keyBits / 8));
  try {
    const [key, counter] = [gpu.key, random(16)];
    const plain = new Uint8Array(noise(images));
    const { encrypted, ...times } = await gpu.encrypt(plain, counter);
    for (const image of [0, images >> 1, images - 1]) await compare(plain, encrypted, { key, counter, image });
    return { ...times, memoryBytes: await memory() };
  } finally {
    gpu.close();
  }
}

/** Each image has a counter of its own: its number is added to the third word. */
async function compare(
  plain: Uint8Array,
  encrypted: Uint8Array,
  { key, counter, image }: { key: Uint8Array<ArrayBuffer>; counter: Uint8Array<ArrayBuffer>; image: number },
) {
  const own = new DataView(counter.slice().buffer);
  own.setUint32(8, own.getUint32(8) + image);
  const at = image * IMAGE_BYTES;
  const aes = await crypto.subtle.importKey("raw", key, "AES-CTR", false, ["encrypt"]);
  const expected = new Uint8Array(
    await crypto.subtle.encrypt(
      { name: "AES-CTR", counter: own.buffer, length: 32 },
      aes,
      plain.slice(at, at + IMAGE_BYTES),
    ),
  );
  if (expected.some((byte, i) => byte !== encrypted[at + i]))
    throw new Error(`image ${image} is not what Web Crypto makes`);
}

function noise(images: number): SharedArrayBuffer {
  const bytes = new Uint8Array(new SharedArrayBuffer(images * IMAGE_BYTES));
  const part = random(Math.min(65_536, bytes.length));
  for (let at = 0; at < bytes.length; at += part.length) bytes.set(part.subarray(0, bytes.length - at), at);
  return bytes.buffer;
}

function started(): Promise<Worker> {
  const worker = new Worker(new URL("./batch.worker.ts", import.meta.url), { type: "module" });
  return new Promise((resolve, reject) => {
    worker.onmessage = () => resolve(worker);
    worker.onerror = ({ message }) => reject(new Error(message));
  });
}

function done(worker: Worker, share: ToBatchWorker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<FromBatchWorker>) => {
      if (typeof data === "object") reject(new Error(data.error));
      else resolve();
    };
    worker.postMessage(share);
  });
}
