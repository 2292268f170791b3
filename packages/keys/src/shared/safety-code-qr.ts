/** Counts changes of what a safety code is made of (worker/safety-code.ts), and of what its QR code says. */
export const SAFETY_CODE_VERSION = 1;

/** What a safety code's QR code says. Capitals, digits and colons alone: QR's alphanumeric mode keeps it coarse. */
export function safetyCodeQr(digits: string): string {
  return `SEALCAST:${SAFETY_CODE_VERSION}:${digits}`;
}

/**
 * What a scanned QR code is beside the safety code on this screen: the same; another one; the safety code of another
 * version, which cannot be compared; no safety code at all. Only `same` says anything good.
 */
export type Scanned = "same" | "different" | "other-version" | "foreign";

/** Compares what was scanned from the other's screen with the digits on this one. */
export function compareScanned(scanned: string, digits: string): Scanned {
  if (scanned === safetyCodeQr(digits)) return "same";
  const version = /^SEALCAST:(\d+):/.exec(scanned)?.[1];
  if (version === undefined) return "foreign";
  return version === String(SAFETY_CODE_VERSION) ? "different" : "other-version";
}
