import { EPOCHS } from "@sealcast/frame";
import type { FrameSigning, KeyUpdate } from "@sealcast/keys/messages";
import { type Clock, systemClock } from "@sealcast/time";
import type { StreamCounter } from "../../shared/messages.ts";
import { Epoch } from "./epoch.ts";
import type { Layers } from "./layers.ts";

/** The keys of one worker. Fed by the keys worker over a port; shared by every track in this worker. */
export class Keyring {
  readonly #layers: Layers;
  readonly #clock: Clock;
  readonly #epochs = new Map<number, Epoch>();
  /** Counters by KID at or below which nothing opens, by epoch id. They may come before the epoch's keys. */
  readonly #floors = new Map<number, Map<bigint, number>>();
  readonly #signers = new Map<number, FrameSigning>();
  #signing: FrameSigning | null = null;
  #sending: Epoch | null = null;
  readonly #waiting: (() => void)[] = [];

  constructor(layers: Layers, clock: Clock = systemClock) {
    this.#layers = layers;
    this.#clock = clock;
  }

  /** Bytes that sealing adds behind the ciphertext. */
  get tag(): number {
    return this.#layers.tag;
  }

  /** The epoch that sealers use, or null while there is none. One of another branch is another object, whatever its number. */
  get sending(): Epoch | null {
    return this.#sending;
  }

  /** What this member's frames are signed with, where they are. */
  get signing(): FrameSigning | null {
    return this.#signing;
  }

  /** What a leaf's frames are signed with; null: its key has not come. */
  signer(leaf: number): FrameSigning | null {
    return this.#signers.get(leaf) ?? null;
  }

  /** Resolves once that key is there. */
  async signerKnown(leaf: number): Promise<FrameSigning> {
    for (;;) {
      const signer = this.signer(leaf);
      if (signer !== null) return signer;
      await this.#updated();
    }
  }

  apply(update: KeyUpdate): void {
    if (update.type === "signer") this.#signers.set(update.leaf, update);
    else if (update.type === "signing") this.#signing = update;
    else this.#applyEpoch(update);
    for (const look of this.#waiting.splice(0)) look();
  }

  #applyEpoch(update: Extract<KeyUpdate, { epoch: number }>): void {
    const known = this.#epochs.get(update.epoch % EPOCHS);
    if (update.type === "epoch") {
      if (known?.id !== update.id) this.#enter(update);
    } else if (known?.number !== update.epoch) {
      return;
    } else if (update.type === "drop") {
      this.#drop(known);
    } else {
      this.#sending = known;
    }
  }

  #enter({ id, ...keys }: Extract<KeyUpdate, { type: "epoch" }>): void {
    const slot = keys.epoch % EPOCHS;
    const before = this.#epochs.get(slot);
    if (before !== undefined) this.#drop(before);
    this.refuseUpTo((keys.floors ?? []).map((floor) => ({ epochId: id, ...floor })));
    this.#epochs.set(slot, new Epoch(id, keys, this.#layers, this.#floorsOf(id), this.#clock));
  }

  #drop(epoch: Epoch): void {
    this.#epochs.delete(epoch.number % EPOCHS);
    this.#floors.delete(epoch.id);
    if (this.#sending === epoch) this.#sending = null;
  }

  /** What another worker opened, or was sealed before the keys came here, is not opened again. */
  refuseUpTo(floors: readonly StreamCounter[]): void {
    for (const { epochId, kid, highest } of floors) {
      const known = this.#floorsOf(epochId);
      known.set(kid, Math.max(highest, known.get(kid) ?? -1));
    }
  }

  #floorsOf(epochId: number): Map<bigint, number> {
    const known = this.#floors.get(epochId) ?? new Map<bigint, number>();
    this.#floors.set(epochId, known);
    return known;
  }

  /** The highest counter opened so far of every stream, for a worker that takes over from this one. */
  get counters(): StreamCounter[] {
    return [...this.#epochs.values()].flatMap(({ opened }) => opened);
  }

  /** The highest counters sealed so far in the epoch that is sent in, by KID. */
  get sealed(): StreamCounter[] {
    return this.#sending?.sealed ?? [];
  }

  /** Resolves once there is an epoch to send in and, where frames are `signed`, a key for that. */
  async sendable(signed: boolean): Promise<void> {
    while (this.#sending === null || (signed && this.#signing === null)) await this.#updated();
  }

  #updated(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The live epoch that a KID's four bits stand for. */
  epochAt(slot: number): Epoch | null {
    return this.#epochs.get(slot) ?? null;
  }
}
