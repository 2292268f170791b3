import type { FrameCipher } from "@sealcast/crypto";
import type { Source } from "@sealcast/frame";
import type { EpochKeys } from "@sealcast/keys/messages";
import type { Clock } from "@sealcast/time";
import type { StreamCounter } from "../../shared/messages.ts";
import type { Layers } from "./layers.ts";
import { SenderKeys } from "./sender-keys.ts";

/** What one KID of this member's own is sealed with. */
export interface SealingKey {
  readonly cipher: FrameCipher;
  /** The highest counter that was sealed; -1 for none. */
  highest: number;
}

/**
 * The keys of one epoch. Those that seal and those that open are apart: what others send takes nothing from this member's
 * own sealers. Two epochs of one number, of two branches, are two of these.
 */
export class Epoch {
  /** Its own for the life of the keys worker. */
  readonly id: number;
  readonly number: number;
  /** This member's own. */
  readonly leaf: number;
  readonly #keys: EpochKeys;
  readonly #layers: Layers;
  readonly #floors: ReadonlyMap<bigint, number>;
  readonly #clock: Clock;
  readonly #sealing = new Map<bigint, SealingKey>();
  readonly #senders = new Map<string, SenderKeys>();

  /** `floors`: counters by KID at or below which nothing opens. */
  constructor(id: number, keys: EpochKeys, layers: Layers, floors: ReadonlyMap<bigint, number>, clock: Clock) {
    this.id = id;
    this.number = keys.epoch;
    this.leaf = keys.leaf;
    this.#keys = keys;
    this.#layers = layers;
    this.#floors = floors;
    this.#clock = clock;
  }

  /** For a sealer that asks once. Rejects where the epoch's keys do not suffice for the room's layers. */
  async sealing(kid: bigint): Promise<SealingKey> {
    const key = { cipher: await this.#layers.cipher(this.#keys, kid), highest: -1 };
    this.#sealing.set(kid, key);
    return key;
  }

  /** What frames of a leaf's source open with; null where nobody had that leaf in this epoch. */
  sender(leaf: number, source: Source): SenderKeys | null {
    if (!this.#keys.leaves.includes(leaf)) return null;
    const name = `${leaf} ${source}`;
    const known = this.#senders.get(name);
    if (known !== undefined) return known;
    const sender = new SenderKeys(
      (kid) => this.#layers.cipher(this.#keys, kid),
      (kid) => this.#floors.get(kid) ?? -1,
      this.#clock,
    );
    this.#senders.set(name, sender);
    return sender;
  }

  /** The highest counters opened so far. */
  get opened(): StreamCounter[] {
    const streams = [...this.#senders.values()].flatMap(({ highest }) => highest);
    return streams.map(([kid, highest]) => ({ epochId: this.id, kid, highest }));
  }

  /** The highest counters sealed so far. */
  get sealed(): StreamCounter[] {
    const used = [...this.#sealing].filter(([, { highest }]) => highest >= 0);
    return used.map(([kid, { highest }]) => ({ epochId: this.id, kid, highest }));
  }
}
