/** Why a frame did not pass. Also the label under which it is counted. */
export type DropReason =
  /** No key: none yet to seal under, or none of the epoch that the frame names. */
  | "no-key"
  /** The frame names an epoch that is not live. */
  | "unknown-epoch"
  /** The tag does not verify: altered, forged, or sealed under another key. */
  | "bad-tag"
  /** Its counter was seen before, or is too old to tell. */
  | "replayed"
  /** The trailer or the codec's clear bytes do not hold together. */
  | "malformed"
  | "empty"
  /** Not of the leaf and source that the track belongs to. */
  | "wrong-sender"
  /** No view for this codec: which of its bytes must stay clear is not known. */
  | "unknown-codec"
  /** Authenticated only, and its sender announced no policy that allows it. */
  | "not-announced"
  /** The track has shown a frame that its sender did not sign: it opens nothing any more. */
  | "forged"
  /** Its sender's signature of a frame before it is overdue; or its sealing transform has ended, and nobody will sign it. */
  | "unsigned"
  /** A relay between made it up itself, to say that nothing comes: silence, or a blank picture. */
  | "made-up"
  /**
   * A relay has it come where it does not belong: its sealer made it before one that has passed, or it does not follow on the picture
   * before it in its group, which is of another size, or one between was left out.
   */
  | "out-of-place"
  /** It waited too long to be worth anything, or for its signature to be at hand still, or builds on one that did. */
  | "late"
  /** Work on the frame threw: a bug. */
  | "failed";
