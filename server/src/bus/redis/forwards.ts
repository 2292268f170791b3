import { type Down, parseDown } from "@sealcast/protocol";
import { type Clock, type Milli, milli } from "@sealcast/time";
import type { AfterJoin, FirstMessage, RoomSocket, Seat } from "../../rooms/seat.ts";
import type { LineKind, NodeLine, Wire } from "./wire.ts";

const PONG = JSON.stringify({ type: "pong" } satisfies Down);

/** Sockets of this node whose rooms are at others, each by its number. */
export class Forwards {
  readonly #clock: Clock;
  readonly #wire: () => Wire | null;
  readonly #forwards = new Map<number, Forward>();
  #numbers = 0;

  /** `wire`: null while no node can be reached. */
  constructor(clock: Clock, wire: () => Wire | null) {
    this.#clock = clock;
    this.#wire = wire;
  }

  get size(): number {
    return this.#forwards.size;
  }

  /** Asks the node for a seat. Null where it cannot be asked. */
  open(node: string, message: FirstMessage, socket: RoomSocket): Forward | null {
    const wire = this.#wire();
    if (wire === null || wire.isGone(node)) return null;
    const link = ++this.#numbers;
    const say = (kind: LineKind, text?: string) => wire.say(node, kind, link, text);
    const forward = new Forward(socket, { node, clock: this.#clock, say, ended: () => this.#forwards.delete(link) });
    this.#forwards.set(link, forward);
    say("join", `${socket.network} ${JSON.stringify(message)}`);
    return forward;
  }

  heard(from: string, { kind, links, text }: NodeLine): void {
    for (const link of links) {
      const forward = this.#forwards.get(link);
      if (forward?.node === from) forward.heard(kind, text);
    }
  }

  gone(nodes: readonly string[]): void {
    for (const forward of [...this.#forwards.values()]) if (nodes.includes(forward.node)) forward.lost();
  }

  ended(): void {
    for (const forward of [...this.#forwards.values()]) forward.lost();
  }
}

interface Options {
  readonly node: string;
  readonly clock: Clock;
  readonly say: (kind: LineKind, text?: string) => void;
  readonly ended: () => void;
}

/** A socket whose room is at another node: what it says goes there, what the room says comes back. */
export class Forward implements Seat {
  /** Whether the room's node has answered. False: the room is not there. */
  readonly opened: Promise<boolean>;
  readonly #socket: RoomSocket;
  readonly #options: Options;
  readonly #settle: (isOpen: boolean) => void;
  #isOpen = false;
  #isOver = false;
  #restsUntil: Milli;

  constructor(socket: RoomSocket, options: Options) {
    this.#socket = socket;
    this.#options = options;
    this.#restsUntil = options.clock.now();
    let settle: (isOpen: boolean) => void = () => {};
    this.opened = new Promise((done) => {
      settle = done;
    });
    this.#settle = settle;
  }

  get node(): string {
    return this.#options.node;
  }

  overdrawnFor(now: Milli): number {
    return Math.max(0, this.#restsUntil - now);
  }

  handle(message: AfterJoin): boolean {
    if (this.#isOver) return true;
    if (message.type === "ping") this.#socket.send(PONG);
    else this.#options.say("up", JSON.stringify(message));
    return true;
  }

  drop(): void {
    if (this.#isOver) return;
    this.#options.say("gone");
    this.#end(false);
  }

  heard(kind: LineKind, text: string): void {
    if (kind === "missing") return this.#end(false);
    this.#isOpen = true;
    this.#settle(true);
    if (kind === "down") return this.#socket.send(text);
    if (kind === "offer") return this.#socket.offer(text);
    if (kind === "charge") return this.#socket.charge(Number(text));
    if (kind === "rest") {
      this.#restsUntil = milli(this.#options.clock.now() + Number(text));
      return;
    }
    this.#end(true);
    if (kind === "close") return this.#socket.close();
    const fault = kind === "fault" ? parseDown(text) : null;
    if (fault?.ok && fault.value.type === "fault") this.#socket.fault(fault.value.code, fault.value.message);
    else this.#socket.restart();
  }

  /** The room's node is out of reach: its client comes again, unless it waits for a seat. */
  lost(): void {
    this.#end(this.#isOpen);
    if (this.#isOpen) this.#socket.restart();
  }

  #end(isOpen: boolean): void {
    this.#isOver = true;
    this.#options.ended();
    this.#settle(isOpen);
  }
}
