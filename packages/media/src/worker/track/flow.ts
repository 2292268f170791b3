import { type Clock, type Milli, milli, systemClock } from "@sealcast/time";
import type { MediaKind } from "../../shared/messages.ts";
import { type EncodedFrame, isKeyFrame } from "./frame-writer.ts";
import type { WorkerLoad } from "./worker-load.ts";

/**
 * A frame that waited longer is not worth sending or showing. The stream itself never says that its reader is slow: lag
 * would grow without bound.
 */
export const DEADLINE = milli(100);

interface Waiting {
  frame: EncodedFrame;
  since: Milli;
}

export interface Work {
  kind: MediaKind;
  load: WorkerLoad;
  /** A frame came, and waits for its turn. */
  came(): void;
  /** One frame at a time, in order; must not reject. `since` is when the frame came. */
  frame(frame: EncodedFrame, since: Milli): Promise<void>;
  /** A frame that is left out. After one of video, all are until a key frame: they build on what is missing. */
  late(): void;
}

/** Works on the frames of a stream until it ends, leaving out those that waited too long. Rejects when the stream breaks. */
export async function flow(
  readable: ReadableStream<EncodedFrame>,
  work: Work,
  clock: Clock = systemClock,
): Promise<void> {
  const reader = readable.getReader();
  const waiting: Waiting[] = [];
  const isLate = lateness(work.kind, clock);
  let working = false;
  const drain = async () => {
    working = true;
    work.load.begin();
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      work.load.waited(milli(clock.now() - next.since));
      if (isLate(next)) work.late();
      else await work.frame(next.frame, next.since);
    }
    work.load.end();
    working = false;
  };
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    work.came();
    waiting.push({ frame: value, since: clock.now() });
    if (!working) void drain();
  }
}

function lateness(kind: MediaKind, clock: Clock): (next: Waiting) => boolean {
  let skipping = false;
  return ({ frame, since }) => {
    const waited = clock.now() - since > DEADLINE;
    if (kind === "audio") return waited;
    skipping = waited || (skipping && !isKeyFrame(frame));
    return skipping;
  };
}
