export { LiveRelayPublisher } from "./publisher.ts";
export type { LiveRelayAccess, LiveRelayState } from "./session.ts";
export { LiveRelaySubscriber, type RelayedFrame } from "./subscriber.ts";
