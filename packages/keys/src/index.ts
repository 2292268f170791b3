export { KeyAgreement } from "./page/keys.ts";
export { LinkStore } from "./page/link-store.ts";
export { type LayerCount, newLink, parseLink } from "./shared/link.ts";
export type { FromKeys, FromRoom, Head, Member, ToRoom } from "./shared/messages.ts";
