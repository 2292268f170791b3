import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Lack } from "../session/devices/support.ts";

/** What sealed media needs and a browser may lack, for people. */
export const lackWords: Record<Lack, MessageDescriptor> = {
  "secure-page": msg`a secure page (https)`,
  "sealed-media": msg`sealed media (RTCRtpScriptTransform)`,
  codec: msg`a video codec that can be sealed`,
  devices: msg`access to cameras and microphones`,
  storage: msg`storage for keys (IndexedDB)`,
  locks: msg`locks between tabs (Web Locks)`,
  curves: msg`current cryptography (Ed25519 and X25519)`,
};
