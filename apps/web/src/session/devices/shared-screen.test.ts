import { afterEach, expect, test, vi } from "vitest";
import { SharedScreen } from "./shared-screen.ts";

class FakeTrack extends EventTarget {
  readonly kind: string;
  contentHint = "";
  isLive = true;
  constraints: MediaTrackConstraints = {};

  constructor(kind: string) {
    super();
    this.kind = kind;
  }

  stop(): void {
    this.isLive = false;
  }

  getConstraints(): MediaTrackConstraints {
    return this.constraints;
  }

  async applyConstraints(constraints: MediaTrackConstraints): Promise<void> {
    this.constraints = constraints;
  }
}

afterEach(() => vi.unstubAllGlobals());

/** A browser that shares what its person chooses, with its sound or without; null: they close the window of choice. */
function browser({ leavesOwnSoundOut = true } = {}) {
  const asked: Record<string, unknown>[] = [];
  const tracks: FakeTrack[] = [];
  let kinds: string[] | null = ["video", "audio"];
  const getDisplayMedia = async (options: Record<string, unknown>) => {
    asked.push(options);
    if (kinds === null) throw new DOMException("", "NotAllowedError");
    const given = kinds.map((kind) => new FakeTrack(kind));
    tracks.push(...given);
    const of = (kind: string) => given.filter((track) => track.kind === kind);
    return { getVideoTracks: () => of("video"), getAudioTracks: () => of("audio") };
  };
  const getSupportedConstraints = () => (leavesOwnSoundOut ? { restrictOwnAudio: true } : {});
  vi.stubGlobal("navigator", { mediaDevices: { getDisplayMedia, getSupportedConstraints } });
  const changed = vi.fn();
  const screen = new SharedScreen(changed);
  const choose = (next: string[] | null) => {
    kinds = next;
  };
  return { asked, tracks, changed, screen, choose };
}

test("is shared as text of 1080 lines at 15 frames a second at first, with its sound", async () => {
  const { screen, asked, tracks } = browser();
  await screen.share(true);
  expect([screen.picture, screen.sound]).toEqual(tracks);
  expect(tracks[0]?.contentHint).toBe("text");
  expect(asked[0]?.video).toEqual({ width: { max: 1920 }, height: { max: 1080 }, frameRate: { max: 15 } });
});

test("a choice holds at once for what is shared, and the whole size takes limits away", async () => {
  const { screen, asked, tracks } = browser();
  await screen.share(true);
  await screen.choose({ content: "motion", lines: 720, framesPerSecond: 30 });
  expect(tracks[0]).toMatchObject({
    contentHint: "motion",
    constraints: { width: { max: 1280 }, height: { max: 720 }, frameRate: { max: 30 } },
  });
  await screen.choose({ content: "text", lines: null, framesPerSecond: 5 });
  expect(tracks[0]?.constraints).toEqual({ frameRate: { max: 5 } });
  await screen.share(true);
  expect(asked[1]?.video).toEqual({ frameRate: { max: 5 } });
  expect(
    tracks.map(({ isLive }) => isLive),
    "the one before is let go",
  ).toEqual([false, false, true, true]);
});

test("of the whole computer no sound is offered where the browser cannot leave the call's own out", async () => {
  for (const leavesOwnSoundOut of [true, false]) {
    const { screen, asked } = browser({ leavesOwnSoundOut });
    await screen.share(true);
    expect(asked[0]?.systemAudio).toBe(leavesOwnSoundOut ? "include" : "exclude");
  }
});

test("its sound may end alone; with the picture all of it ends", async () => {
  const { screen, tracks, changed } = browser();
  await screen.share(true);
  tracks[1]?.dispatchEvent(new Event("ended"));
  expect([screen.picture, screen.sound]).toEqual([tracks[0], null]);
  tracks[0]?.dispatchEvent(new Event("ended"));
  await vi.waitFor(() => expect(screen.picture).toBe(null));
  expect(changed).toHaveBeenCalledTimes(3);
});

test("who closes the window of choice goes on sharing what they share", async () => {
  const { screen, tracks, choose } = browser();
  await screen.share(true);
  choose(null);
  await screen.share(true);
  expect([screen.picture, tracks[0]?.isLive]).toEqual([tracks[0], true]);
});

test("nothing is shared that was chosen after the sharing was called off", async () => {
  const { screen, tracks } = browser();
  const sharing = screen.share(true);
  await screen.share(false);
  await sharing;
  expect(screen.picture).toBe(null);
  expect(tracks.map(({ isLive }) => isLive)).toEqual([false, false]);
});
