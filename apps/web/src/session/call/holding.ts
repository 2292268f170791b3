import type { Alarm, Departed, GroupMember, RoomRules } from "@sealcast/keys";
import type { Clock } from "@sealcast/time";
import { suspectsOf } from "./alarms.ts";
import type { Peer } from "./peer.ts";
import { Removals } from "./removals.ts";

export interface HoldingView {
  /** Who can join, and who is a host. */
  rules: RoomRules;
  /** Identities that a host is removing, until that is done. Nothing is sent to them. */
  removing: readonly string[];
  /** Ids of people who are not here any more since a host removed them. */
  removed: readonly string[];
}

export const NOBODY_HELD: HoldingView = { rules: { host: false, hosts: [], mode: "open" }, removing: [], removed: [] };

interface GroupChange {
  readonly rules: RoomRules;
  /** Who is in it from now on. */
  readonly members: readonly Pick<GroupMember, "identity">[];
  readonly departed: readonly Departed[];
}

interface HoldingOptions {
  peers(): Iterable<Pick<Peer, "member" | "media" | "link">>;
  show(change: Partial<HoldingView>): void;
  clock: Clock;
  /** What is said to everybody waits: someone who is here is being removed, and would read it. Or goes again. */
  holdTalk(isHeld: boolean): void;
  /** Those to whom nothing goes may be others from now on. */
  applied(): void;
}

/** To whom nothing is sent though they are in the group, and what hosts say to each member of whom they remove. */
export class Holding {
  readonly #removals = new Removals();
  readonly #peers: HoldingOptions["peers"];
  readonly #show: HoldingOptions["show"];
  readonly #clock: Clock;
  readonly #holdTalk: HoldingOptions["holdTalk"];
  readonly #applied: HoldingOptions["applied"];
  #alarms: readonly Alarm[] = [];
  #rules = NOBODY_HELD.rules;
  #removing = NOBODY_HELD.removing;
  #removed = NOBODY_HELD.removed;

  constructor({ peers, show, clock, holdTalk, applied }: HoldingOptions) {
    this.#peers = peers;
    this.#show = show;
    this.#clock = clock;
    this.#holdTalk = holdTalk;
    this.#applied = applied;
  }

  get rules(): RoomRules {
    return this.#rules;
  }

  /** Identities that a host is removing, until that is done. */
  get removing(): readonly string[] {
    return this.#removing;
  }

  /** Ids of people who are not here any more since a host removed them. */
  get removed(): readonly string[] {
    return this.#removed;
  }

  /** The group in a new epoch, and whom the change took out. */
  changed({ rules, members, departed }: GroupChange): void {
    this.#rules = rules;
    this.#show({ rules });
    const removed = departed.flatMap(({ by, member }) => (by === "removal" ? [member] : []));
    this.#removals.changed(
      new Set(members.map(({ identity }) => identity)),
      removed.map(({ identity }) => identity),
    );
    if (removed.length === 0) return;
    this.#removed = [...this.#removed, ...removed.map(({ leafKeyId }) => leafKeyId)];
    this.#show({ removed: this.#removed });
  }

  alarmed(alarms: readonly Alarm[]): void {
    this.#alarms = alarms;
    this.apply();
  }

  /** This member ordered that identity's removal, or it is done. */
  removal(is: "ordered" | "done", identity: string): void {
    this.#removals[is](identity);
    this.#announce();
    this.apply();
  }

  /** A member said over its own connection whom it removes. */
  heard(from: string, body: Uint8Array): void {
    this.#removals.heard(from, body, this.#clock.now());
    this.apply();
  }

  /** This member's heartbeat goes out: a host's word goes with it, and others' may count no more. */
  beat(): void {
    this.#announce();
    this.apply();
  }

  /**
   * Nothing is sent to members who are in another group, who say that they have a change and do not supply it, or whom a
   * host is removing.
   */
  apply(): void {
    const suspects = suspectsOf(this.#alarms);
    const underWay = this.#removals.underWay(this.#rules, this.#clock.now());
    if (underWay.join() !== this.#removing.join()) this.#show({ removing: underWay });
    this.#removing = underWay;
    let isAnyHere = false;
    for (const { member, media } of this.#peers()) {
      const isRemoved = underWay.includes(member.identity);
      isAnyHere ||= isRemoved;
      void media.hold(suspects.has(member.leafKeyId) || isRemoved);
    }
    this.#holdTalk(isAnyHere);
    this.#applied();
  }

  #announce(): void {
    const { announcement } = this.#removals;
    if (announcement === null || !this.#rules.host) return;
    for (const { link } of this.#peers()) link.say("removing", announcement);
  }
}
