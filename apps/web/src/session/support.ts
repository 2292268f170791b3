/** Whether this browser has what a sealed call needs: a secure page, sealed media, the keys' storage. */
export function supported(): boolean {
  return (
    globalThis.isSecureContext &&
    "RTCRtpScriptTransform" in globalThis &&
    "indexedDB" in globalThis &&
    "locks" in navigator &&
    navigator.mediaDevices !== undefined
  );
}
