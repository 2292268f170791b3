import { importBaseKey, Secret } from "@sealcast/crypto";
import { milli } from "@sealcast/time";
import type { Departed, GroupMember } from "../../shared/messages.ts";
import { KEY_SIZE } from "../../shared/sizes.ts";
import { BASE_KEY_LABEL, type EpochCause } from "../media-keys.ts";
import { type Change, Group } from "../mls/group.ts";
import { fingerprintOf } from "../mls/knock-key.ts";
import type { RemovalChanges } from "./committer.ts";
import { hashRoster } from "./heartbeat.ts";
import { MemberCommits } from "./member-commits.ts";
import type { MemberCore } from "./member-core.ts";
import { MemberHeartbeats } from "./member-heartbeats.ts";
import { MAX_TIMES_MET, type MemberKnocks } from "./member-knocks.ts";
import { MemberMessages } from "./member-messages.ts";
import type { FromMember, FromRoom } from "./wire.ts";

const OUTER_KEY_LABEL = "Sealcast second layer";
const KNOCK_EVERY = milli(3000);
/** How long messages of an epoch that was left can still be opened. */
const KEEP_EPOCH = milli(10_000);
const PATIENCE_WITH_FETCH = milli(3000);
/** After strangers took this member into their group, this many heartbeats about another one are not heeded. */
const STAY_AFTER_STRANGERS = 15;

type Incoming<T extends FromRoom["type"]> = Extract<FromRoom, { type: T }>;

/** How a member comes into the room and its group, goes from one epoch to the next, and leaves. */
export class MemberLifecycle {
  readonly commits: MemberCommits;
  readonly heartbeats: MemberHeartbeats;
  readonly messages: MemberMessages;
  readonly #core: MemberCore;
  /** The node for which the server was offered a knock key in this session, or has the right one. */
  #offeredAt: string | null = null;
  /** Identities of all who were in a group with this member, but for those whom hosts removed. */
  readonly #company = new Set<string>();
  /** In a new session: the others hear where this member is once the server has said where that leads. */
  #isNewSession = false;

  constructor(core: MemberCore, knocks: MemberKnocks) {
    this.#core = core;
    this.commits = new MemberCommits(core, {
      knocks,
      entered: (group, step, change) => this.#entered(group, step, change),
      end: (last) => this.#end(last),
    });
    this.heartbeats = new MemberHeartbeats(core, this.commits);
    this.messages = new MemberMessages(core, this.commits);
  }

  // Coming

  /** A room opens to proof of its link: of the present one, or of the one that this member came with. */
  async challenged(nonce: string): Promise<void> {
    const challenge = { nonce, host: this.#core.membership.host };
    this.#core.challenge = challenge;
    const key = await this.#core.ownDoor();
    this.#core.toRoom({ type: "join", nonce, ...(await key.prove("join", challenge)) });
    if (this.#core.group === null) await this.#core.application.prepare();
  }

  async joined({ member, resumed }: Incoming<"joined">): Promise<void> {
    const { application, door } = this.#core;
    this.#core.roomMember = member;
    this.#core.connected = true;
    if (!resumed) {
      this.messages.forgetRelayed();
      this.#offeredAt = null;
      this.#isNewSession = this.#core.group !== null;
      // Those who missed a removal still come by the door that it closed.
      await this.#core.listenAt(door.former);
    }
    this.messages.relayAgain();
    if (this.#core.group !== null) {
      this.#core.enter(this.#core.group);
      await this.commits.send();
    }
    if (application.isOpen) return application.restart(!resumed);
    if (this.#core.group === null) return application.start(KNOCK_EVERY, { isOffered: !resumed });
  }

  /**
   * Once in a session and epoch, with the knock key that the server lacks: an epoch is new to it, old links admit here too,
   * or who began the epoch gave it another one, by which nobody could come in.
   */
  async #offerKnockKey(group: Group, known: readonly string[]): Promise<void> {
    const { node, token } = group.place;
    if (this.#offeredAt === node) return;
    const knockKey = await this.#core.door.knockKey(group);
    this.#offeredAt = node;
    if (!known.includes(await fingerprintOf(knockKey))) this.#core.toRoom({ type: "enter", token, knockKey });
  }

  /** The server says where the epoch that this member entered stands among its commits. */
  async stands({ at, is, knockKeys }: Incoming<"entered">): Promise<void> {
    const { group } = this.#core;
    if (group === null || at !== group.place.node) return;
    if (is === "ended") return this.commits.catchUp(group);
    await this.#offerKnockKey(group, knockKeys);
    const wasBehind = this.#core.isBehind;
    this.#core.isBehind = false;
    if (this.#isNewSession) this.#introduceSession();
    else if (wasBehind) this.messages.hello();
    this.#core.plan();
  }

  /** In a new session: the server may have forgotten what the room had ordered, and the others who is who. */
  #introduceSession(): void {
    this.#isNewSession = false;
    this.commits.restock();
    this.#core.roster.doubt();
    this.messages.hello();
    this.messages.restart();
  }

  /** Nobody in the room is in a group: this member founds one, unless it has one. */
  async alone(): Promise<void> {
    if (this.#core.group !== null && !this.#core.isOut) return;
    this.#forgetGroup();
    const group = await Group.create(this.#core.membership);
    this.#core.group = group;
    await this.#entered(group, "start", null);
  }

  /**
   * Alone in its group, a member knocks at a larger one. Of two that are alone, the one with the higher node does: the other
   * one stays and lets it in, though it knocked before by a node that either of them had then.
   */
  met(tips: Incoming<"groups">["tips"]): void {
    const { group, isOut, application } = this.#core;
    if (group === null || isOut || group.members.length > 1) return;
    const { node } = group.place;
    if (!application.isOpen) this.#core.timesMet += 1;
    const { timesMet } = this.#core;
    const gives = ({ at, sessions }: { at: string; sessions: number }) =>
      at !== node && (sessions > 1 || at < node || timesMet > MAX_TIMES_MET);
    if (timesMet > 0 && tips.some(gives)) this.#core.resync("another group is here");
    else application.close();
  }

  /** Where it lacks a commit, others give that soon after they have it, and this member keeps its leaf. */
  offeredKeys(tips: Incoming<"knock-keys">["tips"]): Promise<void> | void {
    const { application } = this.#core;
    if (!this.commits.lacksCommit) return application.offered(tips);
    this.#core.later(PATIENCE_WITH_FETCH, () => application.offered(tips));
  }

  async welcomed({ body }: Incoming<"welcomed">): Promise<void> {
    const { application, membership } = this.#core;
    if (!application.isOpen) return this.#core.drop("bad-welcome", "not asked for");
    const joined = await this.#join(body);
    if (joined === null) return this.#core.drop("bad-welcome", "does not verify");
    const { group, link } = joined;
    if (!this.#follows(group)) return this.#stay();
    if (link !== membership.linkSecret) this.#takeLink(link);
    this.#forgetGroup();
    this.#core.group = group;
    await this.#entered(group, "start", null);
  }

  /** The group of a Welcome, and the link that opened it. */
  async #join(welcome: Uint8Array): Promise<{ group: Group; link: Secret } | null> {
    const { application, membership } = this.#core;
    const { packages, handed } = application;
    for (const link of [membership.linkSecret, ...handed]) {
      const group = await Group.join(membership, packages, welcome, link);
      if (group !== null) return { group, link };
    }
    return null;
  }

  /** Where not everybody may come in, no stranger with the link takes this member out of its group into one of their own. */
  #follows({ inviter }: Group): boolean {
    const { group } = this.#core;
    return group === null || group.room.mode === "open" || this.#company.has(inviter ?? "");
  }

  #stay(): void {
    this.#core.drop("bad-welcome", "of a stranger's group");
    if (this.#core.isOut || this.#core.group?.members.length !== 1) return;
    this.#core.application.close();
    this.#core.timesMet = -STAY_AFTER_STRANGERS;
  }

  // Epochs

  /** The group is in another epoch now: `change` is what the commit did, null for a newcomer's first epoch. */
  async #entered(group: Group, step: EpochCause, change: Change | null): Promise<void> {
    const { epoch, leaf, members } = group;
    const left = this.#core.door.enter(group, change);
    if (change?.newLink) await this.#replaceLink(group);
    this.#core.enter(group);
    this.commits.entered();
    this.#core.timesMet = 0;
    this.messages.forgetHolders();
    for (const { identity } of members) this.#company.add(identity);
    for (const { identity } of change?.newLink ? change.removed : []) this.#company.delete(identity);
    this.#core.roster.enter(members, change === null, group.room.mode !== "open");
    const removals = this.#core.committer.entered(change);
    const place = { epoch, authenticator: group.authenticator.slice(), roster: await hashRoster(members) };
    this.heartbeats.enter(place, group, change === null);
    const bytes = await group.exportSecret(BASE_KEY_LABEL, KEY_SIZE);
    const two = this.#core.membership.layers === 2;
    const outerKey = two ? await group.exportSecret(OUTER_KEY_LABEL, KEY_SIZE) : null;
    const leaves = members.map((member) => member.leaf);
    await this.#core.frameSigners.enter(group);
    this.#core.mediaKeys.enter({ epoch, leaf, leaves, baseKey: await importBaseKey(bytes), outerKey }, step);
    bytes.fill(0);
    await this.heartbeats.keepSecret(group);
    this.#core.later(KEEP_EPOCH, () => {
      group.forget(epoch - 1);
      for (const node of left) this.#core.door.leave(node);
    });
    this.#tellMembers(group, change, removals);
    // On the way through fetched commits the others are further on already.
    if (!this.#core.isBehind) this.messages.hello();
    this.messages.enter(epoch, members);
    await this.messages.openEarly(epoch);
    this.messages.checkHolders(group);
    this.#core.plan();
  }

  #tellMembers(group: Group, change: Change | null, { ordered, done }: RemovalChanges): void {
    const { epoch, members, isHost, hosts, room } = group;
    const rules = { host: isHost, hosts, mode: room.mode };
    this.#core.tell({ type: "members", epoch, members, rules, departed: change === null ? [] : departedBy(change) });
    for (const identity of isHost ? ordered : []) this.#core.tell({ type: "removal", identity, is: "ordered" });
    for (const identity of done) this.#core.tell({ type: "removal", identity, is: "done" });
  }

  /** This member came with an old one, and was given the one that admits. */
  #takeLink(link: Secret): void {
    const { membership } = this.#core;
    membership.linkSecret.erase();
    membership.linkSecret = new Secret(link.reveal().slice());
    this.#tellLink();
  }

  /** Anyone who was removed has the old one. Hosts go on reading knocks under it. */
  async #replaceLink(group: Group): Promise<void> {
    await this.#core.door.replaceLink(await group.laterLinkSecret(), group.isHost);
    this.#tellLink();
  }

  #tellLink(): void {
    this.#core.tell({ type: "link", secret: this.#core.membership.linkSecret.reveal().slice() });
  }

  // Going

  /** Alone there is nobody to be taken in by, and nothing to open. */
  rejoin(): void {
    const { group } = this.#core;
    if (group !== null && group.members.length > 1) this.#core.resync("media does not open");
  }

  /** Another group takes the place of the one at hand, if there is one. */
  #forgetGroup(): void {
    const { application, door, committer } = this.#core;
    application.close();
    door.leaveAll();
    committer.reset();
    this.messages.reset();
    this.commits.forgetGroup();
    this.heartbeats.forgetSecrets();
    this.#core.isOut = false;
    this.#core.isBehind = false;
  }

  /** Nobody lets this member in. Where it only asked for a fresh seat, its group goes on. */
  notLetIn(why: "turned-away" | "not-admitted"): void {
    const { group, isOut, application } = this.#core;
    if (group === null || isOut) return this.#end({ type: "refused", why });
    // Alone, it asks as long as it would wait for an answer: who it let in meanwhile would stay beside the room for good.
    if (group.members.length > 1) application.close();
  }

  async leave(): Promise<void> {
    this.messages.bye();
    await this.messages.emptyOutbox();
    this.#end({ type: "left" });
  }

  #end(last: FromMember): void {
    const { application, door, committer, roster, mediaKeys } = this.#core;
    this.#core.isOver = true;
    this.commits.close();
    application.close();
    door.close();
    for (const part of [committer, roster, this.messages, mediaKeys]) part.close();
    this.#core.tell(last);
  }
}

/** Who is out by this change, and not only on another leaf. */
function departedBy({ added, removed, newLink }: Change): Departed[] {
  const comesBack = (who: GroupMember) =>
    added.some(({ identity, seat }) => identity + seat === who.identity + who.seat);
  return removed.filter((who) => !comesBack(who)).map((member) => ({ member, by: newLink ? "removal" : "leave" }));
}
