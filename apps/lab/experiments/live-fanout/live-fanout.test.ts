import { expect, test } from "vitest";
import { aheadOfSound, ownEncoders } from "./live-fanout.ts";

test("links with an encoder of their own are told from those that encode stand-ins, or nothing yet", () => {
  const sent = { type: "outbound-rtp", kind: "video" };
  const records = [
    { ...sent, frameHeight: 720 },
    { ...sent, frameHeight: 32 },
    sent,
    { type: "outbound-rtp", kind: "audio" },
    { type: "inbound-rtp", kind: "video", frameHeight: 720 },
    { type: "candidate-pair" },
  ];
  expect(ownEncoders(records)).toBe(1);
});

test("a picture that was taken later than the sound is ahead of it", () => {
  const picture = { type: "inbound-rtp", kind: "video", estimatedPlayoutTimestamp: 1_030 };
  const sound = { type: "inbound-rtp", kind: "audio", estimatedPlayoutTimestamp: 1_000 };
  expect(aheadOfSound([sound, picture])).toEqual([30]);
});

test("nothing is said of sound and picture until both are timed", () => {
  const picture = { type: "inbound-rtp", kind: "video", estimatedPlayoutTimestamp: 1_030 };
  expect(aheadOfSound([picture])).toEqual([]);
  expect(aheadOfSound([picture, { type: "inbound-rtp", kind: "audio" }])).toEqual([]);
});
