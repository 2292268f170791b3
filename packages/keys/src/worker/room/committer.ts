import { MAX_MEMBERS } from "@sealcast/protocol/limits";
import { type Cancel, type Clock, type Milli, milli } from "@sealcast/time";
import type { GroupMember, RoomMode } from "../../shared/messages.ts";
import type { Change, Group, PendingCommit } from "../mls/group.ts";
import type { RoomState } from "../mls/room-state.ts";
import type { Caller } from "./door.ts";
import { NOBODY, type Roster } from "./roster.ts";
import type { ToRoom } from "./wire.ts";

/** The k-th connected leaf waits k times this long, so an absent first one blocks nobody. */
const TURN = milli(300);
/** After a change, others that come close behind go together. */
const BATCH = milli(200);
const BETWEEN_JOINS = milli(1000);
/** Each name costs everybody an epoch: of those that follow one another quickly, the last counts. */
const BETWEEN_NAMES = milli(5000);
/** Anyone who copied a member's keys loses the group when that member commits: so someone does, also in a quiet call. */
const HEAL_AFTER = milli(300_000);
/** Who was just let in may have knocked once more before its Welcome arrived. */
const SETTLING = milli(5000);
/** A knock is for a member that is still waiting: it knocks again every few seconds. A host's no holds as long. */
const KNOCK_LIFE = milli(30_000);
const MAX_KNOCKS = 64;
/** Of these, under old links: removed people must not crowd out those who come with the present one. */
const MAX_OLD_LINK_KNOCKS = 8;
/** Keeps a commit and its Welcome, with the tree of a full room inside, under the server's limit. */
const MAX_ADDS = 6;

interface Knock extends Caller {
  readonly at: Milli;
}

/** What a commit is to do, and for whom. */
interface Wish {
  readonly add: Knock[];
  readonly remove: number[];
  readonly room?: RoomState;
  readonly newLink?: boolean;
  readonly rename?: boolean;
}

/** A commit on its way to the server, and who its Welcome is for. */
export interface Proposed {
  readonly pending: PendingCommit;
  readonly welcomes: string[];
  /** Answers that go before it: the link, for those who came with an old one. */
  readonly handovers: ToRoom[];
}

/** Identities of whom a change made it clear that they are to be removed, again, or that they are. */
export interface RemovalChanges {
  readonly ordered: readonly string[];
  readonly done: readonly string[];
}

/** Decides when this member commits, and what: one commit at a time, and only its identical bytes for one epoch. */
export class Committer {
  readonly #clock: Clock;
  readonly #roster: Roster;
  readonly #commit: () => void;
  readonly #knocks = new Map<string, Knock>();
  /** Who was let in lately: by what the server calls them. */
  readonly #letIn = new Map<string, Milli>();
  /** Seats of those whom this member, a host, let in. */
  readonly #admitted = new Set<string>();
  /** Seats of those whom this member, a host, turned away, and when. */
  readonly #turnedAway = new Map<string, Milli>();
  /** Identities that this member, a host, removes: until a commit has done so that makes the link another. */
  readonly #expelled = new Set<string>();
  /** Identities that hosts removed from this call, and let in no more since. */
  readonly #removed = new Set<string>();
  #isSuperseding = false;
  #mode: RoomMode | null = null;
  #hosts: readonly string[] | null = null;
  #proposed: Proposed | null = null;
  #cancelPlan: Cancel | null = null;
  #wantedSince: Milli | null = null;
  #batchUntil = milli(0);
  #nextJoin = milli(0);
  #nextName = milli(0);
  /** When the present epoch will have lasted long enough. */
  #healAt: Milli | null = null;

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

  /** Someone asks to be let in. Their newest key package counts. */
  knocked(caller: Caller): void {
    const now = this.#clock.now();
    const letIn = this.#letIn.get(caller.from);
    if (letIn !== undefined && now - letIn < SETTLING) return;
    const { seat } = caller.applicant;
    this.#knocks.delete(seat);
    if (this.hasTurnedAway(caller)) return;
    const rivals = [...this.#knocks.values()].filter(({ oldLink }) => caller.oldLink === null || oldLink !== null);
    if (rivals.length < (caller.oldLink === null ? MAX_KNOCKS : MAX_OLD_LINK_KNOCKS))
      this.#knocks.set(seat, { ...caller, at: now });
  }

  /** This member, a host, has decided about someone who waits. Gives whom the answer goes to, where it was no. */
  decided(seat: string, yes: boolean): Caller | null {
    const knock = this.#knocks.get(seat);
    if (yes) {
      this.#admitted.add(seat);
      return null;
    }
    this.#knocks.delete(seat);
    this.#turnedAway.set(seat, this.#clock.now());
    return knock ?? null;
  }

  /** Whether this member, a host, said no a moment ago: a knock that came since is of the same asking. */
  hasTurnedAway({ applicant: { seat } }: Caller): boolean {
    const now = this.#clock.now();
    for (const [other, at] of this.#turnedAway) if (now - at > KNOCK_LIFE) this.#turnedAway.delete(other);
    return this.#turnedAway.has(seat);
  }

  /** This member, a host, wants all members of that identity out. */
  expel(identity: string): void {
    this.#expelled.add(identity);
  }

  /** Whether someone is in the group whom this member, a host, wants out. */
  isRemoving({ members, isHost }: Group): boolean {
    return isHost && members.some(({ identity }) => this.#expelled.has(identity));
  }

  /** Whether a host removed that identity from this call, and none has let it in since. */
  hasRemoved(identity: string): boolean {
    return this.#removed.has(identity);
  }

  change(mode: RoomMode): void {
    this.#mode = mode;
  }

  /** This member, a host, wants these identities (hex) to be the room's hosts. */
  appoint(hosts: readonly string[]): void {
    this.#hosts = hosts;
  }

  /** Whether this member may let them in: as rules.ts has it, and with a host's word where that is needed. */
  isLetIn({ room, isHost, members }: Group, { applicant: { identity, seat }, oldLink }: Caller): boolean {
    const isAdmitted = isHost && this.#admitted.has(seat);
    if (oldLink !== null) return isAdmitted;
    if (members.some((member) => member.identity === identity)) return true;
    if (this.#removed.has(identity)) return isAdmitted;
    if (room.mode === "open" || room.hosts.includes(identity)) return true;
    return room.mode === "waiting" && isAdmitted;
  }

  /** Whether a host decides about them, where they are not let in at once: others are turned away. */
  isAsked({ room }: Group, { applicant, oldLink }: Caller): boolean {
    return room.mode === "waiting" || oldLink !== null || this.#removed.has(applicant.identity);
  }

  /** Who waits for a host's word. */
  waiting(group: Group): Caller[] {
    return this.#live().filter((knock) => this.isAsked(group, knock) && !this.isLetIn(group, knock));
  }

  /** A commit that is invalid was ordered for the present epoch: another has to follow beside it, if only an empty one. */
  supersede(): void {
    this.#isSuperseding = true;
  }

  /** Looks at what the group needs and waits for this member's turn to commit it. */
  plan(group: Group): void {
    this.#cancelPlan?.();
    this.#cancelPlan = null;
    this.#forgetDone(group);
    const wanted = this.#wanted(group);
    if (wanted === null) this.#wantedSince = null;
    if (this.#proposed !== null) return;
    const now = this.#clock.now();
    if (wanted === null) return this.#planToHeal(group, now);
    this.#wantedSince ??= now;
    const due = wanted.rename ? this.#nextName : this.#dueAt(group, wanted, this.#wantedSince);
    this.#cancelPlan = this.#clock.after(milli(Math.max(0, due - now)), this.#commit);
  }

  #planToHeal(group: Group, now: Milli): void {
    // Alone there is nobody to heal for, however late it is.
    if (this.#healAt === null || this.#healAt <= now) return;
    this.#cancelPlan = this.#clock.after(milli(this.#healAt - now), () => this.plan(group));
  }

  #dueAt(group: Group, wanted: Wish, since: Milli): number {
    const { remove, room, newLink } = wanted;
    // What a host alone may do needs no turn.
    if (room !== undefined || newLink) return since;
    if (isEmpty(wanted)) return since + this.#roster.rank(group.leaf, NOBODY, group.next) * TURN;
    const notBefore = Math.max(this.#batchUntil, this.#roster.departed().length > 0 ? 0 : this.#nextJoin);
    return Math.max(since, notBefore) + this.#roster.rank(group.leaf, new Set(remove)) * TURN;
  }

  /**
   * Makes the commit for what is wanted now. Null: nothing is, one is on its way, or it could not be made. `handOver`
   * makes the answer for someone with an old link.
   */
  async propose(group: Group, handOver: (caller: Caller) => Promise<ToRoom>): Promise<Proposed | null> {
    const wanted = this.#wanted(group);
    if (this.#proposed !== null || wanted === null) return null;
    const { add, remove, room, newLink, rename } = wanted;
    if (rename) this.#nextName = milli(this.#clock.now() + BETWEEN_NAMES);
    try {
      const pending = await group.commit({
        add: add.map(({ applicant }) => applicant.keyPackage),
        remove,
        room,
        newLink,
        rename,
      });
      const handovers = await Promise.all(add.filter(({ oldLink }) => oldLink !== null).map(handOver));
      this.#proposed = { pending, welcomes: add.map(({ from }) => from), handovers };
      return this.#proposed;
    } catch {
      // A key package that spoils the commit must not spoil the next one as well. Who still wants in knocks again.
      for (const { applicant } of add) this.#knocks.delete(applicant.seat);
      if (room !== undefined) [this.#mode, this.#hosts] = [null, null];
      return null;
    }
  }

  /** The group has entered an epoch, by this change or (null) as a newcomer. */
  entered(change: Change | null): RemovalChanges {
    const now = this.#clock.now();
    this.#proposed = null;
    this.#isSuperseding = false;
    this.#wantedSince = null;
    this.#batchUntil = milli(now + BATCH);
    this.#healAt = milli(now + HEAL_AFTER);
    for (const [from, at] of this.#letIn) if (now - at >= SETTLING) this.#letIn.delete(from);
    // They came with a link that admits no more, and may be whom a host has just removed.
    if (change?.newLink) for (const memory of [this.#knocks, this.#admitted]) memory.clear();
    for (const { identity, seat } of change?.added ?? []) {
      this.#nextJoin = milli(now + BETWEEN_JOINS);
      const knock = this.#knocks.get(identity + seat);
      if (knock !== undefined) this.#letIn.set(knock.from, now);
      // They have the present link now, and with an old one are asked about again.
      if (knock !== undefined && knock.oldLink !== null) this.#admitted.delete(knock.applicant.seat);
      this.#knocks.delete(identity + seat);
    }
    // Who asked to join afresh for want of this commit gets it now, and else knocks again.
    for (const [seat, { from }] of this.#knocks) if (this.#roster.isSeated(seat, from)) this.#knocks.delete(seat);
    return change === null ? { ordered: [], done: [] } : this.#tookOut(change);
  }

  #tookOut({ byHost, newLink, added, removed }: Change): RemovalChanges {
    const back = added.map(({ identity }) => identity).filter((identity) => this.#removed.has(identity));
    // A host has said yes. Anybody else could not, and a host among those who know takes them out again.
    for (const identity of back) {
      if (byHost) this.#removed.delete(identity);
      else this.#expelled.add(identity);
    }
    const out = new Set(newLink ? removed.map(({ identity }) => identity) : []);
    for (const identity of out) this.#removed.add(identity);
    return { ordered: byHost ? [] : back, done: [...out].filter((identity) => this.#expelled.delete(identity)) };
  }

  /** This member's group is gone. */
  reset(): void {
    this.close();
    // What was ordered against someone stays so, in whatever group this member is next.
    for (const memory of [this.#knocks, this.#letIn, this.#admitted, this.#turnedAway]) memory.clear();
    [this.#mode, this.#hosts] = [null, null];
    this.#isSuperseding = false;
    this.#proposed = null;
    this.#wantedSince = null;
  }

  close(): void {
    this.#cancelPlan?.();
    this.#cancelPlan = null;
  }

  #wanted(group: Group): Wish | null {
    const changed = group.isHost ? this.#wantedOfRoom(group) : null;
    if (changed !== null) return changed;
    const members = group.members;
    const remove = new Set(this.#departed(group));
    const add: Knock[] = [];
    for (const knock of this.#live()) {
      const seated = members.find((member) => member.identity + member.seat === knock.applicant.seat);
      // Nobody removes themselves: another member makes room on this member's seat.
      if (seated?.me === true || add.length === MAX_ADDS || !this.isLetIn(group, knock)) continue;
      if (!hasRoom(members.length, remove, add, seated?.leaf)) continue;
      add.push(knock);
      if (seated !== undefined) remove.add(seated.leaf);
    }
    if (add.length + remove.size > 0) return { add, remove: [...remove] };
    if (group.isRenamed) return { add: [], remove: [], rename: true };
    const isOld = this.#healAt !== null && this.#clock.now() >= this.#healAt && members.length > 1;
    return this.#isSuperseding || isOld ? { add: [], remove: [] } : null;
  }

  /** What this member, a host, wants, one thing at a time: a removal replaces the link, and nobody joins by the old one then. */
  #wantedOfRoom({ room, members }: Group): Wish | null {
    const own = members.find(({ me }) => me)?.identity;
    const isExpelled = ({ identity }: GroupMember) => identity !== own && this.#expelled.has(identity);
    const remove = members.filter(isExpelled).map(({ leaf }) => leaf);
    const hosts = room.hosts.filter((host) => host === own || !this.#expelled.has(host));
    const isSmaller = hosts.length > 0 && hosts.length < room.hosts.length;
    // Who is removed is host no more, or any member could let them in again.
    if (remove.length > 0) return { add: [], remove, newLink: true, ...(isSmaller && { room: { ...room, hosts } }) };
    const next = { mode: this.#mode ?? room.mode, hosts: this.#hosts ?? room.hosts };
    const isSame = next.mode === room.mode && next.hosts.join() === room.hosts.join();
    return isSame ? null : { add: [], remove: [], room: next };
  }

  /** What is as this member wanted it is wanted no more: another host may change it again. */
  #forgetDone({ room }: Group): void {
    if (this.#mode === room.mode) this.#mode = null;
    if (this.#hosts?.join() === room.hosts.join()) this.#hosts = null;
  }

  /** Leaves whose member has departed. A host that someone still hears keeps its place, whatever the server says of it. */
  #departed({ members, room }: Group): number[] {
    const isKept = ({ leaf, identity }: GroupMember) => room.hosts.includes(identity) && this.#roster.isAlive(leaf);
    const kept = members.filter(isKept).map(({ leaf }) => leaf);
    return this.#roster.departed().filter((leaf) => !kept.includes(leaf));
  }

  /** Who knocked lately. */
  #live(): Knock[] {
    const now = this.#clock.now();
    for (const [seat, { at }] of this.#knocks) if (now - at > KNOCK_LIFE) this.#knocks.delete(seat);
    return [...this.#knocks.values()];
  }
}

function isEmpty({ add, remove }: Wish): boolean {
  return add.length + remove.length === 0;
}

function hasRoom(members: number, remove: ReadonlySet<number>, add: readonly Knock[], replaced?: number): boolean {
  const leaving = remove.size + (replaced === undefined || remove.has(replaced) ? 0 : 1);
  return members - leaving + add.length < MAX_MEMBERS;
}
