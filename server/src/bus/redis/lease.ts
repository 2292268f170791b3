import { type Cancel, type Clock, dropOldest, type Milli, milli } from "@sealcast/time";
import { LEASE, OPEN_LATER, type Store, type StoreSession, TO_OPEN } from "./store.ts";

/** From a renewal to the next. */
const RENEW_EVERY = milli(500);
/** For the store to answer a renewal. */
const TO_ANSWER = milli(700);
/** Before a session is opened once more, unless the store is away. */
const OPEN_AGAIN = milli(250);
/** What a timer may be late by: past that this process did not run, and what came meanwhile is not read yet. */
const MAX_LATE = 300;
/** How many answers in a row have to be missing. */
const MISSING = 2;
/** From one look at all names to the next. */
const SWEEP_EVERY = milli(5_000);
/** How many names are asked for at once. */
const CHUNK = 200;
/** How many of the names that it tried since may have a lease that holds: it opens no more sessions in that time. */
const MAX_TRIED = 16;
/** Names that are known to be other nodes'. */
const MAX_ELSEWHERE = 10_000;
/** Between two tries to have a name, and for how long it is tried: longer than the time of grace. */
const CLAIM_AGAIN = milli(200);
const TO_CLAIM = milli(6_000);

/** Where the room of a name is. */
export type RoomPlace = { readonly is: "here" } | { readonly is: "there"; readonly node: string };
const here: RoomPlace = { is: "here" };

interface Options {
  readonly store: Store;
  readonly clock: Clock;
  /** Names this node, each time it has lost its lease. */
  readonly randomId: () => string;
  readonly received: (bytes: Buffer) => void;
  /** These nodes are no more, or what they were sent is lost. */
  readonly gone: (nodes: readonly string[]) => void;
  /** Other nodes can be reached, and reach this one by this name. */
  readonly entered: (node: string, session: StoreSession) => void;
  /** They cannot, and never will by this name. */
  readonly ended: () => void;
  /** Another node has this name. */
  readonly lost: (name: string) => void;
  /** That node has this name, which is wanted here: said at each look. */
  readonly elsewhere: (name: string, node: string) => void;
  /** Every name that this node is to have. */
  readonly wanted: () => Iterable<string>;
  /** The nodes of whose end it wants to know. */
  readonly peers: () => readonly string[];
}

/**
 * [Note: Who orders] A room's messages have one order, so one node has its names. A node has them while its lease holds: for 2 s
 * after it asked for the renewal that was answered last, by its own clock. Past that it orders nothing (`isSure`), until the store has
 * said once more that the names are its own; what others took meanwhile it closes. A process that was stopped finds its lease
 * over by the clock before it reads anything.
 *
 * Where the store itself is away, nobody can take a name. That is found by two answers in a row that are missing while this
 * process runs. Then a node goes on alone, with the rooms that it has and those who are connected to it.
 */
export class Lease {
  readonly #options: Options;
  readonly #held = new Set<string>();
  /** Held, and not wanted at the last look. */
  #idle = new Set<string>();
  /** Other nodes' when the store said so last, the latest last. */
  readonly #elsewhere = new Set<string>();
  /** While the store is asked: what was given up since, of which its answers say nothing. */
  readonly #asking = new Set<Set<string>>();
  #node: string;
  /** Names under which it tried to get in since: each may have got some of what it holds. */
  readonly #tried = new Set<string>();
  #session: StoreSession | null = null;
  #validUntil: Milli;
  /** The store is away. */
  #isAlone = false;
  #isClosed = false;
  #missing = 0;
  readonly #waiting: (() => void)[] = [];
  #stopTimer: Cancel = () => {};
  #stopSweep: Cancel = () => {};

  constructor(options: Options) {
    this.#options = options;
    this.#node = options.randomId();
    this.#validUntil = options.clock.now();
  }

  /** Whether other nodes can be reached. */
  get isConnected(): boolean {
    return this.#session !== null;
  }

  /** Whether this node may order what is said in the rooms that it has (see [Note: Who orders]). */
  get isSure(): boolean {
    return this.#isAlone || this.#options.clock.now() < this.#validUntil;
  }

  /** Runs `task` as soon as it may order: at once, where it may. */
  whenSure(task: () => void): void {
    if (this.isSure) task();
    else this.#waiting.push(task);
  }

  /** Done as soon as it may order. */
  sure(): Promise<void> {
    return new Promise((done) => this.whenSure(done));
  }

  holds(name: string): boolean {
    return this.#held.has(name);
  }

  start(): void {
    this.#open();
    this.#stopSweep = this.#options.clock.after(SWEEP_EVERY, () => this.#sweepLater());
  }

  /** Gives up all names: others may have them at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer();
    this.#stopSweep();
    const session = this.#session;
    this.#session = null;
    const held = [...this.#held];
    this.#held.clear();
    try {
      for (const names of chunks(held)) await session?.release(names);
      await session?.leave();
    } catch {
      session?.close();
    }
  }

  /** Where the name's room is: here, where no other node has it. Null: that cannot be known now, as while the store is away. */
  claim(name: string): RoomPlace | Promise<RoomPlace | null> {
    return this.#held.has(name) ? here : this.#claim(name);
  }

  /** Whether the store is away: this node goes on with what it has. */
  get isAlone(): boolean {
    return this.#isAlone;
  }

  /** A name that nobody is known to have had yet is this node's, though the store is away: it is claimed when that is back. */
  assume(name: string): void {
    if (!this.#elsewhere.has(name)) this.#held.add(name);
  }

  /** What was sent to this node, or by it, is lost: it is no more, and another one has its names. */
  rename(): void {
    if (this.#session !== null) this.#over();
  }

  /** Others may have these names from now on. */
  giveUp(names: readonly string[]): Promise<void> {
    for (const name of names) {
      this.#held.delete(name);
      for (const givenUp of this.#asking) givenUp.add(name);
    }
    // Where the session is lost meanwhile, so is this node's name, and what that had.
    return this.#session?.release(names).catch(() => undefined) ?? Promise.resolve();
  }

  async #claim(name: string): Promise<RoomPlace | null> {
    const { clock } = this.#options;
    const deadline = clock.now() + TO_CLAIM;
    for (;;) {
      const owner = await this.#ask(name);
      if (owner === this.#node) return here;
      if (owner !== null) return { is: "there", node: owner };
      if (this.#isClosed || this.#isAlone || clock.now() >= deadline) return null;
      await new Promise<void>((done) => void clock.after(CLAIM_AGAIN, done));
    }
  }

  /** The name's node; null where the store does not say. */
  async #ask(name: string): Promise<string | null> {
    const session = this.#session;
    if (session === null) return null;
    try {
      const owners = await this.#whileAsking((givenUp) => this.#askFor(session, [name], givenUp));
      return owners?.[0] ?? null;
    } catch {
      return null;
    }
  }

  /** `givenUp`: what is given up meanwhile. */
  async #whileAsking<T>(task: (givenUp: ReadonlySet<string>) => Promise<T>): Promise<T> {
    const givenUp = new Set<string>();
    this.#asking.add(givenUp);
    try {
      return await task(givenUp);
    } finally {
      this.#asking.delete(givenUp);
    }
  }

  /** The names' nodes. What the store gave this one is held from now on. Null: the session has ended. */
  async #askFor(
    session: StoreSession,
    names: readonly string[],
    givenUp: ReadonlySet<string>,
  ): Promise<readonly (string | null)[] | null> {
    const claimed = await session.claim(names, []);
    if (session !== this.#session) return null;
    const owners = claimed.map((owner, i) => (givenUp.has(names[i] ?? "") ? null : owner));
    for (const [i, name] of names.entries()) this.#note(name, owners[i] ?? null);
    dropOldest(this.#elsewhere, MAX_ELSEWHERE);
    return owners;
  }

  #note(name: string, owner: string | null): void {
    if (owner !== null) this.#elsewhere.delete(name);
    if (owner === this.#node) this.#held.add(name);
    else if (owner !== null) this.#elsewhere.add(name);
  }

  #open(): void {
    const { clock, store, randomId, received } = this.#options;
    const early: Buffer[] = [];
    const node = randomId();
    const since = clock.now();
    let isOver = false;
    const fail = () => {
      if (isOver) return;
      isOver = true;
      this.#openAgain(clock.now() - since > TO_OPEN + MAX_LATE);
    };
    const isLate = () => isOver || this.#isClosed;
    const stop = clock.after(milli(TO_OPEN), fail);
    const lost = () => {
      if (!isOver) return fail();
      if (this.#session !== null && this.#node === node) this.#over();
    };
    const opened = store.open(node, { received: (bytes) => (isOver ? received(bytes) : early.push(bytes)), lost });
    this.#enter({ node, isLate, opened }).then(
      (entry) => {
        stop();
        if (isLate()) return this.#abandon(entry.session);
        isOver = true;
        this.#entered(node, entry, since);
        for (const bytes of early) received(bytes);
      },
      () => {
        stop();
        fail();
      },
    );
  }

  /** What this node had, it has under its new name, unless another one took it meanwhile. */
  async #enter({ node, opened, isLate }: Entering): Promise<Entry> {
    const session = await opened;
    const lost: string[] = [];
    if (isLate()) return { session, lost };
    // The store knows what it had by its last name for much longer than a lease.
    const former = [this.#node, ...this.#tried];
    this.#tried.add(node);
    dropOldest(this.#tried, MAX_TRIED);
    try {
      await session.renew([]);
      for (const names of chunks([...this.#held])) {
        if (isLate()) break;
        const owners = await session.claim(names, former);
        // What another node had last is nobody's for a while. Or is all of it, since this one has no lease any more?
        if (owners.includes(null) && !(await session.renew([])).had) throw new Error("the lease ran out meanwhile");
        lost.push(...names.filter((_, i) => owners[i] !== node));
      }
      return { session, lost };
    } catch (cause) {
      this.#abandon(session);
      throw cause;
    }
  }

  /** This node is not let in by that name: others may have at once what it got, where the store answers. */
  #abandon(session: StoreSession): void {
    const stop = this.#options.clock.after(TO_ANSWER, () => session.close());
    const close = () => {
      stop();
      session.close();
    };
    session.leave().then(close, close);
  }

  #entered(node: string, { session, lost }: Entry, since: Milli): void {
    this.#node = node;
    this.#tried.clear();
    this.#session = session;
    this.#isAlone = false;
    this.#missing = 0;
    this.#options.entered(node, session);
    // Before what waits is ordered.
    this.#lose(lost);
    this.#extend(since);
    this.#renew();
  }

  #openAgain(wasStopped: boolean): void {
    if (this.#isClosed) return;
    if (!wasStopped && ++this.#missing >= MISSING) this.#goOnAlone();
    this.#stopTimer = this.#options.clock.after(this.#isAlone ? milli(OPEN_LATER) : OPEN_AGAIN, () => this.#open());
  }

  #renew(): void {
    const { clock, peers, gone } = this.#options;
    const session = this.#session;
    if (session === null) return;
    const since = clock.now();
    this.#stopTimer = clock.after(TO_ANSWER, () => this.#unanswered(session, clock.now() - since));
    session.renew(peers()).then(
      (renewed) => {
        if (session !== this.#session) return;
        this.#stopTimer();
        if (!renewed.had) return this.#expired();
        this.#missing = 0;
        this.#extend(since);
        if (renewed.gone.length > 0) gone(renewed.gone);
        this.#stopTimer = clock.after(RENEW_EVERY, () => this.#renew());
      },
      // Its session is lost, which is heard of.
      () => undefined,
    );
  }

  #unanswered(session: StoreSession, after: number): void {
    if (session !== this.#session) return;
    if (after <= TO_ANSWER + MAX_LATE) this.#missing++;
    if (this.#missing < MISSING) return this.#renew();
    this.#over();
    this.#goOnAlone();
  }

  /** The lease had run out: what this node had may be others' by now. */
  #expired(): void {
    this.#validUntil = this.#options.clock.now();
    this.#over();
  }

  /** The session is over, and this node's name with it. */
  #over(): void {
    const session = this.#session;
    this.#session = null;
    this.#missing = 0;
    this.#stopTimer();
    session?.close();
    this.#options.ended();
    if (!this.#isClosed) this.#open();
  }

  #goOnAlone(): void {
    this.#isAlone = true;
    this.#runWaiting();
  }

  #extend(since: Milli): void {
    this.#validUntil = milli(Math.max(this.#validUntil, since + LEASE));
    if (this.isSure) this.#runWaiting();
  }

  #runWaiting(): void {
    for (const task of this.#waiting.splice(0)) this.whenSure(task);
  }

  #sweepLater(): void {
    this.#sweep()
      // The next look makes up for one that is broken off.
      .catch(() => undefined)
      .finally(() => {
        if (!this.#isClosed) this.#stopSweep = this.#options.clock.after(SWEEP_EVERY, () => this.#sweepLater());
      });
  }

  /** Renews names, claims those that are wanted and were another's, and gives up those that were not wanted twice. */
  async #sweep(): Promise<void> {
    const session = this.#session;
    if (session === null) return;
    const wanted = new Set(this.#options.wanted());
    const unwanted = [...this.#held].filter((name) => !wanted.has(name));
    for (const name of this.#held) wanted.add(name);
    if (!(await this.#whileAsking((givenUp) => this.#look(session, [...wanted], givenUp)))) return;
    const wantedNow = new Set(this.#options.wanted());
    const idle = unwanted.filter((name) => this.#idle.has(name) && !wantedNow.has(name));
    this.#idle = new Set(unwanted);
    await this.giveUp(idle);
  }

  /** False: the session has ended. */
  async #look(session: StoreSession, wanted: readonly string[], givenUp: ReadonlySet<string>): Promise<boolean> {
    for (const chunk of chunks(wanted)) {
      const names = chunk.filter((name) => !givenUp.has(name));
      const owners = await this.#askFor(session, names, givenUp);
      if (owners === null) return false;
      const others = names.flatMap((name, i) => {
        const node = owners[i] ?? null;
        return node === null || node === this.#node ? [] : [{ name, node }];
      });
      this.#lose(others.flatMap(({ name }) => (this.#held.has(name) ? [name] : [])));
      for (const { name, node } of others) this.#options.elsewhere(name, node);
    }
    return true;
  }

  #lose(names: readonly string[]): void {
    for (const name of names) {
      this.#held.delete(name);
      this.#elsewhere.add(name);
      this.#options.lost(name);
    }
  }
}

interface Entering {
  readonly node: string;
  readonly isLate: () => boolean;
  readonly opened: Promise<StoreSession>;
}

interface Entry {
  readonly session: StoreSession;
  /** What another node took meanwhile. */
  readonly lost: readonly string[];
}

function* chunks(names: readonly string[]): Iterable<readonly string[]> {
  for (let i = 0; i < names.length; i += CHUNK) yield names.slice(i, i + CHUNK);
}
