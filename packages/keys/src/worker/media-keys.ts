import { type Cancel, type Clock, type Milli, milli } from "@sealcast/time";
import type { EpochKeys, FrameSigning, KeyUpdate } from "../shared/messages.ts";

/** What an epoch's base key is derived for, in a call and in a live stream (PROTOCOL.md). */
export const BASE_KEY_LABEL = "SFrame 1.0 Base Key";

/** How long senders wait for everybody to hold a new epoch. */
const SWITCH_AFTER_ADDITIONS = milli(500);
const SWITCH_AFTER_REMOVAL = milli(1000);
/** Nobody has come or gone: there is time for thousands of viewers to have the key. */
const SWITCH_AFTER_ROTATION = milli(3000);
/** How long frames of an epoch that was left may still be opened. */
const KEEP = milli(10_000);
const KEEP_AFTER_REMOVAL = milli(3000);
/** Frames carry 4 bits of the epoch. */
const EPOCH_RANGE = 16;
const MAX_PORTS = 64;

interface LiveEpoch {
  readonly id: number;
  readonly keys: EpochKeys;
  /** Set once the epoch was left. */
  drop: { due: Milli; cancel: Cancel } | null;
}

/** How an epoch came to be: this member's first in the group, by a commit, or by a live stream's rotation. */
export type EpochCause = "start" | "additions" | "removal" | "rotation";

const SWITCH_AFTER: Readonly<Record<Exclude<EpochCause, "start">, Milli>> = {
  additions: SWITCH_AFTER_ADDITIONS,
  removal: SWITCH_AFTER_REMOVAL,
  rotation: SWITCH_AFTER_ROTATION,
};

/** Where the keys of each epoch go, and when senders switch to it and openers forget it. */
export class MediaKeys {
  readonly #clock: Clock;
  readonly #sends: boolean;
  readonly #ports: Pick<MessagePort, "postMessage">[] = [];
  readonly #live = new Map<number, LiveEpoch>();
  #ids = 0;
  /** Keys for signatures over frames: this member's own, and others' by leaf. */
  #signing: FrameSigning | null = null;
  readonly #signers = new Map<number, FrameSigning>();
  #sending: number | null = null;
  #next: { epoch: number; due: Milli; cancel: Cancel } | null = null;

  /** Without `sends` nothing is ever sealed: viewers of a stream hold the host's own keys. */
  constructor(clock: Clock, sends = true) {
    this.#clock = clock;
    this.#sends = sends;
  }

  /** A media worker: hears of the live epochs at once and of every change from now on. */
  attach(port: Pick<MessagePort, "postMessage">): void {
    if (this.#ports.length === MAX_PORTS) this.#ports.shift();
    this.#ports.push(port);
    const post = (update: KeyUpdate): void => port.postMessage(update);
    for (const { id, keys } of this.#live.values()) post({ type: "epoch", id, ...keys });
    if (this.#signing !== null) post({ type: "signing", ...this.#signing });
    for (const [leaf, signer] of this.#signers) post({ type: "signer", leaf, ...signer });
    if (this.#sending !== null) post({ type: "send", epoch: this.#sending });
  }

  /** What this member's frames are signed with, where they are signed at all. Its identity vouches for the public half. */
  sign(signing: FrameSigning): void {
    this.#signing = signing;
    this.#post({ type: "signing", ...signing });
  }

  /** Whose frames have to be signed, and how. To be called with a key that the leaf's identity has vouched for. */
  expectSigned(leaf: number, signer: FrameSigning): void {
    this.#signers.set(leaf, signer);
    this.#post({ type: "signer", leaf, ...signer });
  }

  /** The group is in this epoch now. After a "start", epochs of another branch do not count: equal numbers go first. */
  enter(keys: EpochKeys, step: EpochCause): void {
    const { epoch } = keys;
    for (const old of [...this.#live.keys()]) {
      if (old >= epoch || old <= epoch - EPOCH_RANGE) this.#drop(old);
      else this.#dropIn(old, step === "removal" ? KEEP_AFTER_REMOVAL : KEEP);
    }
    const id = this.#ids++;
    this.#live.set(epoch, { id, keys, drop: null });
    this.#post({ type: "epoch", id, ...keys });
    if (!this.#sends) return;
    if (step === "start") this.#sendWith(epoch);
    else this.#sendWithin(epoch, SWITCH_AFTER[step]);
  }

  /** Everybody in the group holds this epoch. */
  acknowledged(epoch: number): void {
    if (this.#next?.epoch === epoch) this.#sendWith(epoch);
  }

  /** This member's group is gone. */
  clear(): void {
    this.close();
    for (const epoch of [...this.#live.keys()]) this.#drop(epoch);
    this.#sending = null;
  }

  close(): void {
    this.#next?.cancel();
    this.#next = null;
    for (const { drop } of this.#live.values()) drop?.cancel();
  }

  /** A switch that was due earlier stays due then: a chain of changes cannot hold it off. */
  #sendWithin(epoch: number, delay: Milli): void {
    const now = this.#clock.now();
    const due = milli(Math.min(now + delay, this.#next?.due ?? Number.POSITIVE_INFINITY));
    this.#next?.cancel();
    this.#next = { epoch, due, cancel: this.#clock.after(milli(due - now), () => this.#sendWith(epoch)) };
  }

  #sendWith(epoch: number): void {
    this.#next?.cancel();
    this.#next = null;
    this.#sending = epoch;
    this.#post({ type: "send", epoch });
  }

  #dropIn(epoch: number, delay: Milli): void {
    const live = this.#live.get(epoch);
    const due = milli(this.#clock.now() + delay);
    if (live === undefined || (live.drop !== null && live.drop.due <= due)) return;
    live.drop?.cancel();
    live.drop = { due, cancel: this.#clock.after(delay, () => this.#drop(epoch)) };
  }

  #drop(epoch: number): void {
    this.#live.get(epoch)?.drop?.cancel();
    this.#live.delete(epoch);
    this.#post({ type: "drop", epoch });
  }

  #post(update: KeyUpdate): void {
    for (const port of this.#ports) port.postMessage(update);
  }
}
