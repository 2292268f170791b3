import { importBaseKey, random } from "@sealcast/crypto";
import { ChunkPool } from "@sealcast/media";
import gcmUrl from "@sealcast/media/chunk-worker?worker&url";
import type { Cipher, SealPass } from "../../src/shared/lab.ts";

type Payload = ArrayBuffer | SharedArrayBuffer;
type Plan = Awaited<ChunkPool["plan"]>;

const spawn: Record<Cipher, () => Worker> = {
  "AES-256-GCM": () => new Worker(gcmUrl, { type: "module" }),
  "AES-256-CTR": () => new Worker(new URL("./ctr.worker.ts", import.meta.url), { type: "module" }),
};
/** Payloads on their way at a time: enough that no worker ever waits for the page to think of the next. */
const AT_A_TIME = { raw: 4, encoded: 32 };

/** The pools that passes run on, one for each cipher and number of threads, all with the same plan. */
export class Arms {
  readonly plan: Promise<Plan>;
  readonly #baseKey: Promise<CryptoKey>;
  readonly #pools = new Map<string, ChunkPool>();

  constructor() {
    this.#baseKey = importBaseKey(random(32));
    this.plan = this.#measure();
  }

  /** See LabPage. */
  async pass(payloads: readonly Payload[], { cipher, threads, frames, bytes }: SealPass): Promise<[number, number]> {
    const pool = await this.#pool(cipher, threads, payloads);
    const since = performance.now();
    const sealed = await sealAll(pool, payloads, bytes, AT_A_TIME[frames]);
    return [performance.now() - since, sealed];
  }

  async #pool(cipher: Cipher, threads: number, payloads: readonly Payload[]): Promise<ChunkPool> {
    const name = `${cipher} ${threads}`;
    const known = this.#pools.get(name);
    if (known !== undefined) return known;
    const size = { least: threads, most: threads };
    const pool = new ChunkPool(spawn[cipher], await this.#baseKey, { size, plan: await this.plan });
    this.#pools.set(name, pool);
    await prove(pool, payloads);
    return pool;
  }

  async #measure(): Promise<Plan> {
    const pool = new ChunkPool(spawn["AES-256-GCM"], await this.#baseKey);
    const plan = await pool.plan;
    pool.close();
    return plan;
  }
}

/** Seals payload after payload until this many bytes are sealed, and returns how many there were. */
async function sealAll(pool: ChunkPool, payloads: readonly Payload[], bytes: number, atATime: number): Promise<number> {
  let sealed = 0;
  let next = 0;
  const line = async () => {
    while (sealed < bytes) {
      const payload = payloads[next++ % payloads.length];
      if (payload === undefined) throw new Error("there is nothing to seal");
      sealed += payload.byteLength;
      await pool.seal(payload);
    }
  };
  await Promise.all(Array.from({ length: atATime }, line));
  return sealed;
}

/** What an arm seals opens again, byte for byte. */
async function prove(pool: ChunkPool, payloads: readonly Payload[]): Promise<void> {
  for (const payload of payloads) {
    const opened = await pool.open(await pool.seal(payload));
    const original = new Uint8Array(payload);
    const same = opened?.byteLength === payload.byteLength && new Uint8Array(opened).every((b, i) => b === original[i]);
    if (!same) throw new Error("a payload did not come back as it was");
  }
}
