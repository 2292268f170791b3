import { afterEach, expect, test, vi } from "vitest";
import { StreamVideo } from "./picture.ts";

vi.mock("../workers.ts", () => ({ spawnComposer: () => null }));

class FakeTrack extends EventTarget {
  contentHint = "";
  stop(): void {}
}

afterEach(() => vi.unstubAllGlobals());

test("a screen is sent as text or as motion, as chosen before it or while it is shown; a camera as neither", async () => {
  const screen = new FakeTrack();
  const getDisplayMedia = async () => ({ getVideoTracks: () => [screen], getAudioTracks: () => [] });
  vi.stubGlobal("navigator", { mediaDevices: { getDisplayMedia, getSupportedConstraints: () => ({}) } });
  const changed = vi.fn();
  const video = new StreamVideo({ lines: 720, framesPerSecond: 30 }, changed);
  const camera = new FakeTrack() as EventTarget as MediaStreamTrack;
  video.setCamera(camera);
  await video.show("screen");
  expect(video.track).toBe(screen);
  expect(screen.contentHint).toBe("text");
  changed.mockClear();
  video.setContent("motion");
  expect(screen.contentHint).toBe("motion");
  expect(changed, "encoders look again").toHaveBeenCalled();
  await video.show("camera");
  video.setContent("text");
  expect(video.track).toBe(camera);
  expect([camera.contentHint, screen.contentHint]).toEqual(["", "motion"]);
});
