/** Bytes are nothing that may stand there. Parsers catch it at their boundary. */
export class Malformed extends Error {
  override readonly name: string = "Malformed";
}

/** Bytes ended before what they were said to hold. */
export class OutOfBytes extends Malformed {
  override readonly name = "OutOfBytes";
}

/** Reads big-endian integers and byte ranges in order, never past the end: every read may throw OutOfBytes. */
export class Cursor {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Bytes not read yet. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#advance(2));
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4));
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#advance(8));
  }

  /** The next `length` bytes: a view, not a copy. */
  bytes(length: number): Uint8Array {
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** All bytes not read yet: a view, not a copy. */
  rest(): Uint8Array {
    return this.bytes(this.left);
  }

  #advance(length: number): number {
    if (!(length >= 0 && length <= this.left)) throw new OutOfBytes(`${length} bytes wanted, ${this.left} left`);
    const start = this.#at;
    this.#at += length;
    return start;
  }
}
