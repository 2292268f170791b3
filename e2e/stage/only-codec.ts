/** Runs in the page, before its own scripts: a browser that has this one video codec. */
export function onlyCodec(mimeType: string): void {
  const getCapabilities = RTCRtpReceiver.getCapabilities.bind(RTCRtpReceiver);
  RTCRtpReceiver.getCapabilities = (kind) => {
    const all = getCapabilities(kind);
    return kind === "video" && all ? { ...all, codecs: all.codecs.filter((c) => c.mimeType === mimeType) } : all;
  };
}
