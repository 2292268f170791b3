import type { FrameCipher } from "@sealcast/crypto";
import { ReplayWindow, sealedKid } from "@sealcast/frame";
import type { EpochKeys, FrameSigning, KeyUpdate } from "@sealcast/keys/messages";
import type { StreamCounter } from "../shared/messages.ts";
import type { Layers } from "./layers.ts";

/** What one KID's frames are sealed and opened with in one epoch, with the counters that were seen of its stream. */
export interface StreamKey {
  cipher: FrameCipher;
  seen: ReplayWindow;
  /** The highest counter that was sealed here; -1 for none. */
  sealed: number;
}

/** An epoch that may be opened. Ciphers are made once, when a KID is first met. */
export interface Epoch {
  id: number;
  keys: EpochKeys;
  streams: Map<bigint, StreamKey | Promise<StreamKey>>;
  /** By the KID under which a stream seals. */
  windows: Map<bigint, ReplayWindow>;
}

/** A KID carries four bits of the epoch, so a new epoch takes the place of the one sixteen before it. */
const EPOCH_SLOTS = 16;
/** Streams of one epoch that are kept: a member may have many encoders, an attacker may name any number of KIDs. */
const MAX_STREAMS = 4096;

/** The keys of one worker. Fed by the keys worker over a port; shared by every track in this worker. */
export class Keyring {
  readonly #layers: Layers;
  readonly #epochs = new Map<number, Epoch>();
  /** Highest counters of the worker before this one, by epoch id and KID. */
  readonly #floors = new Map<string, number>();
  readonly #signers = new Map<number, FrameSigning>();
  #signing: FrameSigning | null = null;
  #sending: Epoch | null = null;
  readonly #waiting: (() => void)[] = [];

  constructor(layers: Layers) {
    this.#layers = layers;
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
    const slot = update.epoch % EPOCH_SLOTS;
    const known = this.#epochs.get(slot);
    if (update.type === "epoch") {
      const { id, floors } = update;
      if (known?.id === id) return;
      this.refuseUpTo((floors ?? []).map((floor) => ({ epochId: id, ...floor })));
      this.#epochs.set(slot, { id, keys: update, streams: new Map(), windows: new Map() });
      if (this.#sending === known) this.#sending = null;
    } else if (known?.keys.epoch !== update.epoch) {
      return;
    } else if (update.type === "drop") {
      this.#epochs.delete(slot);
      if (this.#sending === known) this.#sending = null;
    } else {
      this.#sending = known;
    }
  }

  /** What another worker opened, or was sealed before the keys came here, is not opened again. */
  refuseUpTo(floors: readonly StreamCounter[]): void {
    for (const { epochId, kid, highest } of floors) {
      const stream = `${epochId} ${kid}`;
      this.#floors.set(stream, Math.max(highest, this.#floors.get(stream) ?? -1));
    }
  }

  /** The highest counter opened so far of every stream, for whoever takes over from this worker. */
  get counters(): StreamCounter[] {
    return [...this.#epochs.values()].flatMap(({ id, windows }) =>
      [...windows].flatMap(([kid, { highest }]) => (highest < 0 ? [] : [{ epochId: id, kid, highest }])),
    );
  }

  /** The highest counters sealed so far in the epoch that is sent in, by KID. */
  get sealed(): StreamCounter[] {
    if (this.#sending === null) return [];
    const { id, streams } = this.#sending;
    return [...streams].flatMap(([kid, key]) =>
      key instanceof Promise || key.sealed < 0 ? [] : [{ epochId: id, kid, highest: key.sealed }],
    );
  }

  /** Resolves once there is an epoch to send in and, where frames are `signed`, a key for that. */
  async sendable(signed: boolean): Promise<void> {
    while (this.#sending === null || (signed && this.#signing === null)) await this.#updated();
  }

  #updated(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The full number of the epoch that a KID's four bits stand for, or null where no such epoch is live. */
  epochAt(slot: number): number | null {
    return this.#epochs.get(slot)?.keys.epoch ?? null;
  }

  /** The key of a KID in the given live epoch. Derived on first use: local work, never a wait for a key to arrive. */
  streamKey(epoch: number, kid: bigint): StreamKey | Promise<StreamKey> | null {
    const live = this.#epochs.get(epoch % EPOCH_SLOTS);
    if (live?.keys.epoch !== epoch) return null;
    const known = live.streams.get(kid);
    if (known !== undefined) return known;
    if (live.streams.size >= MAX_STREAMS) return null;
    const derived = this.#derive(live, kid);
    live.streams.set(kid, derived);
    return derived;
  }

  async #derive({ id, keys, streams, windows }: Epoch, kid: bigint): Promise<StreamKey> {
    const stream = sealedKid(kid);
    const seen = windows.get(stream) ?? new ReplayWindow(this.#floors.get(`${id} ${stream}`));
    windows.set(stream, seen);
    const key = { cipher: await this.#layers.cipher(keys, kid), seen, sealed: -1 };
    streams.set(kid, key);
    return key;
  }
}
