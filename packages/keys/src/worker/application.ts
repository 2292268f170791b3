import { toHex } from "@sealcast/bytes";
import { Secret } from "@sealcast/crypto";
import { type Cancel, type Clock, type Milli, milli } from "@sealcast/time";
import { encodeKeyPackage } from "ts-mls/keyPackage.js";
import { openHandover } from "./handover.ts";
import { type Membership, makeKeyPackage } from "./key-package.ts";
import { openAnswer, sealKnock } from "./knock.ts";
import type { OwnKeyPackage } from "./welcome.ts";

const PATIENCE = milli(30_000);
/** While a host has to decide. */
const PATIENCE_WITH_CREATOR = milli(600_000);
/** As many as are made within the patience: a Welcome may be for any of them. */
const MAX_PACKAGES = 12;
/** Links that were handed over, of which one may be true. */
const MAX_HANDED = 4;

/** What an application does to the world. */
interface Surroundings {
  readonly membership: Membership;
  readonly clock: Clock;
  /** Runs `task` in the member's queue after `delay`. */
  later(delay: Milli, task: () => Promise<void> | void): Cancel;
  knock(body: Uint8Array): void;
  /** Somebody in the room has read the knock, and a host has to decide. */
  waiting(): void;
  turnedAway(): void;
  /** Nobody let this member in. */
  expired(): void;
}

/** Knocking until somebody lets this member in: a fresh key package each time, for 30 s. */
export class Application {
  readonly #around: Surroundings;
  #packages: OwnKeyPackage[] = [];
  /** Leaf keys (hex) of everything that was ever sent lately. */
  #sent: string[] = [];
  #knockedAt = milli(Number.NEGATIVE_INFINITY);
  #interval: Milli | null = null;
  #cancelKnock: Cancel | null = null;
  #cancelPatience: Cancel | null = null;
  /** For whoever came with an old link: what is said to be the present one. Whoever has the old one can say so. */
  #handed: Secret[] = [];

  constructor(around: Surroundings) {
    this.#around = around;
  }

  get isOpen(): boolean {
    return this.#interval !== null;
  }

  /** What a Welcome may be for. */
  get packages(): readonly OwnKeyPackage[] {
    return this.#packages;
  }

  /** Links by which a Welcome may open, besides the one that this member came with. */
  get handed(): readonly Secret[] {
    return this.#handed;
  }

  /** Whether this leaf key (hex) is from a key package of ours. */
  isOurs(occupancy: string): boolean {
    return this.#sent.includes(occupancy);
  }

  /** Knocks, at once unless the last knock was less than `interval` ago, and then every `interval`. */
  start(interval: Milli): void {
    this.#stop();
    this.#interval = interval;
    this.#cancelPatience = this.#around.later(PATIENCE, () => this.#around.expired());
    const wait = Math.max(0, this.#knockedAt + interval - this.#around.clock.now());
    this.#cancelKnock = this.#around.later(milli(wait), () => this.#knock());
  }

  /** Somebody in the room answers the knock. */
  async answered(body: Uint8Array): Promise<void> {
    const { room, linkSecret } = this.#around.membership;
    for (const own of this.#packages) {
      const { signaturePublicKey } = own.publicPackage.leafNode;
      const answer = await openAnswer(linkSecret.reveal(), room, signaturePublicKey, body);
      if (answer === "turned-away") return this.#around.turnedAway();
      if (answer === "waiting") return this.#wait();
      if (answer !== null) return this.#receive(own, answer.link);
    }
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
    this.#cancelPatience = this.#around.later(PATIENCE_WITH_CREATOR, () => this.#around.expired());
    this.#around.waiting();
  }

  /** The way to the room was interrupted: starts over, with all its patience. */
  restart(): void {
    if (this.#interval === null) return;
    this.#knockedAt = milli(Number.NEGATIVE_INFINITY);
    this.start(this.#interval);
  }

  close(): void {
    this.#stop();
    for (const link of this.#handed.splice(0)) link.erase();
  }

  #stop(): void {
    this.#cancelKnock?.();
    this.#cancelPatience?.();
    this.#interval = null;
    this.#packages = [];
  }

  async #knock(): Promise<void> {
    if (this.#interval === null) return;
    const { membership, clock, later } = this.#around;
    this.#knockedAt = clock.now();
    this.#cancelKnock = later(this.#interval, () => this.#knock());
    const own = await makeKeyPackage(membership);
    this.#packages = [...this.#packages, own].slice(-MAX_PACKAGES);
    this.#sent = [...this.#sent, toHex(own.publicPackage.leafNode.signaturePublicKey)].slice(-2 * MAX_PACKAGES);
    const keyPackage = encodeKeyPackage(own.publicPackage);
    this.#around.knock(
      await sealKnock(membership.linkSecret.reveal(), membership.room, membership.seconds(), keyPackage),
    );
  }
}
