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
