import type { Attachment, MediaPool } from "@sealcast/media";
import { ManualClock, milli } from "@sealcast/time";
import { expect, it, vi } from "vitest";
import { Outgoing } from "./outgoing.ts";

const sent = { id: "line", ready: Promise.resolve(), release: () => undefined } as unknown as Attachment;
const SEEN = { width: 320, height: 180, keepsRate: false };
const UNSEEN = { width: 0, height: 0, keepsRate: false };

/** A line with a camera's track, and what its sender is set to. */
function line() {
  const clock = new ManualClock();
  const track = { kind: "video", contentHint: "" };
  const fanOut = { shownAs: vi.fn(), drop: vi.fn(async () => undefined), carry: vi.fn() };
  const is = {
    way: "own" as "own" | "shared",
    parameters: { encodings: [{}], codecs: [] } as Partial<RTCRtpSendParameters>,
  };
  const setParameters = vi.fn(async (changed: RTCRtpSendParameters) => {
    is.parameters = changed;
  });
  const sender = {
    track,
    getParameters: () => structuredClone(is.parameters),
    setParameters,
    replaceTrack: async (other: typeof track) => {
      sender.track = other;
    },
  };
  const around = {
    fanOut: fanOut as unknown as MediaPool["fanOuts"]["camera"],
    way: () => is.way,
    track: () => track as MediaStreamTrack,
  };
  const outgoing = new Outgoing(sender as unknown as RTCRtpSender, sent, around, clock);
  /** Once all that was to be set is. */
  const settled = async (ms: number) => {
    clock.advance(milli(ms));
    await outgoing.feed();
    return is.parameters;
  };
  return { outgoing, sender, fanOut, track, is, setParameters, settled };
}

it("follows the last of the sizes that the other end shows, one a second, however fast they change", () => {
  const clock = new ManualClock();
  const shownAs = vi.fn();
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
  const { outgoing, track, settled } = line();
  const shownAs = async (keepsRate: boolean) => {
    outgoing.shownAs({ ...SEEN, keepsRate });
    return (await settled(1_000)).degradationPreference;
  };
  expect((await settled(0)).degradationPreference, "as the browser likes").toBeUndefined();
  expect(await shownAs(true)).toBe("maintain-framerate");
  expect(await shownAs(false)).toBe("balanced");
  track.contentHint = "text";
  expect(await shownAs(true), "a text is to be read").toBe("maintain-resolution");
});

it("has the preference of what it sends, though another change of the sender's parameters comes between", async () => {
  const { outgoing, track, is, setParameters, settled } = line();
  outgoing.shownAs({ ...SEEN, keepsRate: true });
  track.contentHint = "text";
  expect((await settled(1_000)).degradationPreference).toBe("maintain-resolution");
  is.way = "shared";
  await settled(0);
  is.way = "own";
  track.contentHint = "";
  setParameters.mockRejectedValueOnce(new DOMException("", "InvalidModificationError"));
  expect((await settled(0)).degradationPreference, "of the camera, as before").toBe("maintain-framerate");
});

it("rests once nobody has seen it for five seconds, and goes on as soon as someone does", async () => {
  const { outgoing, settled } = line();
  const isActive = async (ms: number) => (await settled(ms)).encodings?.every(({ active }) => active ?? true);
  expect(await isActive(0)).toBe(true);
  outgoing.shownAs(UNSEEN);
  expect(await isActive(4_900)).toBe(true);
  expect(outgoing.hasOwnPicture).toBe(true);
  expect(await isActive(200)).toBe(false);
  expect(outgoing.hasOwnPicture, "a link without video says nothing of what it carries").toBe(false);
  outgoing.shownAs(SEEN);
  expect(await isActive(0)).toBe(true);
});

it("goes on after a glance elsewhere, and rests no sooner for many", async () => {
  const { outgoing, settled, setParameters } = line();
  await settled(0);
  const before = setParameters.mock.calls.length;
  for (let glances = 0; glances < 20; glances++) {
    outgoing.shownAs(UNSEEN);
    await settled(2_000);
    outgoing.shownAs(SEEN);
    await settled(2_000);
  }
  expect(setParameters.mock.calls.length - before, "but for what gives way first").toBeLessThanOrEqual(1);
  outgoing.shownAs(UNSEEN);
  outgoing.close();
  await settled(10_000);
  expect(setParameters.mock.calls.length - before, "after the end").toBeLessThanOrEqual(1);
});

it("that rests is sent all the same where one encoder works for several: that one leaves links out by itself", async () => {
  const { outgoing, fanOut, is, settled } = line();
  outgoing.shownAs(UNSEEN);
  await settled(6_000);
  is.way = "shared";
  expect((await settled(0)).encodings).toEqual([expect.objectContaining({ active: true })]);
  expect(fanOut.carry).toHaveBeenCalledOnce();
  is.way = "own";
  expect((await settled(0)).encodings, "nobody sees it").toEqual([expect.objectContaining({ active: false })]);
});

it("sends its own picture again though stand-ins were on their way to its sender when one encoder stopped working for several", async () => {
  const { sender, fanOut, track, is, settled } = line();
  is.way = "shared";
  await settled(0);
  fanOut.drop.mockImplementationOnce(async () => {
    await Promise.resolve();
    sender.track = { kind: "video", contentHint: "stand-ins" };
  });
  is.way = "own";
  await settled(0);
  expect(sender.track).toBe(track);
});

it("leaves alone which of its encodings are on, where the other end says nothing of sizes", async () => {
  const { is, settled } = line();
  is.parameters = { encodings: [{ active: false }, { active: true }], codecs: [] } as Partial<RTCRtpSendParameters>;
  expect((await settled(0)).encodings).toMatchObject([{ active: false }, { active: true }]);
});

it("puts nothing on the sender of a link that closes while its parameters change: nobody would take it off again", async () => {
  const { outgoing, fanOut, is, setParameters, settled } = line();
  is.way = "shared";
  setParameters.mockImplementationOnce(async () => outgoing.close());
  await settled(0);
  expect(fanOut.drop).toHaveBeenCalled();
  expect(fanOut.carry).not.toHaveBeenCalled();
});

it("goes on with what there is to send, though what there was before could not be put there", async () => {
  const { outgoing, fanOut, is, settled } = line();
  is.way = "shared";
  fanOut.carry.mockImplementationOnce(() => {
    throw new DOMException("", "InvalidStateError");
  });
  await expect(outgoing.feed()).rejects.toThrow();
  await settled(0);
  expect(fanOut.carry).toHaveBeenCalledTimes(2);
});
