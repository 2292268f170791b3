import { type RefObject, useEffect, useRef } from "react";
import type { Shown } from "../../session/peer/shown.ts";

/** In the screen's pixels; 0 by 0 while nobody can see it. */
export type DrawnSize = Pick<Shown, "width" | "height">;

/** Tells how large a picture is drawn, and when that changes. */
export function useShownSize(
  picture: RefObject<HTMLVideoElement | HTMLDivElement | null>,
  onShown: ((size: DrawnSize) => void) | undefined,
): void {
  const told = useRef(onShown);
  useEffect(() => {
    told.current = onShown;
  });
  useEffect(() => {
    const { current } = picture;
    if (current === null) return;
    // It may stand in a window of its own.
    const { ownerDocument } = current;
    const view = ownerDocument.defaultView ?? window;
    const tell = () => {
      const { clientWidth } = current;
      const isHidden = ownerDocument.hidden && ownerDocument.pictureInPictureElement !== current;
      const pixels = isHidden ? 0 : view.devicePixelRatio;
      // It has no place yet, or has none while there is no picture: a moment that says nothing of the next.
      if (clientWidth === 0 && !isHidden) return;
      const { width, height } = drawnSize(current);
      told.current?.({ width: Math.round(pixels * width), height: Math.round(pixels * height) });
    };
    const observer = new view.ResizeObserver(tell);
    observer.observe(current);
    current.addEventListener("resize", tell);
    ownerDocument.addEventListener("visibilitychange", tell);
    return () => {
      observer.disconnect();
      current.removeEventListener("resize", tell);
      ownerDocument.removeEventListener("visibilitychange", tell);
    };
  }, [picture]);
}

/** Of a video that is shown whole, without the bars beside it; CSS pixels. */
function drawnSize(picture: HTMLVideoElement | HTMLDivElement): DrawnSize {
  const { clientWidth: width, clientHeight: height } = picture;
  if (!("videoWidth" in picture) || picture.videoWidth === 0) return { width, height };
  if (getComputedStyle(picture).objectFit !== "contain") return { width, height };
  const scale = Math.min(width / picture.videoWidth, height / picture.videoHeight);
  return { width: scale * picture.videoWidth, height: scale * picture.videoHeight };
}
