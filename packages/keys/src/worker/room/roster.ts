import { type Cancel, type Clock, dropOldest, type Milli, milli } from "@sealcast/time";
import type { GroupMember } from "../../shared/messages.ts";

/** How long a leaf that was just added may say nothing. */
const SILENCE = milli(10_000);
/** How long one may say nothing to a member that joined or reconnected: it may itself be reconnecting. */
const SILENCE_TO_NEWCOMER = milli(30_000);
/**
 * How long a place is kept after its socket closed or its page said goodbye, in a room that lets in members only: a page
 * that is loaded again could not come back without its place.
 */
const PLACE_KEPT = milli(60_000);
/** How long what came from a member shows that it is there. */
const ALIVE = milli(12_000);
const MAX_REMEMBERED = 256;
const LEAVES = 64;
/** For a rank in which every leaf counts. */
export const NOBODY: ReadonlySet<number> = new Set();

interface Presence {
  readonly is: "away" | "gone";
  /** When its socket closed. */
  readonly since: Milli;
}

interface Seated {
  readonly member: GroupMember;
  /** What the server calls this member; null until it is known. */
  roomMember: string | null;
  /** Its media arrives. */
  reachable: boolean;
  saidBye: boolean;
  /** When its page said goodbye: closed, or about to be loaded again. */
  goodbye: Milli | null;
  silent: boolean;
  /** Since when none of its heartbeats comes any more. */
  vanished: Milli | null;
  cancelWatch: Cancel | null;
  /** When something of it came last: a message or a heartbeat. */
  heardAt: Milli;
}

/** Who of the group is there: what the members said, what the server says of their sockets, what media arrives. */
export class Roster {
  readonly #clock: Clock;
  readonly #changed: () => void;
  #seated = new Map<number, Seated>();
  /** By what the server calls a member: a hint about liveness, which may come before the member is known. */
  readonly #presence = new Map<string, Presence>();
  /** Leaf key ID -> room member, from knocks. */
  readonly #knockers = new Map<string, string>();
  #keepsPlaces = false;

  /** `changed` is called when someone fell silent, or has been away for too long. */
  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /**
   * The group has these members now. `joined`: this member came, rather than one of them. `keepsPlaces`: who loads their
   * page again has to find their place, since not everybody with the link may come in.
   */
  enter(members: readonly GroupMember[], joined: boolean, keepsPlaces = false): void {
    this.#keepsPlaces = keepsPlaces;
    const seated = new Map<number, Seated>();
    for (const member of members.filter(({ me }) => !me)) {
      const known = this.#seated.get(member.leaf);
      const stays = known?.member.leafKeyId === member.leafKeyId;
      seated.set(member.leaf, stays ? known : this.#seat(member, joined ? SILENCE_TO_NEWCOMER : SILENCE));
      // It may have gone while this member was elsewhere. Those who are there greet in the new epoch.
      if (stays && joined) this.#watch(known, SILENCE_TO_NEWCOMER);
    }
    for (const [leaf, old] of this.#seated) if (seated.get(leaf) !== old) old.cancelWatch?.();
    this.#seated = seated;
  }

  /** Who knocked with the key package that has this leaf key (hex). It is back, though nobody may have said so here. */
  knocked(leafKeyId: string, roomMember: string): void {
    remember(this.#knockers, leafKeyId, roomMember);
    this.#presence.delete(roomMember);
  }

  /** An authenticated message came from this member. */
  heard(from: GroupMember): void {
    const seated = this.#at(from);
    seated?.cancelWatch?.();
    if (seated === undefined) return;
    seated.silent = false;
    seated.heardAt = this.#clock.now();
  }

  /** A heartbeat came that is signed by this leaf key (hex). */
  alive(leafKeyId: string): void {
    const seated = [...this.#seated.values()].find(({ member }) => member.leafKeyId === leafKeyId);
    if (seated !== undefined) seated.heardAt = this.#clock.now();
  }

  /** Whether the member on that leaf was heard in the last 12 s, over the server or past it, and did not say goodbye. */
  isAlive(leaf: number): boolean {
    const seated = this.#seated.get(leaf);
    return seated !== undefined && !seated.saidBye && this.#clock.now() - seated.heardAt < ALIVE;
  }

  /** True when it goes by another name than before: it has reconnected. */
  hello(from: GroupMember, roomMember: string): boolean {
    const seated = this.#at(from);
    if (seated === undefined) return false;
    const renamed = seated.roomMember !== null && seated.roomMember !== roomMember;
    seated.roomMember = roomMember;
    return renamed;
  }

  /**
   * Whether the member on that seat (identity and seat, hex) is who the server calls so: no page that was loaded again. Any other can
   * say that it is called so.
   */
  isSeated(seat: string, roomMember: string): boolean {
    return [...this.#seated.values()].some(
      (seated) => seated.roomMember === roomMember && seated.member.identity + seated.member.seat === seat,
    );
  }

  bye(from: GroupMember): void {
    const seated = this.#at(from);
    if (seated !== undefined) seated.saidBye = true;
  }

  /** The page of the member with this leaf key (hex) goes. Only that member can say so. */
  goodbye(leafKeyId: string): void {
    const seated = [...this.#seated.values()].find(({ member }) => member.leafKeyId === leafKeyId);
    if (seated === undefined || seated.goodbye !== null) return;
    seated.reachable = false;
    seated.goodbye = this.#clock.now();
    this.#clock.after(PLACE_KEPT, this.#changed);
  }

  /** Heartbeats of these members, by leafKeyId, do not come any more, and all others' do. True where that is news. */
  vanish(leafKeyIds: readonly string[]): boolean {
    const changed = [...this.#seated.values()].filter(
      ({ member, vanished }) => (vanished !== null) !== leafKeyIds.includes(member.leafKeyId),
    );
    for (const seated of changed) seated.vanished = seated.vanished === null ? this.#clock.now() : null;
    return changed.length > 0;
  }

  reachable(leaf: number, up: boolean): void {
    const seated = this.#seated.get(leaf);
    if (seated !== undefined) seated.reachable = up;
  }

  presence(roomMember: string, is: Presence["is"] | "back"): void {
    const before = this.#presence.get(roomMember);
    if (is === "back") this.#presence.delete(roomMember);
    else remember(this.#presence, roomMember, { is, since: before?.since ?? this.#clock.now() });
    if (is !== "back" && before === undefined) this.#clock.after(PLACE_KEPT, this.#changed);
  }

  /** What was known of the others' sockets is out of date: those who are there say so again. */
  doubt(): void {
    this.#presence.clear();
    for (const seated of this.#seated.values()) this.#watch(seated, SILENCE_TO_NEWCOMER);
  }

  reset(): void {
    this.close();
    this.#seated.clear();
  }

  close(): void {
    for (const { cancelWatch } of this.#seated.values()) cancelWatch?.();
  }

  /** Leaves whose member has left, or is not there any more. */
  departed(): number[] {
    const left = [...this.#seated.values()].filter(({ saidBye }) => saidBye).map(({ member }) => member.leaf);
    return [...left, ...this.stale()];
  }

  /** Leaves whose member is not there any more and did not say so. */
  stale(): number[] {
    return [...this.#seated.values()]
      .filter((seated) => !seated.saidBye && !seated.reachable && (seated.silent || this.#isGone(seated)))
      .map(({ member }) => member.leaf);
  }

  /** Its page said goodbye, the server calls its socket gone, or it vanished: and a place that is kept was kept for long enough. */
  #isGone({ roomMember, goodbye, vanished }: Seated): boolean {
    const presence = this.#presence.get(roomMember ?? "");
    const since = goodbye ?? (presence?.is === "gone" ? presence.since : vanished);
    return since !== null && (!this.#keepsPlaces || this.#clock.now() - since >= PLACE_KEPT);
  }

  /** How many connected leaves stand before `leaf`, counted from `first` and around, but for those in `except`. */
  rank(leaf: number, except: ReadonlySet<number>, first = 0): number {
    const isConnected = ({ roomMember }: Seated): boolean => !this.#presence.has(roomMember ?? "");
    const at = (other: number): number => (other - first + LEAVES) % LEAVES;
    return [...this.#seated.values()].filter(
      (seated) => at(seated.member.leaf) < at(leaf) && !except.has(seated.member.leaf) && isConnected(seated),
    ).length;
  }

  #at(from: GroupMember): Seated | undefined {
    const seated = this.#seated.get(from.leaf);
    return seated?.member.leafKeyId === from.leafKeyId ? seated : undefined;
  }

  #seat(member: GroupMember, patience: Milli): Seated {
    const roomMember = this.#knockers.get(member.leafKeyId) ?? null;
    const untold = { reachable: false, saidBye: false, goodbye: null, silent: false, vanished: null };
    const heardAt = milli(Number.NEGATIVE_INFINITY);
    const seated: Seated = { member, roomMember, ...untold, cancelWatch: null, heardAt };
    this.#watch(seated, patience);
    return seated;
  }

  #watch(seated: Seated, patience: Milli): void {
    seated.cancelWatch?.();
    seated.cancelWatch = this.#clock.after(patience, () => {
      seated.silent = true;
      this.#changed();
    });
  }
}

/** Keeps the newest entries only. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  dropOldest(map, MAX_REMEMBERED);
}
