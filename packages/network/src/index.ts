export { type Breach, DESCRIPTION_COUNTS, LINK_BUDGETS, MOST_WAITING } from "./budgets.ts";
export { type ChannelKind, MAX_BODY } from "./channel.ts";
export { DESCRIPTION, type SoundFormat } from "./description.ts";
export { type LinkState, PeerLink } from "./link.ts";
export { hostRoom, type ViewerEvent, watchRoom } from "./live-signalling.ts";
export type { Fault } from "./server-socket.ts";
export { type LineSource, Signal } from "./signal.ts";
export { type RoomEvent, SignallingClient } from "./signalling.ts";
