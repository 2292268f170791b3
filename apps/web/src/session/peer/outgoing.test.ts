import type { Attachment, MediaPool } from "@sealcast/media";
import { ManualClock, milli } from "@sealcast/time";
import { expect, it, vi } from "vitest";
import { Outgoing } from "./outgoing.ts";

it("follows the last of the sizes that the other end shows, one a second, however fast they change", () => {
  const clock = new ManualClock();
  const shownAs = vi.fn();
  const sent = { id: "line", ready: Promise.resolve(), release: () => undefined } as unknown as Attachment;
  const fanOut = { shownAs } as unknown as MediaPool["fanOuts"]["camera"];
  const sender = {} as RTCRtpSender;
  const outgoing = new Outgoing(sender, sent, { fanOut, way: () => "shared", track: () => null }, clock);
  for (let flaps = 0; flaps < 50; flaps++) {
    outgoing.shownAs({ width: flaps, height: flaps, keepsRate: false });
    clock.advance(milli(100));
  }
  clock.advance(milli(10_000));
  expect(shownAs.mock.calls.length).toBe(6);
  expect(shownAs.mock.lastCall).toEqual(["line", { width: 49, height: 49, keepsRate: false }]);
});

it("has the link's own encoder keep its rate while the other end asks for that, and a shared screen's as its content is", async () => {
  const clock = new ManualClock();
  const sent = { id: "line", ready: Promise.resolve(), release: () => undefined } as unknown as Attachment;
  const fanOut = { shownAs: () => undefined, drop: () => undefined } as unknown as MediaPool["fanOuts"]["camera"];
  const track = { kind: "video", contentHint: "" };
  let parameters: Partial<RTCRtpSendParameters> = { encodings: [{}], codecs: [] };
  const sender = {
    track,
    getParameters: () => structuredClone(parameters),
    setParameters: async (changed: RTCRtpSendParameters) => {
      parameters = changed;
    },
  } as unknown as RTCRtpSender;
  const own = { fanOut, way: () => "own" as const, track: () => track as MediaStreamTrack };
  const outgoing = new Outgoing(sender, sent, own, clock);
  const shownAs = async (keepsRate: boolean) => {
    outgoing.shownAs({ width: 320, height: 180, keepsRate });
    clock.advance(milli(1_000));
    await outgoing.feed();
    return parameters.degradationPreference;
  };
  await outgoing.feed();
  expect(parameters.degradationPreference, "as the browser likes").toBeUndefined();
  expect(await shownAs(true)).toBe("maintain-framerate");
  expect(await shownAs(false)).toBe("balanced");
  track.contentHint = "text";
  expect(await shownAs(true), "a text is to be read").toBe("maintain-resolution");
});
