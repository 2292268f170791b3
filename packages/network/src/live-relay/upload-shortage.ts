/** Looks over which figures are compared: part of a key frame is always on its way. */
const WINDOW = 2;
/** Bytes: less says nothing. */
const LEAST = 16 * 1024;
const SHORT = 0.8;
/** Short looks: one alone may come just after a large picture. */
const IN_A_ROW = 2;
/** Looks without a shortage until there is none: who watches has taken less meanwhile, and tries for more. */
const FINE_FOR = 20;

/** Finds a connection over which less leaves than is written. What waits too long is left out, so it need never catch up. */
export class UploadShortage {
  readonly #looks: { readonly written: number; readonly sent: number }[] = [];
  /** In a row. */
  #short = 0;
  /** Looks since it was last found. */
  #fine = FINE_FOR;

  /** To be asked once a second. Bytes so far, of which differences count; what was sent is a little more, for what is around it. */
  examine(written: number, sent: number): boolean {
    this.#looks.push({ written, sent });
    if (this.#looks.length > WINDOW + 1) this.#looks.shift();
    this.#short = this.#isShort({ written, sent }) ? this.#short + 1 : 0;
    this.#fine = this.#short >= IN_A_ROW ? 0 : this.#fine + 1;
    return this.#fine < FINE_FOR;
  }

  #isShort({ written, sent }: { written: number; sent: number }): boolean {
    const [first] = this.#looks;
    if (first === undefined || this.#looks.length <= WINDOW) return false;
    const due = written - first.written;
    return due >= LEAST && sent - first.sent < SHORT * due;
  }
}
