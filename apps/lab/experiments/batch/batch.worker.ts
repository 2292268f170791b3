import { type FromBatchWorker, recordAt, type ToBatchWorker } from "./batch.ts";
import { batchCipher } from "./batch-cipher.ts";

/** Seals its share of a batch, with `UNDER_WAY` records under way at a time: Web Crypto works beside this thread. */

const UNDER_WAY = 32;
const NO_AAD = new Uint8Array();

addEventListener("message", ({ data }: MessageEvent<ToBatchWorker>) => void work(data));
tell("ready");

async function work(share: ToBatchWorker): Promise<void> {
  try {
    await sealShare(share);
    tell("done");
  } catch (error) {
    tell({ error: String(error) });
  }
}

async function sealShare(share: ToBatchWorker): Promise<void> {
  const cipher = await batchCipher(share.scheme, share.key);
  const [images, sealed] = [new Uint8Array(share.images), new Uint8Array(share.sealed)];
  let next = share.from;
  const line = async () => {
    while (next < share.to) {
      const record = next++;
      const { at, length, sealedAt } = recordAt(share, record);
      // Web Crypto takes no shared memory.
      sealed.set(await cipher.seal(record, NO_AAD, images.slice(at, at + length)), sealedAt);
    }
  };
  await Promise.all(Array.from({ length: UNDER_WAY }, line));
}

function tell(message: FromBatchWorker): void {
  postMessage(message);
}
