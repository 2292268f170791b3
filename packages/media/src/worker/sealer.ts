import { type FrameKey, seal } from "@sealcast/crypto";
import {
  assemble,
  authenticated,
  codecOf,
  type DropReason,
  encodeHeader,
  packKid,
  type Source,
  view,
} from "@sealcast/frame";
import type { MediaKind } from "../shared/messages.ts";
import { free } from "./free.ts";
import type { Keyring } from "./keyring.ts";

/** A sealed frame, or why there is none. */
export type Sealed =
  | { ok: true; data: ArrayBuffer; epoch: number; overhead: number }
  | { ok: false; drop: DropReason; epoch: number | null };

/** The stream key in use: switched when the keyring's sending epoch does. */
interface Current {
  epoch: number;
  kid: bigint;
  frameKey: FrameKey;
}

/**
 * Seals the frames of one encoder. Its instance number is its own, and its counter starts at 0 and never goes back,
 * not even when the epoch changes: no (KID, counter) pair ever covers two frames.
 */
export class Sealer {
  readonly #keyring: Keyring;
  readonly #kind: MediaKind;
  readonly #stream: { source: Source; instance: number };
  #current: Current | null = null;
  #counter = 0n;

  constructor(keyring: Keyring, kind: MediaKind, stream: { source: Source; instance: number }) {
    this.#keyring = keyring;
    this.#kind = kind;
    this.#stream = stream;
  }

  /** Calls must not overlap. `data` is read, never kept. */
  async seal(data: ArrayBuffer, mimeType: string | undefined): Promise<Sealed> {
    const current = await this.#key();
    if (current === null) return { ok: false, drop: "no-key", epoch: null };
    const codec = codecOf(mimeType ?? "");
    if (codec === null) return { ok: false, drop: "unknown-codec", epoch: current.epoch };
    const parts = view(codec, new Uint8Array(data));
    if (!parts.ok) return { ok: false, drop: parts.drop, epoch: current.epoch };
    const counter = this.#counter++;
    const header = encodeHeader(current.kid, counter);
    const aad = authenticated(header, codec, this.#kind, parts.clear);
    const ciphertext = await seal(current.frameKey, counter, aad, parts.plaintext);
    const sealed = assemble(codec, parts.units, new Uint8Array(ciphertext), header);
    free(ciphertext);
    return { ok: true, data: sealed, epoch: current.epoch, overhead: sealed.byteLength - data.byteLength };
  }

  async #key(): Promise<Current | null> {
    const sending = this.#keyring.sending;
    if (sending === null) return null;
    if (this.#current?.epoch === sending.epoch) return this.#current;
    const kid = packKid({ ...this.#stream, sealed: true, leaf: sending.leaf, epoch: sending.epoch });
    const key = await this.#keyring.streamKey(sending.epoch, kid);
    this.#current = key && { epoch: sending.epoch, kid, frameKey: key.frameKey };
    return this.#current;
  }
}
