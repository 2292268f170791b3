/** Frames that a video has shown so far. */
export function framesShown(video: HTMLElement | SVGElement): number {
  return (video as HTMLVideoElement).getVideoPlaybackQuality().totalVideoFrames;
}
