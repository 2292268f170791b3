import { decodable } from "../peer/codecs.ts";

/** What a sealed call needs and a browser may lack. */
export type Lack =
  | "secure-page"
  | "sealed-media"
  /** None that can be sealed. */
  | "codec"
  | "devices"
  | "storage"
  | "locks"
  /** Ed25519 and X25519 in Web Crypto. */
  | "curves";

/** What a sealed call needs and this browser lacks, found by trying; empty where a call can be sealed. */
export async function lacking(): Promise<Lack[]> {
  // Without a secure page, browsers hide most of the rest.
  if (!globalThis.isSecureContext) return ["secure-page"];
  const has: [Lack, boolean][] = [
    ["sealed-media", "RTCPeerConnection" in globalThis && "RTCRtpScriptTransform" in globalThis],
    ["codec", "RTCRtpReceiver" in globalThis && decodable().length > 0],
    ["devices", "mediaDevices" in navigator],
    ["storage", "indexedDB" in globalThis],
    ["locks", "locks" in navigator],
    ["curves", (await makes("Ed25519", ["sign", "verify"])) && (await makes("X25519", ["deriveBits"]))],
  ];
  return has.flatMap(([lack, present]) => (present ? [] : [lack]));
}

function makes(algorithm: string, usages: KeyUsage[]): Promise<boolean> {
  return crypto.subtle.generateKey(algorithm, false, usages).then(
    () => true,
    () => false,
  );
}
