import { stampedLines } from "./picture.ts";
import { readStamp, type Stamp } from "./stamp.ts";

/** A picture that was seen. */
export interface Sighting {
  /** Null where its stamp could not be read. */
  readonly stamp: Stamp | null;
  /** When it was presented, in milliseconds on the computer's clock. */
  readonly presented: number;
}

/** Reads a frame's stamp. Closes the frame. */
export async function sight(frame: VideoFrame, presented: number): Promise<Sighting> {
  const stamp = await stampedLines(frame).then(readStamp, () => null);
  return { stamp, presented };
}
