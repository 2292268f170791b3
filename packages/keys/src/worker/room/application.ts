import { toHex } from "@sealcast/bytes";
import { Secret } from "@sealcast/crypto";
import { type Cancel, type Clock, type Milli, milli } from "@sealcast/time";
import { encodeKeyPackage } from "ts-mls/keyPackage.js";
import { type Membership, makeKeyPackage } from "../mls/key-package.ts";
import { isOffered } from "../mls/knock-key.ts";
import type { OwnKeyPackage } from "../mls/welcome.ts";
import { openHandover } from "./handover.ts";
import { openAnswer, sealKnock } from "./knock.ts";
import type { FromRoom, ToRoom } from "./wire.ts";

const PATIENCE = milli(30_000);
/** While a host has to decide. */
const PATIENCE_WITH_CREATOR = milli(600_000);
/** More than are made within the patience, where the room has several groups: a Welcome may be for any of them. */
const MAX_PACKAGES = 64;
/** Links that were handed over, of which one may be true. */
const MAX_HANDED = 4;
/** The first requests are for the oldest group's knock key alone. */
const REQUESTS_FOR_THE_OLDEST = 2;

type KnockKeys = Extract<FromRoom, { type: "knock-keys" }>["tips"];

/** What an application does to the world. */
interface Surroundings {
  readonly membership: Membership;
  readonly clock: Clock;
  /** Runs `task` in the member's queue after `delay`. */
  later(delay: Milli, task: () => Promise<void> | void): Cancel;
  toRoom(message: Extract<ToRoom, { type: "request-keys" | "knock" }>): void;
  /** The node of the epoch that this member is in; null: it is in none. */
  node(): string | null;
  /** A member has read the knock. `waiting`: a host has to decide. `turned-away`: not everywhere, and the knocking goes on. */
  answered(is: "waiting" | "turned-away"): void;
  /** `turned-away`: by members of every group that the server named. `not-admitted`: no member let this one in. */
  ended(why: "turned-away" | "not-admitted"): void;
}

/** A knock that went out. */
interface Sent {
  readonly own: OwnKeyPackage;
  /** The node of the epoch that it was for. */
  readonly at: string;
}

/** Knocking until a member lets this one in: each time with a fresh key package, for 30 s. */
export class Application {
  readonly #around: Surroundings;
  #knocks: Sent[] = [];
  /** A key package that was in no knock yet. */
  #spare: OwnKeyPackage | null = null;
  /** Leaf keys (hex) of everything that was ever sent lately. */
  #sent: string[] = [];
  #requestedAt = milli(Number.NEGATIVE_INFINITY);
  #requests = 0;
  /** Whose knock keys are to come. */
  #awaited: "none" | "oldest" | "all" = "none";
  /** Nodes of the epochs that the server named last under this member's link, and whether that was for all groups. */
  #named: { readonly nodes: readonly string[]; readonly all: boolean } | null = null;
  /** By node: what a member said last to the knock there. */
  readonly #answers = new Map<string, "waiting" | "turned-away">();
  #interval: Milli | null = null;
  /** This member leaves its branch for another one: who is left in its own must not let it in there again. */
  #isLeaving = false;
  #cancelRequest: Cancel | null = null;
  #cancelPatience: Cancel | null = null;
  /** For anyone who came with an old link: what is said to be the present one. Anyone who has the old one can say so. */
  #handed: Secret[] = [];

  constructor(around: Surroundings) {
    this.#around = around;
  }

  get isOpen(): boolean {
    return this.#interval !== null;
  }

  /** A member may let this one in: it does not know yet where it can knock, or knows a place. */
  get isHopeful(): boolean {
    return this.isOpen && this.#named?.nodes.length !== 0;
  }

  /** What a Welcome may be for. */
  get packages(): readonly OwnKeyPackage[] {
    return this.#knocks.map(({ own }) => own);
  }

  /** Links by which a Welcome may open, besides the one that this member came with. */
  get handed(): readonly Secret[] {
    return this.#handed;
  }

  /** Whether this leaf key (hex) is from a key package of ours. */
  isOurs(leafKeyId: string): boolean {
    return this.#sent.includes(leafKeyId);
  }

  /** Makes a key package while there is time: the first knock goes out the sooner. */
  async prepare(): Promise<void> {
    this.#spare ??= await makeKeyPackage(this.#around.membership);
  }

  /**
   * Asks where to knock every `interval`, at first at once unless it asked less than `interval` ago. `isOffered`: the server
   * gives the first knock keys unasked. `isLeaving`: at all groups at once, and not in the epoch that this member is in.
   */
  start(interval: Milli, { isOffered = false, isLeaving = false } = {}): void {
    this.#stop();
    this.#interval = interval;
    this.#isLeaving = isLeaving;
    this.#cancelPatience = this.#around.later(PATIENCE, () => this.#expired());
    if (isOffered) return this.#expect(interval, "oldest");
    const wait = Math.max(0, this.#requestedAt + interval - this.#around.clock.now());
    this.#cancelRequest = this.#around.later(milli(wait), () => this.#request());
  }

  /** Epochs at which this member can knock. */
  async offered(tips: KnockKeys): Promise<void> {
    if (this.#awaited === "none") return;
    const { room } = this.#around.membership;
    const all = this.#awaited === "all";
    this.#awaited = "none";
    const open = new Map<string, KnockKeys>();
    const left = this.#isLeaving ? this.#around.node() : null;
    for (const tip of tips.filter(({ at }) => at !== left))
      if (await isOffered(tip, { room, at: tip.at }, this.#around.membership.linkSecret.reveal()))
        open.set(tip.at, [...(open.get(tip.at) ?? []), tip]);
    this.#named = { nodes: [...open.keys()], all };
    for (const [at, keys] of open) {
      // Any member can give the server a wrong key for their epoch: each has its turn.
      const key = keys[(this.#requests - 1) % keys.length];
      if (key !== undefined && this.#answers.get(at) !== "turned-away") await this.#knock(key);
    }
    this.#judge();
  }

  /** A member answers the knock. Only who could read it knows its leaf key. */
  async answered(body: Uint8Array): Promise<void> {
    const { room, linkSecret } = this.#around.membership;
    for (const { own, at } of this.#knocks) {
      const { signaturePublicKey } = own.publicPackage.leafNode;
      const answer = await openAnswer(linkSecret.reveal(), room, signaturePublicKey, body);
      if (answer === null) continue;
      if (typeof answer === "object") return this.#receive(own, answer.link);
      // A host's no counts, whatever a member says who has not heard of it.
      if (this.#answers.get(at) === "turned-away") return;
      this.#answers.set(at, answer);
      // Who is in a group of its own keeps others out of that meanwhile, and asks again.
      if (answer === "waiting" && this.#around.node() === null) this.#wait();
      return this.#judge();
    }
  }

  /** A group that the server calls the oldest can be a made-up one: what it says is not the end while others are there. */
  #judge(): void {
    if (this.#named === null) return;
    const { nodes, all } = this.#named;
    const answers = nodes.map((at) => this.#answers.get(at));
    if (answers.includes("waiting")) return this.#around.answered("waiting");
    if (!answers.includes("turned-away")) return;
    if (!all) return this.#request();
    if (answers.every((answer) => answer === "turned-away")) return this.#around.ended("turned-away");
    this.#around.answered("turned-away");
  }

  /** The Welcome that follows tells whether it is true: until then the member's own link goes on. */
  async #receive(own: OwnKeyPackage, sealed: Uint8Array): Promise<void> {
    const secret = await openHandover(this.#around.membership, own, sealed);
    if (secret === null) return;
    this.#handed.push(new Secret(secret));
    if (this.#handed.length > MAX_HANDED) this.#handed.shift()?.erase();
  }

  #wait(): void {
    this.#cancelPatience?.();
    this.#cancelPatience = this.#around.later(PATIENCE_WITH_CREATOR, () => this.#expired());
  }

  #expired(): void {
    const isTurnedAway = [...this.#answers.values()].includes("turned-away");
    this.close();
    this.#around.ended(isTurnedAway ? "turned-away" : "not-admitted");
  }

  /** The way to the room was interrupted: starts over, with all its patience. */
  restart(isOffered: boolean): void {
    if (this.#interval === null) return;
    this.#requestedAt = milli(Number.NEGATIVE_INFINITY);
    this.start(this.#interval, { isOffered, isLeaving: this.#isLeaving });
  }

  close(): void {
    this.#stop();
    this.#spare = null;
    for (const link of this.#handed.splice(0)) link.erase();
  }

  #stop(): void {
    this.#cancelRequest?.();
    this.#cancelPatience?.();
    this.#interval = null;
    this.#knocks = [];
    this.#requests = 0;
    this.#awaited = "none";
    this.#named = null;
    this.#answers.clear();
  }

  #request(): void {
    if (this.#interval === null) return;
    const all = this.#isLeaving || this.#requests >= REQUESTS_FOR_THE_OLDEST || this.#answers.size > 0;
    this.#expect(this.#interval, all ? "all" : "oldest");
    this.#around.toRoom({ type: "request-keys", all });
  }

  #expect(interval: Milli, whose: "oldest" | "all"): void {
    const { clock, later } = this.#around;
    this.#requests += 1;
    this.#awaited = whose;
    this.#requestedAt = clock.now();
    this.#cancelRequest?.();
    this.#cancelRequest = later(interval, () => this.#request());
  }

  async #knock({ at, key }: KnockKeys[number]): Promise<void> {
    const { membership, toRoom } = this.#around;
    const own = this.#spare ?? (await makeKeyPackage(membership));
    this.#spare = own;
    const { room, suite } = membership;
    const context = {
      room,
      at,
      link: this.#around.membership.linkSecret.reveal(),
      suite,
      seconds: membership.seconds(),
    };
    const body = await sealKnock(context, key, encodeKeyPackage(own.publicPackage));
    if (body === null) return;
    this.#spare = null;
    this.#knocks = [...this.#knocks, { own, at }].slice(-MAX_PACKAGES);
    this.#sent = [...this.#sent, toHex(own.publicPackage.leafNode.signaturePublicKey)].slice(-2 * MAX_PACKAGES);
    toRoom({ type: "knock", at, body });
  }
}
