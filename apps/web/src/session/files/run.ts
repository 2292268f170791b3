import { sealedFileChunkBytes } from "@sealcast/media";
import { type FilePart, PART_BYTES } from "@sealcast/network";

/** Chunks of a file that were asked for over one link, as they come: each part is the next one, and as long as it has to be. */
export class Run {
  readonly #size: number;
  #chunk: number;
  #part = 0;
  #upTo: number;
  #sealed: Uint8Array<ArrayBuffer> | null = null;

  constructor(size: number, next: number, upTo: number) {
    this.#size = size;
    this.#chunk = next;
    this.#upTo = upTo;
  }

  /** The first chunk that was not asked for. */
  get upTo(): number {
    return this.#upTo;
  }

  extend(upTo: number): void {
    this.#upTo = upTo;
  }

  /** The sealed chunk that this part ends; "more" while it has more parts; null: it must not come. */
  take({ chunk, part, bytes }: FilePart): { chunk: number; sealed: ArrayBuffer } | "more" | null {
    if (chunk !== this.#chunk || part !== this.#part || chunk >= this.#upTo) return null;
    const length = sealedFileChunkBytes(this.#size, chunk);
    const at = part * PART_BYTES;
    if (bytes.length !== Math.min(PART_BYTES, length - at)) return null;
    this.#sealed ??= new Uint8Array(length);
    this.#sealed.set(bytes, at);
    this.#part++;
    return at + bytes.length < length ? "more" : this.#whole(this.#sealed);
  }

  #whole(sealed: Uint8Array<ArrayBuffer>): { chunk: number; sealed: ArrayBuffer } {
    const chunk = this.#chunk++;
    this.#part = 0;
    this.#sealed = null;
    return { chunk, sealed: sealed.buffer };
  }
}
