import { ManualClock, milli } from "@sealcast/time";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Presentation } from "./presentation.ts";

type Told = Parameters<HTMLVideoElement["requestVideoFrameCallback"]>[0];

class Stream {
  readonly getTracks: () => MediaStreamTrack[];
  constructor(tracks: MediaStreamTrack[]) {
    this.getTracks = () => tracks;
  }
}

/** Presents thirty pictures a second to anyone who asks, and counts how often someone did. */
class Video {
  readonly srcObject: Stream;
  asked = 0;
  #waiting: Told | null = null;

  constructor(track: MediaStreamTrack) {
    this.srcObject = new Stream([track]);
  }

  requestVideoFrameCallback(told: Told): number {
    this.#waiting = told;
    return ++this.asked;
  }

  cancelVideoFrameCallback(): void {
    this.#waiting = null;
  }

  present(seconds: number): void {
    for (let picture = 1; picture <= 30 * seconds; picture++) {
      clock.advance(milli(1_000 / 30));
      const told = this.#waiting;
      this.#waiting = null;
      told?.(0, { rtpTimestamp: picture, presentationTime: 0 } as never);
    }
  }
}

const track = {} as MediaStreamTrack;
let video: Video;
let seen: number[];
let clock: ManualClock;
let presentation: Presentation;

beforeEach(() => {
  clock = new ManualClock();
  video = new Video(track);
  seen = [];
  vi.stubGlobal("MediaStream", Stream);
  vi.stubGlobal("document", { querySelectorAll: () => [video] });
  presentation = new Presentation(track, ({ rtp }) => seen.push(rtp), clock);
});
afterEach(() => vi.unstubAllGlobals());

test("it tells of every third of thirty pictures a second, and so of each of four layers", () => {
  presentation.look();
  video.present(2);
  expect(seen).toEqual(Array.from({ length: 20 }, (_, at) => 1 + 3 * at));
  expect(new Set(seen.map((rtp) => rtp % 4)).size).toBe(4);
});

test("looking again asks for nothing again", () => {
  for (let look = 0; look < 3; look++) presentation.look();
  expect(video.asked).toBe(1);
});

for (const waits of ["for a picture", "until it asks again"])
  test(`closed while it waits ${waits}, it asks and tells no more`, () => {
    presentation.look();
    if (waits === "until it asks again") video.present(1 / 30);
    const [told, asked] = [seen.length, video.asked];
    presentation.close();
    video.present(1);
    expect([seen.length, video.asked]).toEqual([told, asked]);
  });

test("of a video that takes another's place it goes on to tell", () => {
  presentation.look();
  video.present(1);
  const before = seen.length;
  video = new Video(track);
  presentation.look();
  video.present(1);
  expect(seen.length).toBe(before + 10);
});
