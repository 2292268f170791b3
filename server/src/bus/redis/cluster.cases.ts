import { setImmediate as turn } from "node:timers/promises";
import { type Down, PROTOCOL_VERSION, parseDown } from "@sealcast/protocol";
import { type Clock, ManualClock, milli } from "@sealcast/time";
import { expect } from "vitest";
import { randomId } from "../../random.ts";
import { knockKey, token } from "../../rooms/door.cases.ts";
import { nodeOf } from "../../rooms/door.ts";
import { Rooms } from "../../rooms/rooms.ts";
import type { AfterJoin, FirstMessage, Seat, Sent } from "../../rooms/seat.ts";
import { Allowance } from "../../sockets/allowance.ts";
import type { Bus } from "../bus.ts";
import { BusRedis } from "./bus-redis.ts";
import { MemoryStore } from "./memory-store.cases.ts";
import { GRACE, type Store } from "./store.ts";
import { GATHER } from "./wire.ts";

/** Of all nodes of a test. */
const secret = Buffer.alloc(32, 7);
/** As long as one. Its node has judged it. */
export const signature = `${"s".repeat(85)}w`;

/** A socket as its node sees it, with what came over it. */
export class Person {
  readonly received: Down[] = [];
  ended: "closed" | "restarted" | "faulted" | null = null;
  epoch = "";
  /** In characters: what its address was charged with besides what it said. */
  charged = 0;
  #seat: Seat | null = null;

  /** Its first message, at this node. */
  static at(bus: Bus, entry: Partial<FirstMessage> & { type: FirstMessage["type"] }, network = "192.0.2.1"): Person {
    const person = new Person();
    const socket = {
      network,
      charge: (characters: number) => {
        person.charged += characters;
      },
      send: (text: string) => person.#receive(text),
      offer: (text: string) => person.#receive(text),
      close: () => person.#end("closed"),
      restart: () => person.#end("restarted"),
      fault: (code: string, message: string) => {
        person.#receive(JSON.stringify({ type: "fault", code, message }));
        person.#end("faulted");
      },
    };
    const seat = bus.enter({ version: PROTOCOL_VERSION, signature, ...entry } as FirstMessage, socket, new Allowance());
    if (seat === null || typeof seat === "string") person.#end("faulted");
    else person.#seat = seat;
    return person;
  }

  say(message: AfterJoin): boolean {
    return this.#seat?.handle(message) ?? false;
  }

  enter(epoch: string): void {
    this.epoch = epoch;
    this.say({ type: "enter", token: token(epoch), knockKey: knockKey(epoch) });
  }

  relay(body: string): void {
    this.say({ type: "relay", body });
  }

  commit(next: string, more: Partial<Sent<"commit">> = {}): void {
    const fields = { body: "commit", welcome: null, despite: [], door: null, knockKey: knockKey(next) };
    this.say({ type: "commit", at: nodeOf(token(this.epoch)), next: nodeOf(token(next)), ...fields, ...more });
  }

  restock(at: string, next: string, body = "commit"): void {
    this.say({ type: "restock", token: token(at), next: nodeOf(token(next)), body });
  }

  fetch(at: string): void {
    this.say({ type: "fetch", token: token(at) });
  }

  /** The socket is lost. */
  drop(): void {
    this.#seat?.drop();
  }

  overdrawnFor(now: number): number {
    return this.#seat?.overdrawnFor(milli(now)) ?? 0;
  }

  get types(): string[] {
    return this.received.map(({ type }) => type);
  }

  /** What was said inside, in the order in which it came. */
  get heard(): string[] {
    return this.received.flatMap((message) => (message.type === "relayed" ? [message.body] : []));
  }

  one<T extends Down["type"]>(type: T): Extract<Down, { type: T }> {
    const found = this.received.findLast((message) => message.type === type);
    return (found as Extract<Down, { type: T }> | undefined) ?? expect.unreachable(`no ${type}: ${this.types}`);
  }

  /** As a session that resumes says where it stands. */
  get place(): { token: string; seq: number } {
    return { token: this.one("joined").token, seq: Math.max(...this.received.map((m) => ("seq" in m ? m.seq : 0))) };
  }

  #end(how: NonNullable<Person["ended"]>): void {
    this.ended ??= how;
    const seat = this.#seat;
    queueMicrotask(() => seat?.drop());
  }

  #receive(text: string): void {
    if (this.ended) return;
    const parsed = parseDown(text);
    this.received.push(parsed.ok ? parsed.value : expect.unreachable(`not a message: ${text}`));
  }
}

/** Servers that share rooms, or one that does not, as sockets use them. */
export interface Cluster {
  /** Sockets may be at any of them. */
  readonly buses: readonly Bus[];
  /** Until all that was said has arrived. */
  settle(): Promise<void>;
  /** This long passes, and what follows from it has arrived. */
  wait(ms: number): Promise<void>;
}

/** One process, all rooms in it. */
export async function localCluster(): Promise<Cluster> {
  const clock = new ManualClock();
  const bus = new Rooms({
    clock,
    randomId,
    stunPort: null,
    relay: null,
    liveRelays: null,
    turn: null,
    dropped: () => {},
  });
  const wait = async (ms: number) => void clock.advance(milli(ms));
  return { buses: [bus, bus, bus], settle: async () => {}, wait };
}

export class Node {
  readonly bus: BusRedis;
  /** Whether it could reach the others, each time that changed. */
  readonly changes: boolean[] = [];
  roomsLost = 0;
  readonly #process: Process;

  constructor(store: Store, clock: Clock) {
    const running = new Process(clock);
    this.#process = running;
    this.bus = new BusRedis({
      store: running.reaching(store),
      secret,
      clock: running,
      randomId,
      rooms: { clock: running, randomId, stunPort: null, relay: null, liveRelays: null, turn: null, dropped: () => {} },
      changed: (isConnected) => void this.changes.push(isConnected),
      roomLost: () => this.roomsLost++,
      passed: () => {},
    });
    this.bus.start();
  }

  /** From now on it alone does not reach the store. Its connection is to be cut, too. */
  cutOff(): void {
    this.#process.isCutOff = true;
  }

  rejoin(): void {
    this.#process.isCutOff = false;
  }

  /** From now on its process does not run, as one that swaps or is stopped: time goes on. */
  stop(): void {
    this.#process.stop();
  }

  /** It runs again: timers that were due first, then what came meanwhile. */
  goOn(): void {
    this.#process.goOn();
  }
}

/** A process that can be stopped: its clock, and what comes from outside. */
export class Process implements Clock {
  readonly #clock: Clock;
  #due: (() => void)[] = [];
  #came: (() => void)[] = [];
  #isStopped = false;
  isCutOff = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now() {
    return this.#clock.now();
  }

  after(delay: Parameters<Clock["after"]>[0], task: () => void) {
    let isCancelled = false;
    const run = () => {
      if (!isCancelled) task();
    };
    const stop = this.#clock.after(delay, () => (this.#isStopped ? void this.#due.push(run) : run()));
    return () => {
      isCancelled = true;
      stop();
    };
  }

  stop(): void {
    this.#isStopped = true;
  }

  goOn(): void {
    this.#isStopped = false;
    for (const run of this.#due.splice(0)) run();
    for (const run of this.#came.splice(0)) run();
  }

  /** The store, whose answers this process reads while it runs. */
  reaching(store: Store): Store {
    const read = (task: () => void) => (this.#isStopped ? void this.#came.push(task) : task());
    const answer = <T>(asked: Promise<T>) =>
      new Promise<T>(
        (done, fail) =>
          void asked.then(
            (value) => read(() => done(value)),
            (why) => read(() => fail(why)),
          ),
      );
    return {
      open: async (node, events) => {
        if (this.isCutOff) throw new Error("the store is out of reach");
        const received = (bytes: Buffer) => read(() => events.received(bytes));
        const session = await answer(store.open(node, { received, lost: () => read(() => events.lost()) }));
        return {
          renew: (peers) => answer(session.renew(peers)),
          claim: (names, former) => answer(session.claim(names, former)),
          release: (names) => answer(session.release(names)),
          publish: (to, bytes) => answer(session.publish(to, bytes)),
          leave: () => answer(session.leave()),
          close: () => session.close(),
        };
      },
    };
  }
}

const [SETTLE_TURNS, SETTLE_MS] = [12, 3 * GATHER];

/** Nodes over a store in memory, and by one clock. */
export async function memoryCluster(size = 3) {
  const clock = new ManualClock();
  const memory = new MemoryStore(clock);
  const nodes = Array.from({ length: size }, () => new Node(memory.store, clock));
  /** What is said soon after something else waits a little: there, at the room's node, and on its way back. */
  const settle = async () => {
    for (let turns = 0; turns < SETTLE_TURNS; turns++) {
      await turn();
      if (turns % 4 === 3) clock.advance(milli(SETTLE_MS / 3));
    }
    for (let turns = 0; turns < 4; turns++) await turn();
  };
  const wait = async (ms: number) => {
    for (let left = ms; left > 0; left -= 50) {
      clock.advance(milli(Math.max(0, Math.min(50, left) - SETTLE_MS)));
      await settle();
    }
  };
  await settle();
  // Nobody had anything before.
  await wait(GRACE + 500);
  return { memory, clock, nodes, buses: nodes.map(({ bus }) => bus), settle, wait };
}
