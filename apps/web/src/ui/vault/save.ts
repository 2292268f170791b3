import { download } from "../download.ts";

/** A file to be saved. `open` is called once there is a place for it. */
export interface Saving {
  readonly name: string;
  open(): Promise<Blob | ReadableStream<Uint8Array>>;
  /** Bytes that are written so far. */
  onBytes(bytes: number): void;
}

/**
 * Saves a file straight to the disk where the browser lets a page do that; elsewhere as a download once all of it is here.
 * Where it cannot be read, nothing is left. To be called in the task of a click. False: the person chose no place.
 */
export async function save(saving: Saving): Promise<boolean> {
  if (window.showSaveFilePicker === undefined) {
    const source = await saving.open();
    const whole = source instanceof Blob ? source : await collected(source, saving.onBytes);
    download(new File([whole], saving.name));
    return true;
  }
  const place = await picked(saving.name, window.showSaveFilePicker);
  if (place === null) return false;
  const source = await saving.open();
  const stream = source instanceof Blob ? source.stream() : source;
  await stream.pipeThrough(counting(saving.onBytes)).pipeTo(await place.createWritable());
  return true;
}

/** By the browser, which keeps what is long on its disk. */
async function collected(stream: ReadableStream<Uint8Array>, onBytes: Saving["onBytes"]): Promise<Blob> {
  const { readable, writable } = counting(onBytes);
  const blob = new Response(readable).blob();
  // Why it failed is said where it comes from.
  blob.catch(() => undefined);
  await stream.pipeTo(writable);
  return blob;
}

/** Null: the person thought better of it. */
async function picked(
  suggestedName: string,
  pick: NonNullable<Window["showSaveFilePicker"]>,
): Promise<FileSystemFileHandle | null> {
  try {
    return await pick.call(window, { suggestedName, id: "sealcast-export" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return null;
    throw error;
  }
}

function counting(onBytes: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform(part, controller) {
      bytes += part.length;
      onBytes(bytes);
      controller.enqueue(new Uint8Array(part));
    },
  });
}

const NOT_IN_NAMES = /[\p{Cc}\p{Cf}\\/:*?"<>|]+/gu;

/** A title as a file's name, in all file systems. */
export function fileNameOf(title: string, kind: string): string {
  const name = title
    .replace(NOT_IN_NAMES, " ")
    .replace(/\s+/g, " ")
    .slice(0, 100)
    .replace(/^[. ]+|[. ]+$/g, "");
  return `${name || "sealcast"}${EXTENSIONS[kind.split(";", 1)[0] ?? ""] ?? ""}`;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": ".png",
  "image/jpeg": ".jpg",
  "image/gif": ".gif",
  "image/webp": ".webp",
  "image/avif": ".avif",
  "audio/mp4": ".m4a",
  "audio/wav": ".wav",
  "audio/flac": ".flac",
  "audio/ogg": ".ogg",
  "audio/mpeg": ".mp3",
  "audio/aac": ".aac",
  "video/quicktime": ".mov",
  "video/mp4": ".mp4",
  "video/webm": ".webm",
};

declare global {
  interface Window {
    /** Chromium alone has it. */
    showSaveFilePicker?: (options: { suggestedName: string; id: string }) => Promise<FileSystemFileHandle>;
  }
}
