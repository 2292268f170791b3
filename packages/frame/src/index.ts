export type { DropReason } from "./drop.ts";
export { encodeHeader, headerStart, parseHeader, withCounter } from "./header.ts";
export {
  EPOCHS,
  type Kid,
  packKid,
  SOURCES,
  type Source,
  sealedKid,
  streamOf,
  unpackKid,
  type VideoSource,
} from "./kid.ts";
export { additionalData, assemble, type Parsed, parseSealed, restore } from "./layout.ts";
export { allowsClear, EVERYTHING, type Policy, selects } from "./policy.ts";
export { ReplayWindow } from "./replay.ts";
export {
  type Batch,
  encodeBatch,
  LAST_NUMBER,
  MOST_DIGESTS,
  parseSignedBatch,
  type SignedBatch,
  signedMessage,
} from "./signatures.ts";
export { type Codec, codecOf, view } from "./views.ts";
