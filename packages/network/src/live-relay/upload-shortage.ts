/** Looks over which figures are compared: part of a key frame is always on its way. */
const WINDOW = 4;
/** Bytes: less says nothing. */
const LEAST = 32 * 1024;
const SHORT = 0.8;

/** Finds a connection over which less leaves than is written. What waits too long is left out, so it need never catch up. */
export class UploadShortage {
  readonly #looks: { readonly written: number; readonly sent: number }[] = [];

  /** To be asked once a second. Bytes since the connection began; what was sent is a little more, for what is around it. */
  examine(written: number, sent: number): boolean {
    this.#looks.push({ written, sent });
    if (this.#looks.length > WINDOW + 1) this.#looks.shift();
    const [first] = this.#looks;
    if (first === undefined || this.#looks.length <= WINDOW) return false;
    const due = written - first.written;
    return due >= LEAST && sent - first.sent < SHORT * due;
  }
}
