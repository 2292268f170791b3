import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { lacking } from "./support.ts";

const codecs = [{ mimeType: "video/VP8", clockRate: 90_000 }];

beforeEach(() => {
  vi.stubGlobal("isSecureContext", true);
  vi.stubGlobal("RTCPeerConnection", class {});
  vi.stubGlobal("RTCRtpScriptTransform", class {});
  vi.stubGlobal("RTCRtpReceiver", { getCapabilities: () => ({ codecs, headerExtensions: [] }) });
  vi.stubGlobal("indexedDB", {});
  vi.stubGlobal("navigator", { mediaDevices: {}, locks: {} });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it("finds nothing missing where everything is there", async () => {
  expect(await lacking()).toEqual([]);
});

it("names a page that is not secure, and nothing that follows from it", async () => {
  vi.stubGlobal("isSecureContext", false);
  vi.stubGlobal("navigator", {});
  expect(await lacking()).toEqual(["secure-page"]);
});

it("names each thing that is missing", async () => {
  vi.stubGlobal("RTCRtpReceiver", { getCapabilities: () => ({ codecs: [], headerExtensions: [] }) });
  vi.stubGlobal("navigator", {});
  vi.spyOn(crypto.subtle, "generateKey").mockRejectedValue(new DOMException("", "NotSupportedError"));
  delete (globalThis as { RTCRtpScriptTransform?: unknown }).RTCRtpScriptTransform;
  delete (globalThis as { indexedDB?: unknown }).indexedDB;
  expect(await lacking()).toEqual(["sealed-media", "codec", "devices", "storage", "locks", "curves"]);
});
