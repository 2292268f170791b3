/** What of browsers is not everywhere and what a call does depends on. */
const FEATURES: Record<string, () => boolean> = {
  RTCRtpScriptTransform: () => "RTCRtpScriptTransform" in globalThis,
  MediaStreamTrackGenerator: () => "MediaStreamTrackGenerator" in globalThis,
  VideoEncoder: () => "VideoEncoder" in globalThis,
  getDisplayMedia: () => "getDisplayMedia" in navigator.mediaDevices,
  restrictOwnAudio: () => "restrictOwnAudio" in navigator.mediaDevices.getSupportedConstraints(),
  setSinkId: () => "setSinkId" in HTMLMediaElement.prototype,
  wakeLock: () => "wakeLock" in navigator,
  documentPictureInPicture: () => "documentPictureInPicture" in globalThis,
  crossOriginIsolated: () => crossOriginIsolated,
};

/** The build that runs, the browser, and what that can. Of the computer, only what every page is told. */
export function pageFacts(): Record<string, string> {
  // The script's name has the hash of its contents, and build.json has it, too.
  const script = document.querySelector<HTMLScriptElement>("script[type=module][src]")?.src ?? "";
  const can = Object.entries(FEATURES).flatMap(([name, has]) => (attempt(has) ? [name] : []));
  return {
    build: script.split("/").at(-1) ?? "",
    browser: navigator.userAgent.slice(0, 256),
    language: navigator.language,
    cores: `${navigator.hardwareConcurrency}`,
    window: `${innerWidth} by ${innerHeight}, ${devicePixelRatio} pixels each`,
    online: `${navigator.onLine}`,
    "open for": `${Math.round(performance.now() / 1_000)} s`,
    can: can.join(", "),
  };
}

function attempt(has: () => boolean): boolean {
  try {
    return has();
  } catch {
    return false;
  }
}
