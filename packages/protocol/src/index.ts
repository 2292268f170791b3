export {
  MAX_ASK,
  MAX_DELIVERIES,
  MAX_DOWN,
  MAX_ENTRY,
  MAX_KNOCK_KEYS,
  MAX_LIVE_RELAYS,
  MAX_MEMBERS,
  MAX_MESSAGE,
  MAX_NODES,
  MAX_RELAY,
  MAX_TURN_URLS,
  PROTOCOL_VERSION,
} from "./limits.ts";
export { isLive, type LiveDown, type LiveUp, MAX_VIEWERS } from "./live.ts";
export * from "./messages.ts";
export { parseDown, parseUp } from "./parse.ts";
export { LiveRelayOrigin, RelayOrigin, TurnUrl } from "./parts.ts";
export type { PublishedFrame, PublishingWish, RelayedFrame } from "./relayed.ts";
