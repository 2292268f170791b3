export type { DropReason } from "./drop.ts";
export { encodeHeader, parseHeader } from "./header.ts";
export { type Kid, packKid, SOURCES, type Source, unpackKid } from "./kid.ts";
export { assemble, authenticated, type Parsed, parseSealed, restore } from "./layout.ts";
export { ReplayWindow } from "./replay.ts";
export { type Codec, codecOf, view } from "./views.ts";
