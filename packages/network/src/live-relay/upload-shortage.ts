/** Looks over which figures are compared: part of a key frame is always on its way. */
const WINDOW = 2;
/** Bytes: less says nothing. */
const LEAST = 16 * 1024;
const SHORT = 0.8;
/** Looks without a shortage until there is none: who watches has taken less meanwhile, and tries for more. */
const FINE_FOR = 20;

/** Finds a connection over which less leaves than is written. What waits too long is left out, so it need never catch up. */
export class UploadShortage {
  readonly #looks: { readonly written: number; readonly sent: number }[] = [];
  /** Looks since the last shortage. */
  #fine = FINE_FOR;

  /** To be asked once a second. Bytes since the connection began; what was sent is a little more, for what is around it. */
  examine(written: number, sent: number): boolean {
    this.#looks.push({ written, sent });
    if (this.#looks.length > WINDOW + 1) this.#looks.shift();
    const [first] = this.#looks;
    const due = first === undefined || this.#looks.length <= WINDOW ? 0 : written - first.written;
    const isShort = first !== undefined && due >= LEAST && sent - first.sent < SHORT * due;
    this.#fine = isShort ? 0 : this.#fine + 1;
    return this.#fine < FINE_FOR;
  }
}
