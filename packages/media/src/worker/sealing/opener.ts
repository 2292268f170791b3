import {
  additionalData,
  codecOf,
  type DropReason,
  type Kid,
  parseSealed,
  restore,
  type Source,
  streamOf,
  unpackKid,
} from "@sealcast/frame";
import type { MediaKind } from "../../shared/messages.ts";
import { digestOf } from "./digest.ts";
import type { Keyring } from "./keyring.ts";
import type { Policies } from "./policies.ts";
import type { Verifier } from "./verifier.ts";

const NOTHING = new Uint8Array();

/**
 * An opened frame, or why it is refused and the epoch it named where that is known. `readable`: authenticated only.
 * `missing`: how many frames that its sender sealed before it have not come since the latest that has. `stream` and `counter`: which
 * of its sender's frames it is, whatever the epoch. `spent` is freed once the frame has left (see [Note: Frame memory]); null where
 * there is none.
 */
export type OpenedFrame =
  | {
      ok: true;
      data: ArrayBuffer;
      epoch: number;
      readable: boolean;
      missing: number;
      stream: bigint;
      counter: number;
      spent: ArrayBuffer | null;
    }
  | { ok: false; drop: DropReason; epoch: number | null };

/**
 * Opens the frames of one track, and only those of the leaf and source that a group message gave to the track:
 * nothing of another person's, or of another of their sources, shows up in this tile.
 */
export class Opener {
  readonly #keyring: Keyring;
  readonly #policies: Policies;
  readonly #kind: MediaKind;
  readonly #from: { leaf: number; source: Source };
  readonly #verifier: Verifier | null;
  #last: { kid: bigint; says: Kid } | null = null;

  /** `verifier`: holds what opens against its sender's signatures; null: the link says whose frames these are. */
  constructor(
    keyring: Keyring,
    policies: Policies,
    kind: MediaKind,
    from: { leaf: number; source: Source },
    verifier: Verifier | null = null,
  ) {
    this.#keyring = keyring;
    this.#policies = policies;
    this.#kind = kind;
    this.#from = from;
    this.#verifier = verifier;
  }

  /** Nearly every frame has the KID of the one before. */
  #unpacked(kid: bigint): Kid {
    if (this.#last?.kid !== kid) this.#last = { kid, says: unpackKid(kid) };
    return this.#last.says;
  }

  /** Calls must not overlap. `data` is read, never kept. */
  async open(data: ArrayBuffer, mimeType: string | undefined, isKey: boolean): Promise<OpenedFrame> {
    const codec = codecOf(mimeType ?? "");
    if (codec === null) return { ok: false, drop: "unknown-codec", epoch: null };
    const frame = parseSealed(codec, new Uint8Array(data), this.#keyring.tag);
    if (!frame.ok) return { ok: false, drop: frame.drop, epoch: null };
    const { leaf, source, sealed, epoch: slot } = this.#unpacked(frame.kid);
    const live = this.#keyring.epochAt(slot);
    const epoch = live?.number ?? null;
    if (leaf !== this.#from.leaf || source !== this.#from.source) return { ok: false, drop: "wrong-sender", epoch };
    if (live === null || epoch === null) return { ok: false, drop: "unknown-epoch", epoch };
    const sender = live.sender(leaf, source);
    if (sender === null) return { ok: false, drop: "wrong-sender", epoch };
    const barred = this.#verifier?.refusal(frame.kid) ?? null;
    if (barred !== null) return { ok: false, drop: barred, epoch };
    if (!sealed && !this.#policies.allows(leaf, source, epoch, isKey))
      return { ok: false, drop: "not-announced", epoch };
    if (!sender.isFresh(frame.kid, frame.counter)) return { ok: false, drop: "replayed", epoch };
    const known = sender.cipher(frame.kid);
    const cipher = known instanceof Promise ? await known : known;
    if (cipher === null) return { ok: false, drop: "no-key", epoch };
    const body = sealed ? NOTHING : frame.sealed.subarray(0, -this.#keyring.tag);
    const aad = additionalData(frame.header, codec, this.#kind, frame.clear, body);
    const tagged = sealed ? frame.sealed : frame.sealed.subarray(body.length);
    const opened = await cipher.open(frame.counter, aad, tagged);
    if (opened === null) return { ok: false, drop: "bad-tag", epoch };
    const missing = sender.accept(frame.kid, cipher, frame.counter);
    if (missing === null) return { ok: false, drop: "replayed", epoch };
    const refused = this.#verifier?.opened(epoch, frame.kid, frame.counter, digestOf(aad, tagged)) ?? null;
    if (refused !== null) return { ok: false, drop: refused, epoch };
    const plaintext = sealed ? opened : body.slice();
    const restored = restore(codec, frame.units, plaintext);
    const spent = restored === plaintext.buffer ? null : plaintext.buffer;
    const which = { stream: streamOf(frame.kid), counter: frame.counter };
    return { ok: true, data: restored, epoch, readable: !sealed, missing, ...which, spent };
  }
}
