import { createHash } from "node:crypto";

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob: mediastream:",
  "connect-src 'self'",
  "worker-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types sealcast-workers",
];

const permissionsPolicy = [
  ...["camera", "microphone", "display-capture"].map((feature) => `${feature}=(self)`),
  ...["accelerometer", "geolocation", "gyroscope", "hid", "idle-detection", "local-fonts"],
  ...["magnetometer", "midi", "payment", "serial", "usb", "xr-spatial-tracking"],
].map((feature) => (feature.includes("=") ? feature : `${feature}=()`));

const everywhere: Readonly<Record<string, string>> = {
  // Both together isolate the page: without that, timers are too coarse to measure a frame.
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
  // A worker follows the policy of its own response, so scripts carry it like pages.
  "Content-Security-Policy": contentSecurityPolicy.join("; "),
  "Permissions-Policy": permissionsPolicy.join(", "),
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** The policy of the worker scripts that run WebAssembly: libsodium, and models of captions and effects. The rest of the client compiles none. */
export const wasmPolicy = contentSecurityPolicy
  .join("; ")
  .replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'");

/**
 * The policy of all that is under /lab, which nobody calls with: it frames its own bench, draws plots with styles in them, runs
 * libsodium, and reads what it has encoded.
 */
export const labPolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob: mediastream:",
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

/**
 * What pages carry besides. Their scripts, those that come later included, load only with hashes that fit; `importMap` is
 * the text of the inline script with these hashes, which the policy allows by its own. Null where there is none.
 *
 * @param relay - Where pages may connect to besides: the media relay's scheme, host and port. Null: nowhere.
 */
export function pageHeaders(importMap: string | null, relay: string | null): Readonly<Record<string, string>> {
  const reaching = contentSecurityPolicy
    .join("; ")
    .replace("connect-src 'self'", ["connect-src 'self'", ...(relay === null ? [] : formsOf(relay))].join(" "));
  if (importMap === null) return { "Content-Security-Policy": reaching };
  const hash = createHash("sha256").update(importMap).digest("base64");
  return {
    "Content-Security-Policy": reaching.replace("script-src 'self'", `script-src 'self' 'sha256-${hash}'`),
    "Integrity-Policy": "blocked-destinations=(script)",
  };
}

/** The policy of the one worker script that reaches relays of live streams: it has no key. `urls`: their schemes, hosts and ports. */
export function liveRelayPolicy(urls: readonly string[]): string {
  const forms = urls.flatMap((url) => [url, url.replace(/^http/, "ws"), url.replace(/^http:/, "https:")]);
  return contentSecurityPolicy
    .join("; ")
    .replace("connect-src 'self'", ["connect-src 'self'", ...new Set(forms)].join(" "));
}

/** LiveKit's client asks over http why it was not let in. */
const formsOf = (relay: string): string[] => [relay, relay.replace(/^ws/, "http")];

/** What every response carries, whatever its status. */
export function securityHeaders(https: boolean): Readonly<Record<string, string>> {
  return https ? { ...everywhere, "Strict-Transport-Security": "max-age=31536000" } : everywhere;
}
