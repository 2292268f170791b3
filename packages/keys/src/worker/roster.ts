import { type Cancel, type Clock, type Milli, milli } from "@sealcast/time";
import type { Member } from "../shared/messages.ts";

/** How long a leaf that was just added may say nothing. */
const SILENCE = milli(10_000);
/** How long one may say nothing to a member that joined or reconnected: it may itself be reconnecting. */
const SILENCE_TO_NEWCOMER = milli(30_000);
const MAX_REMEMBERED = 256;

type Presence = "away" | "gone";

interface Seated {
  readonly member: Member;
  /** What the server calls this member; null until it is known. */
  roomMember: string | null;
  /** Its media arrives. */
  reachable: boolean;
  saidBye: boolean;
  silent: boolean;
  cancelWatch: Cancel | null;
}

/** Who of the group is there: what the members said, what the server says of their sockets, what media arrives. */
export class Roster {
  readonly #clock: Clock;
  readonly #changed: () => void;
  #seated = new Map<number, Seated>();
  /** By what the server calls a member: a hint about liveness, which may come before the member is known. */
  readonly #presence = new Map<string, Presence>();
  /** Occupancy -> room member, from knocks. */
  readonly #knockers = new Map<string, string>();

  /** `changed` is called when somebody fell silent. */
  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /** The group has these members now. `joined`: this member came, rather than one of them. */
  enter(members: readonly Member[], joined: boolean): void {
    const seated = new Map<number, Seated>();
    for (const member of members.filter(({ me }) => !me)) {
      const known = this.#seated.get(member.leaf);
      if (known?.member.occupancy === member.occupancy) seated.set(member.leaf, known);
      else seated.set(member.leaf, this.#seat(member, joined ? SILENCE_TO_NEWCOMER : SILENCE));
    }
    for (const [leaf, old] of this.#seated) if (seated.get(leaf) !== old) old.cancelWatch?.();
    this.#seated = seated;
  }

  /** Who knocked with the key package that has this leaf key (hex). */
  knocked(occupancy: string, roomMember: string): void {
    remember(this.#knockers, occupancy, roomMember);
  }

  /** An authenticated message came from this member. */
  heard(from: Member): void {
    const seated = this.#at(from);
    seated?.cancelWatch?.();
    if (seated !== undefined) seated.silent = false;
  }

  /** True when it goes by another name than before: it has reconnected. */
  hello(from: Member, roomMember: string): boolean {
    const seated = this.#at(from);
    if (seated === undefined) return false;
    const renamed = seated.roomMember !== null && seated.roomMember !== roomMember;
    seated.roomMember = roomMember;
    return renamed;
  }

  bye(from: Member): void {
    const seated = this.#at(from);
    if (seated !== undefined) seated.saidBye = true;
  }

  reachable(leaf: number, up: boolean): void {
    const seated = this.#seated.get(leaf);
    if (seated !== undefined) seated.reachable = up;
  }

  presence(roomMember: string, is: Presence | "back"): void {
    if (is === "back") this.#presence.delete(roomMember);
    else remember(this.#presence, roomMember, is);
  }

  /** What was known of the others' sockets is out of date: whoever is there says so again. */
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
    const isGone = ({ roomMember }: Seated): boolean =>
      roomMember !== null && this.#presence.get(roomMember) === "gone";
    return [...this.#seated.values()]
      .filter((seated) => !seated.saidBye && !seated.reachable && (seated.silent || isGone(seated)))
      .map(({ member }) => member.leaf);
  }

  /** How many connected leaves stand before `leaf`, not counting those in `except`. */
  rank(leaf: number, except: ReadonlySet<number>): number {
    const isConnected = ({ roomMember }: Seated): boolean => roomMember === null || !this.#presence.has(roomMember);
    return [...this.#seated.values()].filter(
      (seated) => seated.member.leaf < leaf && !except.has(seated.member.leaf) && isConnected(seated),
    ).length;
  }

  #at(from: Member): Seated | undefined {
    const seated = this.#seated.get(from.leaf);
    return seated?.member.occupancy === from.occupancy ? seated : undefined;
  }

  #seat(member: Member, patience: Milli): Seated {
    const roomMember = this.#knockers.get(member.occupancy) ?? null;
    const seated = { member, roomMember, reachable: false, saidBye: false, silent: false, cancelWatch: null };
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
  const [oldest] = map.keys();
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
}
