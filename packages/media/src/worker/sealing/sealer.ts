import { concat } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import {
  additionalData,
  assemble,
  codecOf,
  type DropReason,
  headerStart,
  packKid,
  type Source,
  selects,
  view,
  withCounter,
} from "@sealcast/frame";
import type { MediaKind } from "../../shared/messages.ts";
import { digestOf } from "./digest.ts";
import type { Epoch, SealingKey } from "./epoch.ts";
import type { Keyring } from "./keyring.ts";
import type { Policies } from "./policies.ts";
import type { Signer } from "./signer.ts";

/**
 * A sealed frame, or why there is none. `readable`: its policy left it out, and it is authenticated only. `spent`
 * is freed once the frame has left (see [Note: Frame memory]).
 */
export type Sealed =
  | { ok: true; data: ArrayBuffer; epoch: number; overhead: number; readable: boolean; spent: ArrayBuffer }
  | { ok: false; drop: DropReason; epoch: number | null };

/** What a frame is sealed under. */
interface Current {
  epoch: Epoch;
  kid: bigint;
  /** Of its headers. */
  start: Uint8Array;
  key: SealingKey;
}

const NOTHING = new Uint8Array();

/**
 * Seals the frames of one encoder, or authenticates those that the policy of its source leaves readable. Its instance
 * number is its own, and its counter starts at `first` and only rises (see [Note: Nonces]).
 */
export class Sealer {
  readonly #keyring: Keyring;
  readonly #policies: Policies;
  readonly #kind: MediaKind;
  readonly #stream: { source: Source; instance: number };
  readonly #signer: Signer | null;
  /** Of sealed and of readable frames: switched when the keyring's sending epoch does. */
  readonly #current = new Map<boolean, Current>();
  #counter: number;

  /** `first`: counter, 0 where it is not given. `signer`: signs what goes out; null: the link to each receiver already says whose frames these are. */
  constructor(
    keyring: Keyring,
    policies: Policies,
    kind: MediaKind,
    { source, instance, first = 0 }: { source: Source; instance: number; first?: number },
    signer: Signer | null = null,
  ) {
    this.#keyring = keyring;
    this.#policies = policies;
    this.#kind = kind;
    this.#stream = { source, instance };
    this.#counter = first;
    this.#signer = signer;
  }

  /** Calls must not overlap. `data` is read, never kept. */
  async seal(data: ArrayBuffer, mimeType: string | undefined, isKey: boolean): Promise<Sealed> {
    const { sending } = this.#keyring;
    if (sending === null) return { ok: false, drop: "no-key", epoch: null };
    const epoch = sending.number;
    if (this.#signer !== null && this.#keyring.signing === null) return { ok: false, drop: "no-key", epoch };
    const readable = !selects(this.#policies.own(this.#stream.source, epoch), isKey, draw);
    const known = this.#current.get(readable);
    const current = known?.epoch === sending ? known : await this.#key(sending, readable);
    const codec = codecOf(mimeType ?? "");
    if (codec === null) return { ok: false, drop: "unknown-codec", epoch };
    const parts = view(codec, new Uint8Array(data));
    if (!parts.ok) return { ok: false, drop: parts.drop, epoch };
    const counter = this.#counter++;
    current.key.highest = counter;
    const header = withCounter(current.start, counter);
    const { cipher } = current.key;
    const { clear, plaintext } = parts;
    const aad = additionalData(header, codec, this.#kind, clear, readable ? plaintext : NOTHING);
    const tagged = await cipher.seal(counter, aad, readable ? NOTHING : plaintext);
    this.#signer?.add(epoch, current.kid, counter, digestOf(aad, tagged));
    const bytes = readable ? concat(plaintext, tagged) : tagged;
    const sealed = assemble(codec, parts.units, bytes, header);
    const overhead = sealed.byteLength - data.byteLength;
    return { ok: true, data: sealed, epoch, overhead, readable, spent: bytes.buffer };
  }

  async #key(sending: Epoch, readable: boolean): Promise<Current> {
    const { number: epoch, leaf } = sending;
    const kid = packKid({ ...this.#stream, sealed: !readable, leaf, epoch });
    const key = await sending.sealing(kid);
    const current = { epoch: sending, kid, start: headerStart(kid), key };
    this.#current.set(readable, current);
    return current;
  }
}

function draw(): number {
  return new DataView(random(4).buffer).getUint32(0) / 2 ** 32;
}
