import { join } from "node:path";
import { root } from "./root.ts";

const FOLDER = join(root, "packages/testbed/media");

/** Files that cameras and microphones of tests and experiments play: ten seconds of film as JPEGs one after another, someone in a room, someone who reads aloud. */
export const media = {
  film360: join(FOLDER, "bunny-640x360-25fps.mjpeg"),
  film720: join(FOLDER, "bunny-1280x720-25fps.mjpeg"),
  portrait: join(FOLDER, "portrait-1280x720.mjpeg"),
  reading: join(FOLDER, "sense-and-sensibility-16khz.wav"),
} as const;
