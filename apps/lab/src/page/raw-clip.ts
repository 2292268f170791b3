/**
 * Like a real camera's, and unlike that of the JPEGs, its rate is no part of the screen's: within a second pictures come at
 * all moments between two refreshes. With 30 each run would have one moment for all its pictures, and so its own latency.
 */
const PER_TWO_SECONDS = 59;

interface Raw {
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A clip's pictures, all of one size, as they come out of their JPEGs: a file that Chromium's camera plays (YUV4MPEG2). */
export async function rawClip(jpegs: readonly Uint8Array<ArrayBuffer>[]): Promise<Blob> {
  const pictures: Raw[] = [];
  for (const jpeg of jpegs) pictures.push(await raw(jpeg));
  const [first] = pictures;
  if (first === undefined) throw new Error("a clip has a picture");
  const header = `YUV4MPEG2 W${first.width} H${first.height} F${PER_TWO_SECONDS}:2 Ip A1:1 C420jpeg\n`;
  return new Blob([header, ...pictures.flatMap(({ bytes }) => ["FRAME\n", bytes])]);
}

/** Has the browser save a file. */
export function save(name: string, file: Blob): void {
  Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: name }).click();
}

async function raw(jpeg: Uint8Array<ArrayBuffer>): Promise<Raw> {
  const { image } = await new ImageDecoder({ type: "image/jpeg", data: jpeg }).decode();
  const { format, displayWidth: width, displayHeight: height } = image;
  if (format !== "I420") throw new Error(`the clip's pictures are ${format}, not I420`);
  const bytes = new Uint8Array(image.allocationSize());
  await image.copyTo(bytes);
  image.close();
  return { width, height, bytes };
}
