/**
 * Runs in a media worker before its own script, as text: it can use nothing from outside itself. Shows every frame that a
 * transform gets, where `came` is given, and every one that it writes: in the product, the same object with other bytes in it.
 */
export function tapFrames(
  transformer: RTCRtpScriptTransformer,
  came: ((frame: RTCEncodedVideoFrame) => void) | null,
  written: (frame: RTCEncodedVideoFrame) => void,
): void {
  const shownTo = (see: (frame: RTCEncodedVideoFrame) => void) =>
    new TransformStream<RTCEncodedVideoFrame, RTCEncodedVideoFrame>({
      transform(frame, controller) {
        see(frame);
        controller.enqueue(frame);
      },
    });
  if (came !== null)
    Object.defineProperty(transformer, "readable", { value: transformer.readable.pipeThrough(shownTo(came)) });
  const { writable } = transformer;
  const watch = shownTo(written);
  void watch.readable.pipeTo(writable).catch(() => undefined);
  Object.defineProperty(transformer, "writable", { value: watch.writable });
}
