import type { Clock } from "@sealcast/time";
import { GRACE, LEASE, NAME_KEPT, type Store, type StoreEvents, type StoreSession } from "./store.ts";

interface Timed {
  readonly value: string;
  readonly until: number;
}

interface Opened {
  readonly events: StoreEvents;
  /** Each ends what is asked and was not answered. */
  readonly unanswered: Set<(why: Error) => void>;
  isOver: boolean;
}

/** What a Redis does for several nodes, by a test's clock. It can be away, and it can be silent. */
export class MemoryStore {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Timed>();
  readonly #open = new Map<string, Opened>();
  /** Unanswered while it is silent. */
  #held: (() => void)[] | null = null;
  isAway = false;
  /** All that it was ever given, as text. */
  readonly seen: string[] = [];
  /** What its nodes publish, before it arrives: a test may change, repeat or drop it. */
  onPublish: (to: string, bytes: Buffer) => readonly Buffer[] = (_to, bytes) => [bytes];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The same store for each node. */
  get store(): Store {
    return { open: (node, events) => this.#openAs(node, events) };
  }

  /** All connections end, and none is made. Unless `keeps`, nothing is left of what it had. */
  goAway({ keeps = false } = {}): void {
    this.isAway = true;
    if (!keeps) this.#kept.clear();
    for (const node of [...this.#open.keys()]) this.cut(node);
  }

  comeBack(): void {
    this.isAway = false;
  }

  /** From now on it answers nobody, as a process that is stopped. */
  hang(): void {
    this.#held ??= [];
  }

  /** It answers again, what was asked meanwhile too. */
  goOn(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const answer of held) answer();
  }

  /** This node's connection ends. */
  cut(node: string): void {
    const opened = this.#open.get(node);
    this.#open.delete(node);
    if (!opened || opened.isOver) return;
    end(opened);
    opened.events.lost();
  }

  /** Who has access to it may publish. */
  inject(to: string, bytes: Buffer): void {
    this.#open.get(to)?.events.received(bytes);
  }

  get nodes(): string[] {
    return [...this.#open.keys()];
  }

  async #openAs(node: string, events: StoreEvents): Promise<StoreSession> {
    await this.#answering();
    if (this.isAway) throw new Error("the store is away");
    const opened: Opened = { events, unanswered: new Set(), isOver: false };
    this.#open.set(node, opened);
    return this.#session(node, opened);
  }

  #session(node: string, opened: Opened): StoreSession {
    const ask = <T>(answer: () => T): Promise<T> =>
      new Promise((done, fail) => {
        opened.unanswered.add(fail);
        void this.#answering().then(() => {
          opened.unanswered.delete(fail);
          if (opened.isOver) fail(new Error("the session is over"));
          else done(answer());
        });
      });
    const close = () => {
      end(opened);
      if (this.#open.get(node) === opened) this.#open.delete(node);
    };
    return {
      renew: (peers) =>
        ask(() => {
          if (!this.#set("renewed", "1", LEASE)) this.#set("grace", "1", GRACE);
          const had = this.#set(`node:${node}`, "1", LEASE);
          return { had, gone: peers.filter((peer) => !this.#get(`node:${peer}`) || !this.#open.has(peer)) };
        }),
      claim: (names, former) => ask(() => names.map((name) => this.#claim(node, name, former))),
      release: (names) =>
        ask(() => {
          for (const name of names) if (this.#get(`name:${name}`) === node) this.#kept.delete(`name:${name}`);
        }),
      publish: (to, bytes) =>
        ask(() => {
          this.seen.push(bytes.toString("latin1"));
          const receiver = this.#open.get(to);
          for (const one of this.onPublish(to, bytes)) receiver?.events.received(one);
          return receiver !== undefined;
        }),
      leave: () =>
        ask(() => {
          this.#kept.delete(`node:${node}`);
          close();
        }),
      close,
    };
  }

  #claim(node: string, name: string, former: readonly string[]): string | null {
    this.seen.push(name);
    const has = this.#get(`name:${name}`);
    const isOwn = has !== null && [node, ...former].includes(has);
    if (has && !isOwn && this.#get(`node:${has}`)) return has;
    const isGrace = !isOwn && (has !== null || former.length === 0) && this.#get("grace") !== null;
    if (!this.#get(`node:${node}`) || isGrace) return null;
    this.#set(`name:${name}`, node, NAME_KEPT);
    return node;
  }

  #get(key: string): string | null {
    const kept = this.#kept.get(key);
    return kept && kept.until > this.#clock.now() ? kept.value : null;
  }

  /** Whether it was there. */
  #set(key: string, value: string, life: number): boolean {
    const was = this.#get(key) !== null;
    this.#kept.set(key, { value, until: this.#clock.now() + life });
    return was;
  }

  async #answering(): Promise<void> {
    if (this.#held) await new Promise<void>((done) => this.#held?.push(done));
  }
}

/** What is asked of this session, and is not answered yet, never will be. */
function end(opened: Opened): void {
  opened.isOver = true;
  for (const fail of opened.unanswered) fail(new Error("the session is over"));
}
