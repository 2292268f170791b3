import type { Group, Track } from "@moq/net";
import type { RelayedFrame } from "@sealcast/protocol";
import { type Clock, milli } from "@sealcast/time";

/** For the rest of a group to come once a newer one is there. */
const REST_WITHIN = milli(200);
/** Larger frames end their group: no encoder of ours makes them. */
const MAX_FRAME = 4 * 1024 * 1024;

interface Reading {
  readonly clock: Clock;
  frame(frame: RelayedFrame): void;
  cut(group: number): void;
}

/** Reads one group after the other until the track ends, each until it ends or is late. Never throws. */
export async function readGroups(track: Track.Subscriber, reading: Reading): Promise<void> {
  for (let group = await next(track); group !== null; ) {
    const newer = next(track);
    if (!(await readWhole(group, newer, reading))) reading.cut(group.sequence);
    group.close();
    group = await newer;
  }
}

/** Null where the track is over, however that came. */
const next = (track: Track.Subscriber): Promise<Group.Consumer | null> =>
  track.nextGroup().then(
    (group) => group ?? null,
    () => null,
  );

/** Whether all of the group came. */
async function readWhole(group: Group.Consumer, newer: Promise<unknown>, reading: Reading): Promise<boolean> {
  const late = () => group.close(new Error("late"));
  void newer.then(() => group.isClosed || reading.clock.after(REST_WITHIN, late));
  try {
    for (;;) {
      const frame = await group.readFrameSequence();
      if (frame === undefined) return true;
      const { sequence: index, payload, timestamp } = frame;
      if (payload.byteLength > MAX_FRAME) return false;
      // The relay's client may have read others' bytes into the same memory.
      const data = payload.slice();
      reading.frame({ group: group.sequence, index, data, timestampUs: timestamp.asMicros() });
    }
  } catch {
    return false;
  }
}
