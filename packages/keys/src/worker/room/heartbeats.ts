import type { Alarm, GroupMember } from "../../shared/messages.ts";
import { type GroupPosition, type Heartbeat, samePlace } from "./heartbeat.ts";

/** Heartbeats are counted in ticks, one a second: a machine that sleeps or stalls has none, and so raises no alarm. */
export const BEAT_TICKS = 4;
const SILENT_TICKS = 12;
/** Two heartbeats did not come. Where no media comes either, that is a computer or a network that is gone. */
const VANISHED_TICKS = 10;
/** A change may take 5 s to come; it is late in the second after. */
const LATE_TICKS = 6;
const LATE_MS = 5_000;
/** For so long a member stays in a branch that the room does not go on in. */
const ALONE_TICKS = 10;
/** The others come to the first host before it goes to them: it would change places with them. */
const HOST_ALONE_TICKS = 2 * ALONE_TICKS;
/** Who was let in nowhere else by then goes on here: a host could stop all commits by saying that it is elsewhere. */
const APART_TICKS = 60;
/**
 * A socket whose server has said nothing for longer, not even to a ping, may be dead. Whom a commit does not reach for that
 * reason says so before the third heartbeat, which would accuse the server.
 */
export const SILENCE_TICKS = 2 * BEAT_TICKS;
/** Who asks to be taken in again has at least that long for it. */
const RESYNC_TICKS = 4;
/** As many commits as members keep for each other. */
const MAX_PASSED = 16;
/** Signatures are not free. Of each way, so that nobody who floods theirs keeps out what the others say. */
const MAX_PER_TICK = 64;

/** A heartbeat whose signature and sender were verified. */
export interface VerifiedHeartbeat extends Heartbeat {
  /** Of the leaf key, hex. */
  readonly leafKeyId: string;
  /** Identity and seat, hex: who it is, whatever key they have now. */
  readonly who: string;
  /** When the leaf key's credential was issued, seconds since 1970: of two keys of one member, which is the later. */
  readonly issued: bigint;
}

/** What tells a member's newer heartbeats from older ones. */
type Mark = Pick<VerifiedHeartbeat, "leafKeyId" | "issued" | "time">;

/** Behind since that heartbeat: it has not reached the epoch that this member was in then. */
interface Behind {
  readonly target: number;
  readonly time: number;
  readonly tick: number;
}

/** Ahead of this member, which has not reached that epoch for this many ticks with a socket. */
interface Ahead {
  readonly target: number;
  ticks: number;
}

/** A member of the present epoch, and the last that it said. */
interface Watched {
  readonly member: GroupMember;
  last: VerifiedHeartbeat | null;
  ahead: Ahead | null;
  /** It was elsewhere, and has not been here since: a new key of it that stays silent does not take the alarm away. */
  forked: boolean;
  behind: Behind | null;
  /** Of the last heartbeat. */
  heardAt: number;
  /** Since it last spoke with the key that the tree has. */
  quiet: number;
  /** Of these, ticks in which this member heard the server: then the silence is not that of its own network. */
  vanished: number;
  /** Something of it came under the key that the tree has: it is no longer on its way. */
  isThere: boolean;
}

/**
 * Whether all members are in one epoch of one group, from their heartbeats. Knows no time but ticks and no transport.
 * Only members of the present tree count, by identity and seat: anybody with the link can sign as someone else.
 */
export class Heartbeats {
  #tick = 0;
  /** In this tick, by the way that they came. */
  readonly #taken = new Map<string, number>();
  #place: GroupPosition | null = null;
  /** The epochs that this member was in before, in its present stay. */
  readonly #passed = new Map<number, GroupPosition>();
  #watched = new Map<string, Watched>();
  /** By identity and seat: the last heartbeat that was taken, so that an earlier one counts from nobody who repeats it. */
  readonly #marks = new Map<string, Mark>();
  /** For how many ticks the room has gone on elsewhere. */
  #apart = 0;
  /** The same, since this member last asked to be let in there. */
  #alone = 0;
  /** Identities, of those that may act as host, and of this member. */
  #hosts: readonly string[] = [];
  #own = "";

  /**
   * This member is in that epoch now, with these members, of whom those of the identities `hosts` may act as host. `again`: as
   * a newcomer, who has passed no other.
   */
  enter(place: GroupPosition, members: readonly GroupMember[], hosts: readonly string[], again: boolean): void {
    this.#hosts = hosts;
    this.#own = members.find(({ me }) => me)?.identity ?? "";
    if (again) this.#passed.clear();
    else if (this.#place !== null) this.#passed.set(this.#place.epoch, this.#place);
    for (const epoch of this.#passed.keys()) if (epoch < place.epoch - MAX_PASSED) this.#passed.delete(epoch);
    this.#place = place;
    this.#forgetMarks(members);
    const watched = new Map<string, Watched>();
    for (const member of members.filter(({ me }) => !me)) {
      const known = again ? undefined : this.#watched.get(whoIs(member));
      const stays = known?.member.leafKeyId === member.leafKeyId;
      const { quiet, vanished, isThere } = stays ? known : { quiet: 0, vanished: 0, isThere: false };
      watched.set(whoIs(member), {
        last: null,
        ahead: null,
        forked: false,
        behind: null,
        heardAt: 0,
        ...known,
        member,
        quiet,
        vanished,
        isThere,
      });
    }
    this.#watched = watched;
    for (const each of watched.values()) {
      this.#compare(each);
      this.#lookAhead(each);
    }
  }

  /** Whether a heartbeat is worth verifying: of someone who is here, newer than their last, and not one of too many this way. */
  isNews(beat: Mark & Pick<VerifiedHeartbeat, "who">, way: string): boolean {
    const taken = this.#taken.get(way) ?? 0;
    if (!this.#watched.has(beat.who) || !isLater(beat, this.#marks.get(beat.who)) || taken >= MAX_PER_TICK)
      return false;
    this.#taken.set(way, taken + 1);
    return true;
  }

  /** The key is in the tree: no credential has to vouch for it. */
  member(leafKeyId: string): GroupMember | null {
    return [...this.#watched.values()].find(({ member }) => member.leafKeyId === leafKeyId)?.member ?? null;
  }

  /** A message of this member came, which need not be a heartbeat. One of whom nothing came may still be on its way. */
  met(leafKeyId: string): void {
    for (const watched of this.#watched.values()) if (watched.member.leafKeyId === leafKeyId) watched.isThere = true;
  }

  heard(beat: VerifiedHeartbeat): void {
    const place = this.#place;
    const watched = this.#watched.get(beat.who);
    if (place === null || watched === undefined) return;
    this.#marks.set(beat.who, beat);
    watched.last = beat;
    watched.heardAt = this.#tick;
    if (isPresent(watched, beat)) {
      watched.quiet = watched.vanished = 0;
      watched.isThere = true;
    }
    if (watched.behind !== null && beat.epoch >= watched.behind.target && isPresent(watched, beat))
      watched.behind = null;
    const lags =
      beat.connected && (beat.epoch < place.epoch || (!isPresent(watched, beat) && beat.epoch === place.epoch));
    if (!lags) watched.behind = null;
    else watched.behind ??= { target: place.epoch, time: beat.time, tick: this.#tick };
    this.#compare(watched);
    this.#lookAhead(watched);
  }

  /** A second has gone by. `connected`: this member has a socket; `silence`: ticks since anything came over it. */
  tick(connected: boolean, silence: number): void {
    this.#tick++;
    this.#taken.clear();
    const hearsServer = connected && silence < LATE_TICKS;
    for (const watched of this.#watched.values()) {
      watched.quiet++;
      if (hearsServer && watched.isThere) watched.vanished++;
      // Of a server that says nothing at all it is not known whether it withholds something, or the socket is dead.
      if (hearsServer && watched.ahead !== null) watched.ahead.ticks++;
    }
    const hasCompany = this.#hasCompany();
    this.#apart = hasCompany ? 0 : this.#apart + 1;
    this.#alone = hasCompany ? 0 : this.#alone + 1;
  }

  /** This member's socket is gone: what it missed gets as long to come over the next one, and so do others' heartbeats. */
  disconnected(): void {
    for (const watched of this.#watched.values()) {
      watched.vanished = 0;
      if (watched.ahead !== null) watched.ahead.ticks = 0;
    }
  }

  /** Members, by leafKeyId, of whom nothing has come for a while, neither over the server nor over their links. */
  get vanished(): string[] {
    const vanished = [...this.#watched.values()].filter((watched) => watched.vanished >= VANISHED_TICKS);
    return vanished.map(({ member }) => member.leafKeyId);
  }

  /** For a while the room has gone on in another epoch or branch, and this member has to be let in there. */
  get isAlone(): boolean {
    return this.#alone >= (this.#firstHost() === this.#own ? HOST_ALONE_TICKS : ALONE_TICKS);
  }

  /** The room's host says now that it is elsewhere, and is not this member. It is heeded for a minute. */
  get isApart(): boolean {
    return this.#firstHost() !== this.#own && !this.#hasCompany() && this.#apart < APART_TICKS;
  }

  /** It is the room's host, and says now that it is elsewhere. */
  isCalledBy(who: string): boolean {
    const first = this.#firstHost();
    return first !== null && who.startsWith(first) && this.isApart;
  }

  /** Another member said lately that it is in this very epoch. */
  get isAnswered(): boolean {
    return [...this.#watched.values()].some(
      ({ last, heardAt }) =>
        last !== null && this.#place !== null && this.#tick - heardAt <= LATE_TICKS && samePlace(this.#place, last),
    );
  }

  /** Whether this is a tick to send a heartbeat in. */
  get isDue(): boolean {
    return this.#tick % BEAT_TICKS === 0;
  }

  /** This member has noticed that it is behind, and asks to be taken in again. What is red by then stays so until it is in. */
  resync(): void {
    this.#alone = 0;
    for (const { ahead } of this.#watched.values())
      if (ahead !== null && !isOverdue(ahead)) ahead.ticks = Math.min(ahead.ticks, LATE_TICKS - RESYNC_TICKS);
  }

  get alarms(): Alarm[] {
    const watched = [...this.#watched.values()];
    const alarms = watched.flatMap((each) => this.#alarmsOf(each));
    if (!watched.some(({ ahead }) => isOverdue(ahead))) return alarms;
    const ahead = watched.filter((each) => each.ahead !== null).map(({ member }) => member.leafKeyId);
    return [...alarms, { what: "withheld-here", ahead }];
  }

  #alarmsOf(watched: Watched): Alarm[] {
    const { leafKeyId } = watched.member;
    const alarms: Alarm[] = [];
    if (watched.forked) alarms.push({ what: "forked", leafKeyId });
    else if (isLate(watched)) alarms.push({ what: "withheld", leafKeyId });
    if (watched.quiet >= SILENT_TICKS) alarms.push({ what: "silent", leafKeyId });
    return alarms;
  }

  /**
   * Whether the room goes on here: its first host was last heard in this branch. Where this member is that host, or no host
   * was heard lately, all others decide: one of them is enough, and so is silence.
   */
  #hasCompany(): boolean {
    const first = this.#firstHost();
    const lately = this.#heardLately();
    const deciding = lately.filter(({ who }) => first !== null && first !== this.#own && who.startsWith(first));
    const others = deciding.length > 0 ? deciding : lately;
    return others.length === 0 || others.some((beat) => this.#isOfThisBranch(beat));
  }

  /**
   * The lowest identity of the hosts that said lately that they are connected: all who hear them find the same. Where there is
   * none and no two are together, that of all who said so: each would wait for another to let it in.
   */
  #firstHost(): string | null {
    const connected = this.#heardLately().filter((beat) => beat.connected);
    const isHere = (host: string) => host === this.#own || connected.some(({ who }) => who.startsWith(host));
    const hosts = this.#hosts.filter(isHere);
    const all = [this.#own, ...connected.map(({ who }) => who.slice(0, this.#own.length))];
    const first = hosts.length === 0 && this.#areScattered(connected) ? all : hosts;
    return first.sort()[0] ?? null;
  }

  /** None of them is in this branch, and no two are in one epoch of another. */
  #areScattered(beats: readonly VerifiedHeartbeat[]): boolean {
    const isWithAnother = (beat: VerifiedHeartbeat) => beats.some((other) => other !== beat && samePlace(beat, other));
    return beats.length > 0 && !beats.some((beat) => this.#isOfThisBranch(beat) || isWithAnother(beat));
  }

  /** The last heartbeats of those who sent one lately. */
  #heardLately(): VerifiedHeartbeat[] {
    return [...this.#watched.values()].flatMap(({ last, heardAt }) =>
      last !== null && this.#tick - heardAt < SILENT_TICKS ? [last] : [],
    );
  }

  #isOfThisBranch(beat: VerifiedHeartbeat): boolean {
    const own = this.#placeOf(beat.epoch);
    return own !== undefined && samePlace(own, beat);
  }

  #placeOf(epoch: number): GroupPosition | undefined {
    return epoch === this.#place?.epoch ? this.#place : this.#passed.get(epoch);
  }

  /** If it says something else of an epoch that this member knows, there are two groups. */
  #compare(watched: Watched): void {
    const { last } = watched;
    if (last === null || !isPresent(watched, last)) return;
    const own = this.#placeOf(last.epoch);
    if (own !== undefined) watched.forked = !samePlace(own, last);
  }

  /** How far it is ahead, by its last word. What one says puts off nothing that another has said. */
  #lookAhead(watched: Watched): void {
    const said = watched.last?.epoch ?? 0;
    const epoch = this.#place?.epoch ?? 0;
    const { ahead } = watched;
    if (said <= epoch) watched.ahead = null;
    else if (ahead === null || epoch >= ahead.target || said < ahead.target) watched.ahead = { target: said, ticks: 0 };
  }

  /** Of who is out; and of who has another key in the tree, which counts whatever their computer's calendar says. */
  #forgetMarks(members: readonly GroupMember[]): void {
    const keys = new Map(members.map((member) => [whoIs(member), member.leafKeyId]));
    for (const [who, mark] of this.#marks) {
      const [key, before] = [keys.get(who), this.#watched.get(who)?.member.leafKeyId];
      if (key !== before && key !== mark.leafKeyId) this.#marks.delete(who);
    }
  }
}

/** Who has moved on to another key speaks with the one before no more. */
function isLater({ leafKeyId, issued, time }: Mark, last: Mark | undefined): boolean {
  if (last === undefined) return true;
  return leafKeyId === last.leafKeyId ? time > last.time : issued >= last.issued;
}

function isOverdue(ahead: Ahead | null): boolean {
  return ahead !== null && ahead.ticks >= LATE_TICKS;
}

/** It spoke with the key that the tree has, not with one that was before or is to come. */
function isPresent({ member }: Watched, { leafKeyId }: VerifiedHeartbeat): boolean {
  return member.leafKeyId === leafKeyId;
}

/** By its own clock and by this one's it has been behind for longer than a change takes. */
function isLate({ behind, last, heardAt }: Watched): boolean {
  if (behind === null || last === null) return false;
  return last.time - behind.time > LATE_MS && heardAt - behind.tick > LATE_MS / 1000;
}

function whoIs({ identity, seat }: GroupMember): string {
  return identity + seat;
}
