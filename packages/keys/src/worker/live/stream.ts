import { concat, toHex, u32 } from "@sealcast/bytes";
import { hkdf, importBaseKey, newSigningKeys, random } from "@sealcast/crypto";
import type { CounterFloor, EpochKeys } from "../../shared/messages.ts";
import { KEY_SIZE } from "../../shared/sizes.ts";
import { BASE_KEY_LABEL } from "../media-keys.ts";
import type { Grant } from "./answer.ts";
import { FLOORS, type Rotation } from "./channel.ts";

/** KIDs end in four bits of the rotation. */
const EPOCH_SLOTS = 16;
const LAST_SLOT = 15n;
/** Of no sealer that there is. */
const NO_FLOOR: CounterFloor = { kid: 0n, highest: 0 };

/** One load of a host's page: its stream, whose key is another one after each rotation. Nothing of it is stored. */
export class LiveStream {
  readonly id: Uint8Array = random(16);
  /** Starts anywhere, so that no two streams of one host count under one epoch. */
  #rotation = new DataView(random(4).buffer).getUint32(0) >>> 1;
  #key = random(KEY_SIZE);
  #floors: CounterFloor[] = [];
  readonly #signer: CryptoKeyPair;
  readonly #signingKey: Uint8Array;

  static async begin(): Promise<LiveStream> {
    const signer = await newSigningKeys();
    return new LiveStream(signer, new Uint8Array(await crypto.subtle.exportKey("raw", signer.publicKey)));
  }

  private constructor(signer: CryptoKeyPair, signingKey: Uint8Array) {
    this.#signer = signer;
    this.#signingKey = signingKey;
  }

  get rotation(): number {
    return this.#rotation;
  }

  /** A copy. */
  get key(): Uint8Array {
    return this.#key.slice();
  }

  /** What the host's own media workers seal under now. */
  keys(): Promise<EpochKeys> {
    return rotationKeys(this.id, this.#rotation, this.#key);
  }

  /** A fresh key: anyone who has only earlier ones opens nothing under it. */
  rotate(): void {
    this.#rotation += 1;
    this.#key.fill(0);
    this.#key = random(KEY_SIZE);
  }

  /**
   * The highest counters sealed so far of what all viewers get, in whatever rotation: sealers count on in the next. Those
   * who come now open nothing at or below them.
   */
  sealed(floors: CounterFloor[]): void {
    this.#floors = floors;
  }

  get grant(): Grant {
    return { stream: this.id, signingKey: this.#signingKey };
  }

  /** What a viewer is given of the present rotation. */
  keysFor(resume: Rotation["resume"], removal: boolean): Rotation {
    const slot = BigInt(this.#rotation % EPOCH_SLOTS);
    const known = this.#floors.map(({ kid, highest }) => ({ kid: (kid & ~LAST_SLOT) | slot, highest }));
    const floors = [...known, ...Array<CounterFloor>(FLOORS).fill(NO_FLOOR)].slice(0, FLOORS);
    return { type: "rotation", rotation: this.#rotation, removal, streamKey: this.key, resume, floors };
  }

  /** Signs this stream's frames, and nothing else that counts. */
  get privateSigningKey(): CryptoKey {
    return this.#signer.privateKey;
  }
}

/** Where the frames of a stream belong, for their signatures: no two streams have the same. */
export function signingContext(room: string, stream: Uint8Array): string {
  return `live ${room} ${toHex(stream)}`;
}

/** The media keys of one rotation: the epoch has the rotation's number, and the host is leaf 0. */
export async function rotationKeys(
  stream: Uint8Array,
  rotation: number,
  streamKey: Uint8Array,
  floors: CounterFloor[] = [],
): Promise<EpochKeys> {
  const bytes = await hkdf(streamKey, BASE_KEY_LABEL, KEY_SIZE, concat(stream, u32(rotation)));
  const baseKey = await importBaseKey(bytes);
  bytes.fill(0);
  return { epoch: rotation, leaf: 0, leaves: [0], baseKey, outerKey: null, floors };
}
