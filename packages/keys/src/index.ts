export { KeyAgreement } from "./page/keys.ts";
export { LinkStore } from "./page/link-store.ts";
export { type Pin, PinStore, type Standing, standing } from "./page/pins.ts";
export { type LayerCount, newLink, parseLink } from "./shared/link.ts";
export type { FromKeys, FromRoom, Head, Member, SafetyCode, ToRoom } from "./shared/messages.ts";
