const MIB = 1024 * 1024;
/** In bytes that wait for the network, in all sockets together. */
const MAX_TOTAL = 256 * MIB;

/** A socket as the backlog sees it. */
export interface Waiting {
  /** Bytes not yet taken by the network. */
  readonly backlog: number;
  /** Ends the socket: its backlog is given up. */
  giveUp(): void;
}

/** What waits for the network in all sockets. Past a total, those with most are given up, until a quarter is free again. */
export class Backlog {
  readonly #max: number;
  /** As each was when something was last sent to it. */
  readonly #known = new Map<Waiting, number>();
  #total = 0;

  constructor(max = MAX_TOTAL) {
    this.#max = max;
  }

  /** To be called before something is sent: what is sent in one task shows as waiting until its end. */
  note(socket: Waiting): void {
    this.#set(socket, socket.backlog);
    if (this.#total <= this.#max) return;
    for (const known of [...this.#known.keys()]) this.#set(known, known.backlog);
    if (this.#total <= this.#max) return;
    const most = [...this.#known].sort(([, a], [, b]) => b - a);
    for (const [known] of most) {
      if (this.#total <= 0.75 * this.#max) return;
      this.forget(known);
      known.giveUp();
    }
  }

  /** The socket is gone. */
  forget(socket: Waiting): void {
    this.#set(socket, 0);
  }

  #set(socket: Waiting, bytes: number): void {
    this.#total += bytes - (this.#known.get(socket) ?? 0);
    if (bytes > 0) this.#known.set(socket, bytes);
    else this.#known.delete(socket);
  }
}
