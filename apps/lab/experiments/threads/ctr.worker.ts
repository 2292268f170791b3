import { type ChunkCipher, counterOf, SealingWorker } from "@sealcast/media/chunk";

declare const self: DedicatedWorkerGlobalScope;

/** AES-256-CTR as the paper has it: it hides, and lets anybody change what it hides. A comparator, never a protection. */
async function aesCtr(baseKey: CryptoKey, session: bigint): Promise<ChunkCipher> {
  const info = new BigUint64Array([session]);
  const hkdf = { name: "HKDF", hash: "SHA-512", salt: new Uint8Array(), info };
  const key = await crypto.subtle.deriveKey(hkdf, baseKey, { name: "AES-CTR", length: 256 }, false, ["encrypt"]);
  const crypt: ChunkCipher["seal"] = (tag, bytes) => {
    // Chunk workers hand over unshared memory only. 96 bits of nonce, then 32 bits that count the chunk's blocks.
    const counter = new DataView(new ArrayBuffer(16));
    counter.setBigUint64(4, counterOf(tag));
    return crypto.subtle.encrypt({ name: "AES-CTR", counter, length: 32 }, key, bytes as Uint8Array<ArrayBuffer>);
  };
  return { seal: crypt, open: crypt };
}

const worker = new SealingWorker(aesCtr, (message, transfer) => self.postMessage(message, transfer));

self.addEventListener("message", ({ data }) => void worker.hear(data).catch(reportError));
