import type { FrameSeen, TrackSeen } from "./membership.ts";

/** Frames to both sides of an epoch's end that are looked at: half a second of sound, some seconds of video. */
const AROUND = 25;

/** What a track went without where its sender went on to another epoch. */
export interface FramesLost {
  /** Between the last frame of one epoch and the first of the next. */
  between: number;
  /** Near it, between two frames of one epoch: no key changed there, so a busy sender left them out. */
  beside: number;
}

/** For each end of an epoch in a track's frames, how many of those around it never came. */
export function neverCame(frames: readonly FrameSeen[]): FramesLost[] {
  const streams = new Set(frames.map(({ stream }) => stream));
  return [...streams].flatMap((name) => {
    const sorted = frames.filter(({ stream }) => stream === name).sort((a, b) => a.counter - b.counter);
    return sorted.flatMap((frame, i) => (frame.epoch === (sorted[i - 1] ?? frame).epoch ? [] : missing(sorted, i)));
  });
}

/** Around the first frame of an epoch. Frames may have come twice. */
function missing(sorted: readonly FrameSeen[], first: number): FramesLost {
  const counters = sorted.map(({ counter }) => counter);
  const end = counters[first] ?? 0;
  const near = [...new Set(counters.filter((counter) => Math.abs(counter - end) <= AROUND))];
  const between = end - (counters[first - 1] ?? end) - 1;
  const span = (near.at(-1) ?? end) - (near[0] ?? end) + 1;
  return { between, beside: Math.max(0, span - near.length - between) };
}

/** The most frames that one track lost at an epoch's end between two looks, and left out near it; null: there is none. */
export function lostAtSwitch(before: readonly TrackSeen[], after: readonly TrackSeen[]): Lost | null {
  const tracks = before.flatMap(({ id, refused }) => {
    const track = after.find((other) => other.id === id);
    if (track === undefined) return [];
    const gaps = neverCame(track.frames);
    const lost = track.refused - refused + Math.max(0, ...gaps.map(({ between }) => between));
    return [{ lost, leftOut: Math.max(0, ...gaps.map(({ beside }) => beside)) }];
  });
  return tracks.length === 0 ? null : worst(tracks);
}

/** Frames of one track: refused, or never come between two epochs; and what its busy sender left out near that. */
export interface Lost {
  lost: number;
  leftOut: number;
}

/** The most of each. */
export function worst(tracks: readonly Lost[]): Lost {
  return {
    lost: Math.max(...tracks.map(({ lost }) => lost)),
    leftOut: Math.max(...tracks.map(({ leftOut }) => leftOut)),
  };
}
