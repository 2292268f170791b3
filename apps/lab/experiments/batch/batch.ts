/** What the experiment `batch` asks of the page, and the page of its workers. */

/** Of CIFAR-10: 32 x 32 pixels of 3 bytes. */
export const IMAGE_BYTES = 3072;
/** GCM's, and that of XChaCha20-Poly1305. */
const TAG_BYTES = 16;

/** Each record under a nonce of its own, with a tag for each layer. */
export type BatchScheme = "AES-128-GCM" | "AES-256-GCM" | "AES-256-GCM, then XChaCha20-Poly1305";

export interface BatchPass {
  readonly scheme: BatchScheme;
  readonly images: number;
  /** Images that are sealed together, as one record. */
  readonly perRecord: number;
  readonly workers: number;
}

export interface BatchPassed {
  /** Milliseconds from the order to the workers to when the last has sealed its share. */
  readonly ms: number;
  /** Of the page and its workers, with the images and what came of them. */
  readonly memoryBytes: number;
}

/** AES in counter mode by a graphics processor: it authenticates nothing. Milliseconds. */
export interface GpuPassed extends BatchPassed {
  /** Of `ms`: to the adapter's memory and back. */
  readonly transferMs: number;
  /** Of `ms`: the shader's, as the adapter times it. The rest is what it costs to have it run. */
  readonly computeMs: number;
}

/** A graphics processor, as the browser names it. */
export interface Adapter {
  readonly name: string;
  /** It is a program that stands in for one. */
  readonly isSoftware: boolean;
}

export interface BatchPage {
  /** Seals `images` images of noise. Rejects where a record that is looked at does not open again. */
  batchPass(pass: BatchPass): Promise<BatchPassed>;
  /** Null: the browser gives none. */
  gpuAdapter(): Promise<Adapter | null>;
  /** Encrypts `images` images of noise. Rejects where one that is looked at is not what Web Crypto makes, or the vectors fail. */
  gpuPass(images: number, keyBits: 128 | 256): Promise<GpuPassed>;
}

/** A worker's share: `images` is read, and `sealed` written, in place. */
export interface ToBatchWorker {
  readonly scheme: BatchScheme;
  readonly perRecord: number;
  /** Of 32 bytes. */
  readonly key: Uint8Array<ArrayBuffer>;
  readonly images: SharedArrayBuffer;
  readonly sealed: SharedArrayBuffer;
  /** Records `from` to before `to`. */
  readonly from: number;
  readonly to: number;
}

export type FromBatchWorker = "ready" | "done" | { readonly error: string };

/** Where a record lies in `images` and in `sealed`. */
export function recordAt(
  { scheme, perRecord, images }: Pick<ToBatchWorker, "scheme" | "perRecord" | "images">,
  record: number,
) {
  const bytes = perRecord * IMAGE_BYTES;
  const tags = TAG_BYTES * layersOf(scheme);
  const length = Math.min(bytes, images.byteLength - record * bytes);
  return { at: record * bytes, length, sealedAt: record * (bytes + tags), sealedLength: length + tags };
}

/** Bytes of all sealed records of `images` images. */
export function sealedBytes(scheme: BatchScheme, images: number, perRecord: number): number {
  return images * IMAGE_BYTES + Math.ceil(images / perRecord) * TAG_BYTES * layersOf(scheme);
}

function layersOf(scheme: BatchScheme): number {
  return scheme.includes("then") ? 2 : 1;
}
