import { random } from "@sealcast/crypto";
import { runChunkJob } from "@sealcast/vault/chunk-pool";
import { FILE_KEY_BYTES, NONCE_BYTES } from "@sealcast/vault/payload";
import type { FromVaultWorker, ToVaultWorker, VaultPassed } from "./vault.ts";

/** One file, written to the origin's private file system and read back, sealed or in the clear. */

const FILE = "lab-vault";
/** What is written, over and over: long enough that no cache of a processor holds it. */
const NOISE = noise(32 * 1024 * 1024);
/** As much as the vault's workers take at a time. */
const PIECE = 512 * 1024;
const SAMPLES = 16;

addEventListener("message", ({ data }: MessageEvent<ToVaultWorker>) => void answer(data));

async function answer(ask: ToVaultWorker): Promise<void> {
  try {
    tell(await (ask.arm.type === "plain" ? plain(ask.bytes) : sealed(ask.bytes, ask.ports)));
  } catch (error) {
    tell({ error: String(error) });
  }
}

async function plain(bytes: number): Promise<VaultPassed> {
  const handle = await fresh();
  const writeMs = await timed(async () => {
    const file = await handle.createSyncAccessHandle();
    for (let at = 0; at < bytes; at += PIECE) file.write(noiseAt(at, Math.min(PIECE, bytes - at)), { at });
    file.flush();
    file.close();
  });
  const readMs = await timed(async () => {
    const file = await handle.createSyncAccessHandle();
    for (let at = 0; at < bytes; at += PIECE) {
      const piece = new Uint8Array(Math.min(PIECE, bytes - at));
      file.read(piece, { at });
      check(piece, at);
    }
    file.close();
  });
  return { writeMs, readMs };
}

async function sealed(bytes: number, ports: readonly MessagePort[]): Promise<VaultPassed> {
  // So that all workers run: what a browser takes to start one is no part of the figures.
  await seal(1, ports);
  const { writeMs, payload, fileKey } = await seal(bytes, ports);
  const onRange = (first: number, piece: Uint8Array) => check(piece, first * 65_536);
  const back = { source: { type: "sealed", payload, fileKey }, target: { type: "memory" } } as const;
  const readMs = await timed(() => runChunkJob(ports, { bytes, onProgress: () => undefined, ...back, onRange }));
  return { writeMs, readMs };
}

/** From memory, as a recorder has it. */
async function seal(bytes: number, ports: readonly MessagePort[]) {
  const payload = await fresh();
  const [fileKey, nonce] = [random(FILE_KEY_BYTES), random(NONCE_BYTES)];
  const begun = await payload.createSyncAccessHandle();
  begun.write(nonce, { at: 0 });
  begun.close();
  const target = { type: "sealed", payload, fileKey, nonce, isShared: ports.length > 1 } as const;
  const source = { type: "given", read: async (at: number, length: number) => noiseAt(at, length) } as const;
  const job = { bytes, onProgress: () => undefined, onRange: () => undefined };
  const writeMs = await timed(() => runChunkJob(ports, { ...job, source, target }));
  return { writeMs, payload, fileKey };
}

/** A copy. Pieces are parts of the noise, which they do not cross the end of. */
function noiseAt(at: number, length: number): Uint8Array<ArrayBuffer> {
  const from = at % NOISE.length;
  return NOISE.slice(from, from + length);
}

/** A few bytes of each piece: comparing all would be most of the time. */
function check(piece: Uint8Array, at: number): void {
  for (let i = 0; i < SAMPLES; i++) {
    const place = Math.floor(((piece.length - 1) * i) / SAMPLES);
    if (piece[place] !== NOISE[(at + place) % NOISE.length]) throw new Error("what was read is not what was written");
  }
}

async function fresh(): Promise<FileSystemFileHandle> {
  const root = await navigator.storage.getDirectory();
  await root.removeEntry(FILE).catch(() => undefined);
  return root.getFileHandle(FILE, { create: true });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

function noise(bytes: number): Uint8Array<ArrayBuffer> {
  const array = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(array.subarray(at, at + 65_536));
  return array;
}

function tell(message: FromVaultWorker): void {
  postMessage(message);
}
