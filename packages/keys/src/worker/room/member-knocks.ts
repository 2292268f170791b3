import { toHex } from "@sealcast/bytes";
import type { Group } from "../mls/group.ts";
import { areHosts } from "../mls/room-state.ts";
import type { Caller } from "./door.ts";
import type { MemberCore } from "./member-core.ts";
import { NOBODY } from "./roster.ts";
import type { FromRoom } from "./wire.ts";

/** A group that is still there after this many heartbeats does not come to a lone member: its members may be away. */
export const MAX_TIMES_MET = 3;

/** Who asks to be let in, what hosts say to that, and when that calls for a commit. */
export class MemberKnocks {
  readonly #core: MemberCore;
  /** Those who wait, as the page last heard. */
  #knockers = "[]";

  constructor(core: MemberCore) {
    this.#core = core;
  }

  /** Someone with the link, or with an old one, asks to be let in. */
  async knocked({ from, at, body }: Extract<FromRoom, { type: "knocked" }>): Promise<void> {
    const { door, roster, committer } = this.#core;
    if (this.#core.group === null) return;
    const caller = await door.read(from, at, body);
    if (typeof caller === "string") return this.#core.drop(caller, from);
    roster.knocked(toHex(caller.applicant.keyPackage.leafNode.signaturePublicKey), from);
    committer.knocked(caller);
    this.plan();
    await this.#receive(this.#core.group, caller);
  }

  /** Someone who cannot be let in at once is told so, by one of the members: who can read the knock. */
  async #receive(group: Group, caller: Caller): Promise<void> {
    const { door, roster, committer } = this.#core;
    if (committer.isLetIn(group, caller)) return;
    if (caller.oldLink !== null && !group.isHost) return;
    const isTurnedAway = committer.hasTurnedAway(caller);
    if (!isTurnedAway && roster.rank(group.leaf, speechless(group, caller)) > 0) return;
    const answer = !isTurnedAway && committer.isAsked(group, caller) ? "waiting" : "turned-away";
    this.#core.toRoom(await door.answer(caller, answer));
  }

  // What hosts alone may do

  appoint(identities: readonly string[]): void {
    if (!areHosts(identities)) throw new Error("a room cannot have these hosts");
    this.#core.committer.appoint(identities);
    this.plan();
  }

  expel(identity: string): void {
    const { group, committer } = this.#core;
    const isHere = group?.members.some((member) => member.identity === identity && !member.me) ?? false;
    if (!isHere || !group?.isHost) return;
    committer.expel(identity);
    this.#core.tell({ type: "removal", identity, is: "ordered" });
    this.plan();
  }

  async decided(seat: string, yes: boolean): Promise<void> {
    const refused = this.#core.committer.decided(seat, yes);
    if (refused !== null) this.#core.toRoom(await this.#core.door.answer(refused, "turned-away"));
    this.plan();
  }

  /** The page of a host hears who waits whenever that changes. */
  #tellKnockers(group: Group): void {
    const { committer } = this.#core;
    const waiting = group.isHost ? committer.waiting(group) : [];
    const knockers = waiting.map(({ applicant: { seat, identity, name }, oldLink }) => {
      return { seat, identity, name, oldLink: oldLink !== null, removed: committer.hasRemoved(identity) };
    });
    if (JSON.stringify(knockers) === this.#knockers) return;
    this.#knockers = JSON.stringify(knockers);
    this.#core.tell({ type: "knockers", knockers });
  }

  // When this member commits

  plan(): void {
    const group = this.committing;
    if (group === null) return this.#core.committer.close();
    this.#core.committer.plan(group);
    this.#tellKnockers(group);
  }

  /** The group, while this member can commit in it. */
  get committing(): Group | null {
    const { isOut, isBehind, group } = this.#core;
    return isOut || isBehind || this.#isLeaving ? null : group;
  }

  /** The room goes on elsewhere, and its members ask to be let in there: commits here would keep them in this branch. */
  get #isLeaving(): boolean {
    const { group, timesMet, application, heartbeats, committer } = this.#core;
    const isLone = group?.members.length === 1 && timesMet <= MAX_TIMES_MET;
    if (isLone && application.isHopeful) return true;
    // A host that is to be removed keeps itself in by no word of its own.
    return heartbeats.isApart && !(group !== null && committer.isRemoving(group));
  }
}

/** The leaves that may not act as host. */
export function guestsOf({ members, hosts }: Group): ReadonlySet<number> {
  return new Set(members.filter(({ identity }) => !hosts.includes(identity)).map(({ leaf }) => leaf));
}

/** The leaves that cannot answer: only hosts have the old links. */
function speechless(group: Group, { oldLink }: Caller): ReadonlySet<number> {
  return oldLink === null ? NOBODY : guestsOf(group);
}
