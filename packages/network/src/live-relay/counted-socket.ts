type Handler<Event> = ((event: Event) => void) | null;

/** A WebSocket as the relay's client takes one, which knows how much has left it. */
export class CountedSocket {
  readonly binaryType = "arraybuffer";
  onopen: Handler<unknown> = null;
  onmessage: Handler<{ data: unknown }> = null;
  onerror: Handler<unknown> = null;
  onclose: Handler<{ code?: number; reason?: string }> = null;
  readonly #socket: WebSocket;
  #given = 0;

  constructor(url: URL, protocol: string) {
    const socket = new WebSocket(url, [protocol]);
    socket.binaryType = this.binaryType;
    socket.onopen = (event) => this.onopen?.(event);
    socket.onmessage = (event) => this.onmessage?.(event);
    socket.onerror = (event) => this.onerror?.(event);
    socket.onclose = (event) => this.onclose?.(event);
    this.#socket = socket;
  }

  /** Bytes, of messages alone. */
  get sent(): number {
    return this.#given - this.#socket.bufferedAmount;
  }

  get url(): string {
    return this.#socket.url;
  }

  get bufferedAmount(): number {
    return this.#socket.bufferedAmount;
  }

  get readyState(): number {
    return this.#socket.readyState;
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  get extensions(): string {
    return this.#socket.extensions;
  }

  send(message: Uint8Array<ArrayBuffer>): void {
    this.#given += message.byteLength;
    this.#socket.send(message);
  }

  close(code?: number, reason?: string): void {
    this.#socket.close(code, reason);
  }
}
