import type { FrameSeen, TrackSeen } from "../../src/shared/membership.ts";

/** Frames to both sides of an epoch's end that are held to account: half a second of sound, some seconds of pictures. */
const AROUND = 25;

/** For each end of an epoch in a track's frames, how many of those around it never came. */
export function neverCame(frames: readonly FrameSeen[]): number[] {
  const streams = new Set(frames.map(({ stream }) => stream));
  return [...streams].flatMap((name) => {
    const sorted = frames.filter(({ stream }) => stream === name).sort((a, b) => a.counter - b.counter);
    const ends = sorted.flatMap(({ epoch, counter }, i) =>
      epoch === (sorted[i - 1]?.epoch ?? epoch) ? [] : [counter],
    );
    return ends.map((end) => missing(sorted, end));
  });
}

function missing(sorted: readonly FrameSeen[], end: number): number {
  const from = Math.max(sorted[0]?.counter ?? end, end - AROUND);
  const to = Math.min(sorted.at(-1)?.counter ?? end, end + AROUND);
  const came = new Set(sorted.map(({ counter }) => counter).filter((counter) => counter >= from && counter <= to));
  return to - from + 1 - came.size;
}

/** The most frames that one track lost at an epoch's end between two looks: refused for want of a key, or never come. */
export function lostAtSwitch(before: readonly TrackSeen[], after: readonly TrackSeen[]): number | null {
  const lost = before.flatMap(({ id, refused }) => {
    const track = after.find((other) => other.id === id);
    return track === undefined ? [] : [track.refused - refused + Math.max(0, ...neverCame(track.frames))];
  });
  return lost.length === 0 ? null : Math.max(...lost);
}
