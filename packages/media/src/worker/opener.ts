import { open } from "@sealcast/crypto";
import { authenticated, codecOf, type DropReason, parseSealed, restore, type Source, unpackKid } from "@sealcast/frame";
import type { MediaKind } from "../shared/messages.ts";
import { free } from "./free.ts";
import type { Keyring } from "./keyring.ts";

/** An opened frame, or why it is refused and the epoch it named where that is known. */
export type Opened =
  | { ok: true; data: ArrayBuffer; epoch: number }
  | { ok: false; drop: DropReason; epoch: number | null };

/**
 * Opens the frames of one track, and only those of the leaf and source that a group message gave to the track:
 * nothing of another person's, or of another of their sources, shows up in this tile.
 */
export class Opener {
  readonly #keyring: Keyring;
  readonly #kind: MediaKind;
  readonly #from: { leaf: number; source: Source };

  constructor(keyring: Keyring, kind: MediaKind, from: { leaf: number; source: Source }) {
    this.#keyring = keyring;
    this.#kind = kind;
    this.#from = from;
  }

  /** Calls must not overlap. `data` is read, never kept. */
  async open(data: ArrayBuffer, mimeType: string | undefined): Promise<Opened> {
    const codec = codecOf(mimeType ?? "");
    if (codec === null) return { ok: false, drop: "unknown-codec", epoch: null };
    const frame = parseSealed(codec, new Uint8Array(data));
    if (!frame.ok) return { ok: false, drop: frame.drop, epoch: null };
    const from = unpackKid(frame.kid);
    const epoch = this.#keyring.epochAt(from.epoch);
    if (from.leaf !== this.#from.leaf || from.source !== this.#from.source)
      return { ok: false, drop: "wrong-sender", epoch };
    if (!from.sealed) return { ok: false, drop: "not-announced", epoch };
    if (epoch === null) return { ok: false, drop: "unknown-epoch", epoch };
    const key = await this.#keyring.streamKey(epoch, frame.kid);
    if (key === null) return { ok: false, drop: "no-key", epoch };
    if (!key.seen.fresh(frame.counter)) return { ok: false, drop: "replayed", epoch };
    const aad = authenticated(frame.header, codec, this.#kind, frame.clear);
    const plaintext = await open(key.frameKey, frame.counter, aad, frame.sealed);
    if (plaintext === null) return { ok: false, drop: "bad-tag", epoch };
    if (!key.seen.mark(frame.counter)) return { ok: false, drop: "replayed", epoch };
    const restored = restore(codec, frame.units, plaintext);
    if (restored !== plaintext.buffer) free(plaintext.buffer);
    return { ok: true, data: restored, epoch };
  }
}
