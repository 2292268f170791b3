export { KeyAgreement } from "./page/keys.ts";
export type { Label } from "./page/labels.ts";
export { LinkStore } from "./page/link-store.ts";
export { LiveHostKeys, LiveViewerKeys, newLiveRoom } from "./page/live-keys.ts";
export { type Pin, PinStore } from "./page/pins.ts";
export { dropAllExpired, SealedStore } from "./page/sealed-store.ts";
export type { Present, Trust } from "./page/trust.ts";
export { type LayerCount, laterFragment, newLink, parseLink } from "./shared/link.ts";
export { parseLiveLink } from "./shared/live-link.ts";
export type { FromHostKeys, FromViewerKeys, ViewerChange } from "./shared/live-messages.ts";
export {
  type Alarm,
  type Departed,
  type FromKeys,
  type GroupMember,
  IDENTITY_SIZE,
  type Knocker,
  LEAF_MESSAGES,
  MAX_HOSTS,
  type RoomMode,
  type RoomRules,
  type SafetyCode,
} from "./shared/messages.ts";
export { leafName, ownLine, shownLine, shownName } from "./shared/names.ts";
export { compareScanned, type Scanned } from "./shared/safety-code-qr.ts";
