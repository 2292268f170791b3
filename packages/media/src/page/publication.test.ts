import { expect, test, vi } from "vitest";
import type { ToMedia } from "../shared/messages.ts";
import { Publication } from "./publication.ts";

/** As in Chromium. */
class Processor {
  readonly readable = "sound";
  constructor({ track }: { track: MediaStreamTrack }) {
    if (track.readyState === "ended") throw new TypeError("Input track cannot be ended");
  }
}

test("sound that has ended meanwhile is none: the picture goes to relays all the same", () => {
  vi.stubGlobal("MediaStreamTrackProcessor", Processor);
  const [posted, published] = [[] as ToMedia[], [] as boolean[]];
  const picture = { publish: (on: boolean) => void published.push(on) };
  const host = { post: (message: ToMedia) => void posted.push(message), instance: () => 1, picture };
  const publication = new Publication(host as unknown as ConstructorParameters<typeof Publication>[0]);
  const track = { readyState: "live" } as { readyState: MediaStreamTrackState };
  const open = () =>
    publication.open(
      () => new MessageChannel().port1,
      () => undefined,
    );
  const sounds = () => posted.flatMap((message) => (message.type === "published-sound" ? [message.sound] : []));
  open();
  publication.hear(track as MediaStreamTrack);
  expect(sounds()).toEqual([null, "sound"]);
  publication.close();
  track.readyState = "ended";
  open();
  expect([sounds(), published]).toEqual([
    [null, "sound", null, null],
    [true, false, true],
  ]);
  publication.hear(track as MediaStreamTrack);
  expect(sounds().at(-1)).toBeNull();
});
