import { type Cancel, type Clock, type Milli, milli } from "@sealcast/time";
import type { Change, Group, PendingCommit } from "./group.ts";
import type { Applicant } from "./key-package.ts";
import type { Roster } from "./roster.ts";

/** The k-th connected leaf waits k times this long, so an absent first one blocks nobody. */
const TURN = milli(300);
/** After a change, others that come close behind go together. */
const BATCH = milli(200);
const BETWEEN_JOINS = milli(1000);
/** Who was just let in may have knocked once more before its Welcome arrived. */
const SETTLING = milli(5000);
/** A knock is for a member that is still waiting: it knocks again every few seconds. */
const KNOCK_LIFE = milli(30_000);
const MAX_KNOCKS = 64;
/** Keeps a commit and its Welcome, with the tree of a full room inside, under the server's limit. */
const MAX_ADDS = 8;
const MAX_MEMBERS = 50;

interface Knock {
  readonly applicant: Applicant;
  /** What the server calls whoever knocked. */
  readonly from: string;
  readonly at: Milli;
}

/** A commit on its way to the server, and who its Welcome is for. */
export interface Proposed {
  readonly pending: PendingCommit;
  readonly welcomes: string[];
}

/** Decides when this member commits, and what: one commit at a time, and only its identical bytes for one epoch. */
export class Committer {
  readonly #clock: Clock;
  readonly #roster: Roster;
  readonly #commit: () => void;
  readonly #knocks = new Map<string, Knock>();
  /** Who was let in lately: by what the server calls them. */
  readonly #letIn = new Map<string, Milli>();
  #proposed: Proposed | null = null;
  #cancelPlan: Cancel | null = null;
  #wantedSince: Milli | null = null;
  #batchUntil = milli(0);
  #nextJoin = milli(0);

  /** `commit` is called when it is this member's turn. */
  constructor(clock: Clock, roster: Roster, commit: () => void) {
    this.#clock = clock;
    this.#roster = roster;
    this.#commit = commit;
  }

  /** The commit that is with the server and neither ordered nor overtaken. */
  get proposed(): Proposed | null {
    return this.#proposed;
  }

  /** Somebody asks to be let in. Their newest key package counts. */
  knocked(applicant: Applicant, from: string): void {
    const now = this.#clock.now();
    const letIn = this.#letIn.get(from);
    if (letIn !== undefined && now - letIn < SETTLING) return;
    this.#knocks.delete(applicant.seat);
    if (this.#knocks.size < MAX_KNOCKS) this.#knocks.set(applicant.seat, { applicant, from, at: now });
  }

  /** Looks at what the group needs and waits for this member's turn to commit it. */
  plan(group: Group): void {
    this.#cancelPlan?.();
    this.#cancelPlan = null;
    const { add, remove } = this.#wanted(group);
    if (add.length + remove.length === 0) this.#wantedSince = null;
    if (this.#proposed !== null || add.length + remove.length === 0) return;
    const now = this.#clock.now();
    this.#wantedSince ??= now;
    const notBefore = Math.max(this.#batchUntil, this.#roster.departed().length > 0 ? 0 : this.#nextJoin);
    const turn = this.#roster.rank(group.leaf, new Set(remove)) * TURN;
    const delay = milli(Math.max(0, Math.max(this.#wantedSince, notBefore) + turn - now));
    this.#cancelPlan = this.#clock.after(delay, this.#commit);
  }

  /** Makes the commit for what is wanted now. Null: nothing is, one is on its way, or it could not be made. */
  async propose(group: Group): Promise<Proposed | null> {
    const { add, remove } = this.#wanted(group);
    if (this.#proposed !== null || add.length + remove.length === 0) return null;
    try {
      const pending = await group.commit({ add: add.map(({ applicant }) => applicant.keyPackage), remove });
      this.#proposed = { pending, welcomes: add.map(({ from }) => from) };
      return this.#proposed;
    } catch {
      // A key package that spoils the commit must not spoil the next one as well. Who still wants in knocks again.
      for (const { applicant } of add) this.#knocks.delete(applicant.seat);
      return null;
    }
  }

  /** The group has entered an epoch, by this change or (null) as a newcomer. */
  entered(change: Change | null): void {
    const now = this.#clock.now();
    this.#proposed = null;
    this.#wantedSince = null;
    this.#batchUntil = milli(now + BATCH);
    for (const [from, at] of this.#letIn) if (now - at >= SETTLING) this.#letIn.delete(from);
    for (const { identity, seat } of change?.added ?? []) {
      this.#nextJoin = milli(now + BETWEEN_JOINS);
      const knock = this.#knocks.get(identity + seat);
      if (knock !== undefined) this.#letIn.set(knock.from, now);
      this.#knocks.delete(identity + seat);
    }
  }

  /** This member's group is gone. */
  reset(): void {
    this.close();
    this.#knocks.clear();
    this.#letIn.clear();
    this.#proposed = null;
    this.#wantedSince = null;
  }

  close(): void {
    this.#cancelPlan?.();
    this.#cancelPlan = null;
  }

  #wanted(group: Group): { add: Knock[]; remove: number[] } {
    const members = group.members;
    const remove = new Set(this.#roster.departed());
    const add: Knock[] = [];
    for (const [seat, knock] of this.#knocks) {
      const seated = members.find((member) => member.identity + member.seat === seat);
      if (this.#clock.now() - knock.at > KNOCK_LIFE) this.#knocks.delete(seat);
      // Nobody removes themselves: another member makes room on this member's seat.
      else if (seated?.me !== true && add.length < MAX_ADDS && hasRoom(members.length, remove, add, seated?.leaf)) {
        add.push(knock);
        if (seated !== undefined) remove.add(seated.leaf);
      }
    }
    return { add, remove: [...remove] };
  }
}

function hasRoom(members: number, remove: ReadonlySet<number>, add: readonly Knock[], replaced?: number): boolean {
  const leaving = remove.size + (replaced === undefined || remove.has(replaced) ? 0 : 1);
  return members - leaving + add.length < MAX_MEMBERS;
}
