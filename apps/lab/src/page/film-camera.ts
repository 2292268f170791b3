import { jpegs } from "../shared/jpegs.ts";

const WIDTH = 1280;
const HEIGHT = 720;
/** As many as fit well into memory, decoded. */
const PICTURES = 100;
/** Like a real camera's, no part of the screen's rate. */
const PER_SECOND = 29.5;

/** The lab's clip: 25 pictures a second, as a camera has them. */
export async function film(): Promise<Uint8Array<ArrayBuffer>[]> {
  const url = new URL("../../../../packages/testbed/media/bunny-1280x720-25fps.mjpeg", import.meta.url);
  return jpegs(new Uint8Array(await (await fetch(url)).arrayBuffer()));
}

/**
 * From now on this page's camera shows the clip and its microphone hears a tone: all computers get the same to encode,
 * and nobody is asked for a permission.
 */
export function filmCamera(): void {
  let pictures: Promise<VideoFrame[]> | null = null;
  navigator.mediaDevices.getUserMedia = async (wanted) => {
    pictures ??= decoded();
    const tracks = wanted?.video ? shown(await pictures) : [];
    return new MediaStream([...tracks, ...(wanted?.audio ? tone() : [])]);
  };
}

/** Once: to decode JPEGs over and over would cost more than what is measured. */
async function decoded(): Promise<VideoFrame[]> {
  const pictures: VideoFrame[] = [];
  for (const data of (await film()).slice(0, PICTURES))
    pictures.push((await new ImageDecoder({ type: "image/jpeg", data }).decode()).image);
  return pictures;
}

function shown(pictures: readonly VideoFrame[]): MediaStreamTrack[] {
  const canvas = Object.assign(document.createElement("canvas"), { width: WIDTH, height: HEIGHT });
  const context = canvas.getContext("2d", { alpha: false });
  if (context === null) throw new Error("this browser draws no pictures");
  const tracks = canvas.captureStream().getTracks();
  let number = 0;
  const timer = setInterval(() => {
    const picture = pictures[number++ % pictures.length];
    if (picture !== undefined) context.drawImage(picture, 0, 0, WIDTH, HEIGHT);
    if (tracks.every(({ readyState }) => readyState === "ended")) clearInterval(timer);
  }, 1000 / PER_SECOND);
  return tracks;
}

function tone(): MediaStreamTrack[] {
  const context = new AudioContext();
  const destination = context.createMediaStreamDestination();
  const oscillator = context.createOscillator();
  oscillator.connect(destination);
  oscillator.start();
  return destination.stream.getTracks();
}
