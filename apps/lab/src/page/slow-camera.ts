/** Runs in a page of the product before its own scripts, as text: its camera is small and slow. */
export function slowCamera(frameRate: number): void {
  // The empty page that comes first is no secure one and has no devices.
  if (!globalThis.isSecureContext) return;
  const original = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = (constraints) => {
    const { video } = constraints ?? {};
    if (typeof video !== "object") return original(constraints);
    return original({ ...constraints, video: { ...video, width: 320, height: 180, frameRate } });
  };
}

/** Frames that a video has shown so far. */
export function framesShown(video: HTMLElement | SVGElement): number {
  return (video as HTMLVideoElement).getVideoPlaybackQuality().totalVideoFrames;
}
