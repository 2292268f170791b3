import { expect, it } from "vitest";
import { countReceived, Total } from "./browser-counters.ts";

it("goes on where the browser begins again", () => {
  const total = new Total();
  expect(total.of({ wire: 90, before: 91, after: 89, bytes: 0, waiting: 0 })).toEqual({
    wire: 90,
    before: 91,
    after: 89,
    bytes: 0,
    waiting: 0,
  });
  expect(total.of({ wire: 5, before: 6, after: 4, bytes: 0, waiting: 0 })).toEqual({
    wire: 95,
    before: 97,
    after: 93,
    bytes: 0,
    waiting: 0,
  });
  expect(total.of({ wire: 7, before: 7, after: 7, bytes: 0, waiting: 0 })).toEqual({
    wire: 97,
    before: 98,
    after: 96,
    bytes: 0,
    waiting: 0,
  });
  expect(total.of({ wire: 1, before: 1, after: 1, bytes: 0, waiting: 0 })).toEqual({
    wire: 98,
    before: 99,
    after: 97,
    bytes: 0,
    waiting: 0,
  });
});

it("stays where it is while the browser says nothing", () => {
  const total = new Total();
  expect(total.of(null)).toEqual({ wire: 0, before: 0, after: 0, bytes: 0, waiting: 0 });
  total.of({ wire: 90, before: 90, after: null, bytes: 0, waiting: 0 });
  expect(total.of(null)).toEqual({ wire: 90, before: 90, after: null, bytes: 0, waiting: 0 });
  expect(total.of({ wire: 100, before: 100, after: null, bytes: 0, waiting: 0 })).toEqual({
    wire: 100,
    before: 100,
    after: null,
    bytes: 0,
    waiting: 0,
  });
});

it("counts as come to a picture's transform what came for the first time: the rest may be empty", () => {
  const line = { transceiver: { mid: "1" } as RTCRtpTransceiver, kind: "video" } as const;
  const of = (counts: Partial<RTCInboundRtpStreamStats>) =>
    countReceived([{ type: "inbound-rtp", id: "", timestamp: 0, mid: "1", ...counts } as RTCStats], line)?.before;
  expect(of({ packetsReceived: 86, retransmittedPacketsReceived: 86 })).toBe(0);
  expect(of({ packetsReceived: 90, retransmittedPacketsReceived: 86 })).toBe(4);
  expect(of({ packetsReceived: 90 }), "a browser that does not tell them apart").toBe(90);
});
