import { type ReactEventHandler, type RefObject, useEffect, useRef } from "react";
import { type DrawnSize, useShownSize } from "./shown-size.ts";
import styles from "./video.module.css";

interface VideoProps {
  stream: MediaStream | null;
  label?: string | undefined;
  mirrored: boolean;
  muted: boolean;
  hidden: boolean;
  /** Device id of the loudspeaker; empty is the browser's own choice. */
  speaker?: string;
  /** From 0 to 1. */
  volume?: number;
  /** In the screen's pixels; 0 by 0 while nobody can see it. */
  onShown?: (size: DrawnSize) => void;
  /** Of a picture that never stands still: it is seen again and does not go on yet, or does now. */
  onWaits?: (waits: boolean) => void;
  /** The stream's first picture can be drawn. */
  onPicture?: () => void;
  /** The browser refuses to play sound before a click or a key. */
  onRefused?: () => void;
}

export function Video({
  stream,
  label,
  mirrored,
  muted,
  hidden,
  speaker = "",
  volume = 1,
  onShown,
  onWaits,
  onPicture,
  onRefused,
}: VideoProps) {
  const video = useRef<HTMLVideoElement>(null);

  useEffect(() => {
    if (video.current) video.current.srcObject = stream;
  }, [stream]);

  useEffect(() => {
    if (stream === null) return;
    video.current?.play().catch((error: unknown) => {
      if (error instanceof DOMException && error.name === "NotAllowedError" && !muted) onRefused?.();
    });
  }, [stream, muted, onRefused]);

  useEffect(() => {
    if (!("setSinkId" in HTMLMediaElement.prototype)) return;
    // A loudspeaker that is gone: the sound stays where it was.
    video.current?.setSinkId(speaker).catch(() => undefined);
  }, [speaker]);

  useEffect(() => {
    if (video.current) video.current.volume = volume;
  }, [volume]);

  useShownSize(video, onShown);
  useWaiting(video, onWaits);

  // A phone held upright sends a tall picture: it is shown whole, since cropping it would cut the face.
  const measure: ReactEventHandler<HTMLVideoElement> = ({ currentTarget: { dataset, videoWidth, videoHeight } }) => {
    dataset.tall = String(videoHeight > videoWidth);
  };

  return (
    <video
      ref={video}
      className={styles.video}
      data-mirrored={mirrored}
      aria-label={label}
      hidden={hidden}
      muted={muted}
      onResize={measure}
      onLoadedData={({ currentTarget: { srcObject } }) => srcObject === stream && onPicture?.()}
      autoPlay
      playsInline
      disablePictureInPicture
    />
  );
}

/** Milliseconds that the last picture may stay where it is seen again: most go on by then. */
const GOES_ON_WITHIN = 700;

/** Its sender had paused it while nobody saw it: its last picture says nothing of now. */
function useWaiting(video: RefObject<HTMLVideoElement | null>, onWaits: VideoProps["onWaits"]): void {
  useEffect(() => {
    const { current } = video;
    if (current === null || onWaits === undefined || !("requestVideoFrameCallback" in current)) return;
    let wasSeen = true;
    let timer = 0;
    const look = () => {
      const isSeen = current.clientWidth > 0 && !document.hidden;
      if (isSeen && !wasSeen) {
        clearTimeout(timer);
        timer = window.setTimeout(() => onWaits(true), GOES_ON_WITHIN);
        current.requestVideoFrameCallback(() => {
          clearTimeout(timer);
          onWaits(false);
        });
      }
      wasSeen = isSeen;
    };
    const observer = new ResizeObserver(look);
    observer.observe(current);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener("visibilitychange", look);
    };
  }, [video, onWaits]);
}
