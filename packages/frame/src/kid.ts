/** Where a stream comes from. The place in this table is the number in the KID. */
export const SOURCES = ["microphone", "camera", "screen-sound", "screen-picture"] as const;
export type Source = (typeof SOURCES)[number];

/** What a KID says of a frame. */
export interface Kid {
  /** Number of the sealing transform, never used twice by one member; 0..2^51-1. */
  instance: number;
  source: Source;
  /** False: the frame is authenticated only, its bytes stay readable. */
  sealed: boolean;
  /** Leaf of the sender in the group; 0..63. */
  leaf: number;
  /** packKid takes the whole number, unpackKid gives its value mod 16. */
  epoch: number;
}

/** A source that shows something: of sound, every frame is always sealed. */
export type VideoSource = Extract<Source, "camera" | "screen-picture">;

const INSTANCES = 2 ** 51;
const LEAVES = 64;
/** A KID carries four bits of the epoch: a new epoch takes the place of the one sixteen before it. */
export const EPOCHS = 16;
const SEALED = 1n << 10n;

/**
 * [Note: Nonces] AES-GCM loses all its promises where one key seals two frames under one nonce. Nothing stores nonces, so
 * uniqueness follows from how they are made. A KID is, from the highest bit (RFC 9605 section 5.2 with S = 6 and E = 4):
 *
 *     instance (51 bits) | source (2) | sealed (1) | leaf (6) | epoch mod 16 (4)
 *
 *     key, salt   = HKDF(the epoch's base key, KID)      RFC 9605 section 4.4.2
 *     nonce       = salt (12 bytes) XOR counter          RFC 9605 section 4.4.3
 *     outer nonce = KID (8) | counter (8) | 0 (8)        second layer only, which has one key an epoch
 *
 * - Each sealing transform has an instance number that its member never used before, also after its worker died.
 * - Its counter only rises, and goes on when the epoch changes. Sealed and readable frames of a stream share one counter.
 * - Two epochs with the same four bits have different base keys, so their equal KIDs have different keys.
 * - Streams that several receivers get start at a random counter, which says nothing of what was sealed before.
 * - Counters stay below 2^53: beyond, numbers are not exact and two counters would become one.
 */

/** The 64 bits of a KID (see [Note: Nonces]). RangeError for a field that does not fit: two streams would share a key. */
export function packKid({ instance, source, sealed, leaf, epoch }: Kid): bigint {
  check("instance", instance, INSTANCES);
  check("leaf", leaf, LEAVES);
  check("epoch", epoch, Number.MAX_SAFE_INTEGER);
  const stream = 4n * BigInt(instance) + BigInt(SOURCES.indexOf(source));
  const context = 2n * stream + (sealed ? 1n : 0n);
  return (context << 10n) + BigInt(leaf * EPOCHS + (epoch % EPOCHS));
}

/** Every KID of 64 bits has exactly one meaning. RangeError for a larger one: no header can hold it. */
export function unpackKid(kid: bigint): Kid {
  if (BigInt.asUintN(64, kid) !== kid) throw new RangeError(`KID ${kid} is not in 0..2^64-1`);
  const low = Number(kid & 0x1fffn);
  return {
    instance: Number(kid >> 13n),
    source: sourceAt(low >>> 11),
    sealed: ((low >>> 10) & 1) === 1,
    leaf: (low >>> 4) & 63,
    epoch: low & 15,
  };
}

/** The KID that this KID's stream seals under: its sealed and its readable frames share one counter and one window. */
export function sealedKid(kid: bigint): bigint {
  return kid | SEALED;
}

/** What stays of a KID when its stream goes on in another epoch: its instance, source and leaf. */
export function streamOf(kid: bigint): bigint {
  return sealedKid(kid) & ~BigInt(EPOCHS - 1);
}

function sourceAt(number: number): Source {
  const source = SOURCES[number];
  if (source === undefined) throw new RangeError(`no source has the number ${number}`);
  return source;
}

function check(field: string, value: number, end: number): void {
  if (!Number.isInteger(value) || value < 0 || value >= end)
    throw new RangeError(`${field} ${value} is not a whole number in 0..${end - 1}`);
}
