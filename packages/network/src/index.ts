export type { Head as HeadOnWire, Up as ToServer } from "@sealcast/protocol";
export { type LinkEvents, type LinkOptions, type LinkState, PeerLink } from "./link.ts";
export { type LineSource, Signal } from "./signal.ts";
export { type Fault, type JoinedRoom, type RoomEvent, Signalling, type SignallingEvents } from "./signalling.ts";
