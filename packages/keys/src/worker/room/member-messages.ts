import { equal } from "@sealcast/bytes";
import { atMostEvery, milli } from "@sealcast/time";
import type { GroupMember, ToKeys } from "../../shared/messages.ts";
import type { Group } from "../mls/group.ts";
import { ALL, encodePlaintext, MAX_BODY, type MessageContent, parsePlaintext } from "../plaintext.ts";
import { LeafBudgets } from "./leaf-budgets.ts";
import type { MemberCommits } from "./member-commits.ts";
import type { MemberCore } from "./member-core.ts";
import { Streams } from "./streams.ts";
import type { FromRoom } from "./wire.ts";

/** Messages kept for an epoch that this member has not reached; each is at most 48 KiB. */
const MAX_EARLY = 256;
const MAX_UNECHOED = 256;
/** Between two answers to greetings. Each is for everybody, so one is enough for all who greet meanwhile. */
const ANSWER_GAP = milli(1000);

/** Why a message does not open, as the page counts it. */
const DROPS = {
  malformed: "bad-message",
  invalid: "bad-message",
  "past-epoch": "stale",
  replayed: "replayed",
} as const;

/** What a member says inside the group, and hears there: greetings and goodbyes, and the page's messages. */
export class MemberMessages {
  readonly #core: MemberCore;
  readonly #commits: MemberCommits;
  readonly #streams: Streams;
  readonly #budgets: LeafBudgets;
  readonly #answer: () => void;
  /** Leaves that are known to hold the present epoch. */
  readonly #holders = new Set<number>();
  /** Messages of epochs that this member has not reached. */
  #early: { epoch: number; body: Uint8Array }[] = [];
  /** To be sealed and relayed once the task at hand is done. */
  #outbox: { to: number; content: MessageContent }[] = [];
  /** Relayed, and not come back in the room's order yet. */
  #unechoed: Uint8Array[] = [];
  /** Something was said while there was no socket: it goes once there is one. */
  #leftOut = false;

  constructor(core: MemberCore, commits: MemberCommits) {
    this.#core = core;
    this.#commits = commits;
    this.#streams = new Streams({
      clock: core.clock,
      transmit: (to, content) => this.#say(to, content),
      deliver: (from, body) => core.tell({ type: "message", from, body }),
      arrived: (receipt, missed) => core.tell({ type: "delivered", receipt, missed }),
    });
    this.#budgets = new LeafBudgets(core.clock, (from) => core.tell({ type: "flood", from }));
    this.#answer = atMostEvery(core.clock, ANSWER_GAP, () => this.hello());
  }

  // What this member says

  send({ to, body, receipt, as }: Extract<ToKeys, { type: "send" }>): void {
    if (body.length > MAX_BODY) return this.#core.note("unsent", "too long");
    const { members = [] } = this.#core.group ?? {};
    // This member has joined afresh meanwhile: the page says again what it said as the one before.
    if (as !== undefined && !members.some(({ me, leafKeyId }) => me && leafKeyId === as)) return;
    const leaf = to === "all" ? to : members.find(({ leafKeyId }) => leafKeyId === to)?.leaf;
    // The member on that leaf now is another one, and what was for the one before would confuse it.
    if (leaf === undefined) return;
    if (!this.#streams.send(leaf, body, receipt)) this.#core.note("unsent", `to leaf ${leaf}`);
  }

  hello(): void {
    this.#say(ALL, { type: "hello", member: this.#core.roomMember });
  }

  bye(): void {
    this.#say(ALL, { type: "bye" });
  }

  #say(to: number, content: MessageContent): void {
    this.#outbox.push({ to, content });
    // Timers say things too, outside any task.
    void this.#core.run(() => undefined);
  }

  async emptyOutbox(): Promise<void> {
    const { group } = this.#core;
    if (group === null || group.members.length === 1) {
      this.#outbox = [];
      return;
    }
    // One by one: what cannot be sealed takes nothing with it that waits behind it.
    for (let said = this.#outbox.shift(); said !== undefined; said = this.#outbox.shift())
      await this.#relay(group, said);
  }

  async #relay(group: Group, { to, content }: { to: number; content: MessageContent }): Promise<void> {
    if (!this.#core.connected && (content.type === "data" || content.type === "ack")) {
      this.#leftOut = true;
      return;
    }
    const body = await group.seal(encodePlaintext(to, content));
    this.#unechoed = [...this.#unechoed, body].slice(-MAX_UNECHOED);
    this.#core.toRoom({ type: "relay", body });
  }

  /** In a new session: what was relayed before it comes back no more. */
  forgetRelayed(): void {
    this.#unechoed = [];
  }

  /** What has not come back may be lost. */
  relayAgain(): void {
    for (const body of this.#unechoed) this.#core.toRoom({ type: "relay", body });
    if (this.#leftOut) this.#streams.restart();
    this.#leftOut = false;
  }

  // Epochs

  /** Who holds the epoch that begins is not known yet. */
  forgetHolders(): void {
    this.#holders.clear();
  }

  enter(epoch: number, members: readonly GroupMember[]): void {
    this.#budgets.enter(members);
    this.#streams.enter(epoch, members);
  }

  /** The others may have missed what was said. */
  restart(): void {
    this.#streams.restart();
  }

  reset(): void {
    this.#streams.reset();
  }

  close(): void {
    this.#streams.close();
  }

  /** Senders may switch once everybody in the group can follow. */
  checkHolders(group: Group): void {
    const everybody = group.members.every(({ leaf, me }) => me || this.#holders.has(leaf));
    if (everybody) this.#core.mediaKeys.acknowledged(group.epoch);
  }

  async openEarly(epoch: number): Promise<void> {
    const due = this.#early.filter((message) => message.epoch === epoch);
    this.#early = this.#early.filter((message) => message.epoch > epoch);
    for (const { body } of due) await this.#open(body);
  }

  #keepEarly(epoch: number, body: Uint8Array): void {
    this.#commits.askLater();
    if (this.#early.length === MAX_EARLY) return this.#core.drop("bad-message", "too many of a future epoch");
    this.#early.push({ epoch, body });
  }

  // What others say

  async relayed({ body }: Extract<FromRoom, { type: "relayed" }>): Promise<void> {
    const echo = this.#unechoed.findIndex((sent) => equal(sent, body));
    if (echo >= 0) this.#unechoed.splice(echo, 1);
    else await this.#open(body);
  }

  async #open(body: Uint8Array): Promise<void> {
    const { group, roster, heartbeats } = this.#core;
    if (group === null) return;
    const opened = await group.open(body);
    if (opened.ok) {
      const message = parsePlaintext(opened.plaintext);
      if (message === null) return this.#core.drop("bad-message", "malformed content");
      roster.heard(opened.from);
      heartbeats.met(opened.from.leafKeyId);
      if (message.to !== ALL && message.to !== group.leaf) return;
      if (this.#budgets.tryTake(opened.from)) this.#listen(group, opened.epoch, opened.from, message);
    } else if (opened.drop === "future-epoch") this.#keepEarly(opened.epoch, body);
    else if (opened.drop !== "own") this.#core.drop(DROPS[opened.drop], opened.drop);
  }

  #listen(
    group: Group,
    epoch: number,
    from: GroupMember,
    { to, content }: { to: number; content: MessageContent },
  ): void {
    switch (content.type) {
      case "hello":
        return this.#greeted(group, epoch, from, content.member);
      case "bye":
        this.#core.roster.bye(from);
        return this.#core.plan();
      case "data":
      case "ack":
        return this.#streams.received(from, to, content);
    }
  }

  #greeted(group: Group, epoch: number, from: GroupMember, roomMember: string): void {
    const hasReconnected = this.#core.roster.hello(from, roomMember);
    if (epoch === group.epoch) {
      this.#holders.add(from.leaf);
      this.checkHolders(group);
      // It does not know who else is still there.
      if (hasReconnected) this.#answer();
    }
    this.#core.plan();
  }
}
