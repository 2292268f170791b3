export type { Head as HeadOnWire, Up as ToServer } from "@sealcast/protocol";
export type { ChannelKind } from "./channel.ts";
export { type LinkState, PeerLink } from "./link.ts";
export { type LineSource, Signal } from "./signal.ts";
export { type Fault, type RoomEvent, Signalling } from "./signalling.ts";
