import { importBaseKey } from "@sealcast/crypto";
import { EVERYTHING, type Policy } from "@sealcast/frame";
import { Keyring, ONE_LAYER, Policies, Sealer } from "@sealcast/media/sealing";
import { describe, expect, it } from "vitest";
import { chosen, type Intercepted, intercept } from "./attacker.page.ts";

const VP8_DELTA = Uint8Array.from([0x51, ...Array(30).keys()]);

/** A VP8 frame under a policy, as it is sent. */
async function sent(policy: Policy): Promise<ArrayBuffer> {
  const keyring = new Keyring(ONE_LAYER);
  const baseKey = await importBaseKey(new Uint8Array(32).fill(7));
  keyring.apply({ type: "epoch", id: 1, epoch: 1, leaf: 0, leaves: [0, 1], baseKey, outerKey: null });
  keyring.apply({ type: "send", epoch: 1 });
  const policies = new Policies();
  policies.follow("camera", 1, policy);
  const sealer = new Sealer(keyring, policies, "video", { source: "camera", instance: 0 });
  const sealed = await sealer.seal(VP8_DELTA.slice().buffer, "video/VP8", false);
  if (!sealed.ok) throw new Error(sealed.drop);
  return sealed.data;
}

describe("what is intercepted", () => {
  it("of a readable frame is what the encoder made", async () => {
    const frame = intercept("vp8", await sent({ mode: "key-frames" }), { timestamp: 5, type: "delta" });
    expect(frame).toMatchObject({ timestamp: 5, type: "delta", readable: true, hidden: 0 });
    expect(new Uint8Array(frame.data)).toEqual(VP8_DELTA);
  });

  it("of a sealed frame is all of it, of which the sealed bytes are hidden", async () => {
    const wire = await sent(EVERYTHING);
    const frame = intercept("vp8", wire, { timestamp: 5, type: "delta" });
    expect(frame).toMatchObject({ readable: false, hidden: VP8_DELTA.length - 1 });
    expect(frame.data).toBe(wire);
  });

  it("is nothing of a frame that was never sealed", () => {
    expect(() => intercept("vp8", VP8_DELTA.slice().buffer, { timestamp: 5, type: "delta" })).toThrow("malformed");
  });
});

describe("a strategy", () => {
  /** K: a readable key frame, d: another readable frame, colon: a sealed key frame, dot: another sealed frame. */
  const track = (signs: string): Intercepted[] =>
    [...signs].map((sign, timestamp) => ({
      timestamp,
      type: sign === "K" || sign === ":" ? "key" : "delta",
      readable: sign === "K" || sign === "d",
      data: new ArrayBuffer(0),
      hidden: 0,
    }));
  const places = (frames: readonly Intercepted[]) => frames.map(({ timestamp }) => timestamp);

  it("takes what is readable", () => {
    expect(places(chosen("readable", track("d:d.Kd")))).toEqual([0, 2, 4, 5]);
  });

  it("takes everything", () => {
    expect(places(chosen("ciphertext", track("d:d.Kd")))).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("takes only what follows a readable key frame without a gap", () => {
    expect(places(chosen("unbroken", track("d:dKdd.dKd")))).toEqual([3, 4, 5, 8, 9]);
  });
});
