import { type Cancel, type Clock, milli, systemClock } from "@sealcast/time";
import type { FromPreview } from "../shared/messages.ts";

/** A file may be made so that looking at it never ends. */
const MOST_LOOKING = milli(20_000);

export interface MediaPreview {
  /** How long it plays; null: it does not, or is not known. */
  readonly seconds: number | null;
  /** A JPEG of at most 32 KiB; null: there is nothing to be seen. */
  readonly thumbnail: Uint8Array | null;
}

/**
 * Looks at an image, a sound or a video in a worker of its own: 20 s at most, and no longer than `signal` lets it. Resolves with what was
 * found by then.
 *
 * @param spawn runs `@sealcast/recording/preview-worker`, which is ended
 */
export async function previewOf(
  file: Blob,
  spawn: () => Worker,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<MediaPreview> {
  let preview: MediaPreview = { seconds: null, thumbnail: null };
  let cancel: Cancel = () => undefined;
  const worker = spawn();
  await new Promise<void>((end) => {
    worker.addEventListener("error", () => end());
    worker.addEventListener("message", ({ data: { type, ...found } }: MessageEvent<FromPreview>) => {
      preview = { ...preview, ...found };
      if (type === "thumbnail") end();
    });
    signal.addEventListener("abort", () => end(), { once: true });
    cancel = clock.after(MOST_LOOKING, end);
    worker.postMessage(file);
  });
  cancel();
  worker.terminate();
  return preview;
}
