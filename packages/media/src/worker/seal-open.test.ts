import { importBaseKey } from "@sealcast/crypto";
import type { Source } from "@sealcast/frame";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { MediaKind } from "../shared/messages.ts";
import { Keyring } from "./keyring.ts";
import { type Opened, Opener } from "./opener.ts";
import { type Sealed, Sealer } from "./sealer.ts";

const VP8_KEY = Uint8Array.from([0x50, 1, 2, 0x9d, 0x01, 0x2a, 0, 5, 0xd0, 2, ...Array(40).keys()]);
const VP8_DELTA = Uint8Array.from([0x51, ...Array(30).keys()]);
const OPUS = Uint8Array.from([0x78, ...Array(20).keys()]);
const H264_KEY = Uint8Array.from([
  ...[0, 0, 0, 1, 0x67, 0x42, 0xc0, 0x15, 0x8c],
  ...[0, 0, 0, 1, 0x68, 0xce, 0x3c, 0x80],
  ...[0, 0, 0, 1, 0x65, 0xb8, ...Array(30).keys(), 0x80],
  ...[0, 0, 0, 1, 0x65, 0x00, 0xf6, 0xe0, ...Array(20).keys(), 0x80],
]);
const H264_DELTA = Uint8Array.from([0, 0, 0, 1, 0x61, 0xe0, ...Array(30).keys()]);
const H265_KEY = Uint8Array.from([
  ...[0, 0, 0, 1, 0x40, 0x01, 0x0c],
  ...[0, 0, 0, 1, 0x42, 0x01, 0x01],
  ...[0, 0, 0, 1, 0x44, 0x01, 0xc1],
  ...[0, 0, 0, 1, 0x26, 0x01, 0xaf, ...Array(30).keys()],
]);
const AV1_KEY = Uint8Array.from([0x0a, 10, ...Array(10).keys(), 0x32, 40, ...Array(40).keys()]);
const AV1_LAYER = Uint8Array.from([0x36, 0x48, 30, ...Array(30).keys()]);
const RUNS = Number(process.env.FUZZ_RUNS ?? 200);

const FRAMES: [string, MediaKind, Uint8Array<ArrayBuffer>][] = [
  ["video/VP8", "video", VP8_KEY],
  ["video/VP8", "video", VP8_DELTA],
  ["video/VP9", "video", VP8_DELTA],
  ["video/H264", "video", H264_KEY],
  ["video/H264", "video", H264_DELTA],
  ["video/H265", "video", H265_KEY],
  ["video/AV1", "video", AV1_KEY],
  ["video/AV1", "video", AV1_LAYER],
  ["audio/opus", "audio", OPUS],
  ["audio/red", "audio", OPUS],
];

let ada: Keyring;
let ben: Keyring;

/** Ada is leaf 1, Ben leaf 2; both hold epoch 3 and send in it. */
beforeEach(async () => {
  ada = new Keyring();
  ben = new Keyring();
  await enter(3, 7);
});

async function enter(epoch: number, seed: number): Promise<void> {
  const baseKey = await importBaseKey(new Uint8Array(32).fill(seed));
  ada.take({ type: "epoch", epoch, leaf: 1, baseKey });
  ben.take({ type: "epoch", epoch, leaf: 2, baseKey });
  ada.take({ type: "send", epoch });
}

function sealer(kind: MediaKind = "video", source: Source = "camera", instance = 0): Sealer {
  return new Sealer(ada, kind, { source, instance });
}

function opener(kind: MediaKind = "video", source: Source = "camera", leaf = 1): Opener {
  return new Opener(ben, kind, { leaf, source });
}

function buffer(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

async function sealed(by: Sealer, frame: Uint8Array = VP8_DELTA, mimeType = "video/VP8"): Promise<ArrayBuffer> {
  return dataOf(await by.seal(buffer(frame), mimeType));
}

function dataOf(result: Sealed | Opened): ArrayBuffer {
  if (!result.ok) throw new Error(`dropped: ${result.drop}`);
  return result.data;
}

describe("a frame", () => {
  it.each(FRAMES)("of %s (%s) comes back as it was", async (mimeType, kind, frame) => {
    const data = await sealed(sealer(kind), frame, mimeType);
    const opened = await opener(kind).open(data, mimeType);
    expect(new Uint8Array(dataOf(opened))).toEqual(frame);
    expect(opened.epoch).toBe(3);
  });

  it.each(FRAMES)(
    "of %s (%s) grows by at most 24 bytes, 32 in a codec of units, with the 3 that the counters of 2^24 frames take",
    async (mimeType, kind, frame) => {
      const by = sealer(kind, "camera", 2000);
      const result = await by.seal(buffer(frame), mimeType);
      // The first counter takes no byte of its own.
      expect(result.ok && result.overhead + 3).toBeLessThanOrEqual(/H26|AV1/.test(mimeType) ? 32 : 24);
    },
  );

  it("of VP8 shows its clear bytes and nothing of the rest", async () => {
    const data = new Uint8Array(await sealed(sealer(), VP8_KEY));
    expect(data.subarray(0, 10)).toEqual(VP8_KEY.subarray(0, 10));
    expect(Buffer.from(data).includes(Buffer.from(VP8_KEY.subarray(10, 18)))).toBe(false);
  });

  it("with any one byte changed, at any place, is refused", async () => {
    for (const [instance, [mimeType, kind, frame]] of FRAMES.entries()) {
      const by = sealer(kind, "camera", instance);
      const data = new Uint8Array(await sealed(by, frame, mimeType));
      for (let at = 0; at < data.length; at++) {
        const changed = Uint8Array.from(data);
        changed[at] = (changed[at] ?? 0) ^ 0x21;
        expect((await opener(kind).open(changed.buffer, mimeType)).ok, `${mimeType} byte ${at}`).toBe(false);
      }
      expect((await opener(kind).open(data.buffer, mimeType)).ok).toBe(true);
    }
  });

  it.each(["video/VP8", "video/H264", "video/AV1"])(
    "that is random bytes (%s) never opens and never throws",
    async (mimeType) => {
      const by = opener();
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 80 }), async (bytes) => {
          expect((await by.open(buffer(bytes), mimeType)).ok).toBe(false);
        }),
        { numRuns: RUNS },
      );
    },
  );
});

describe("an opener refuses", () => {
  it("what it opened before", async () => {
    const by = opener();
    const data = await sealed(sealer());
    expect((await by.open(data, "video/VP8")).ok).toBe(true);
    expect(await by.open(data, "video/VP8")).toEqual({ ok: false, drop: "replayed", epoch: 3 });
  });

  it("another member's frames", async () => {
    const data = await sealed(sealer());
    expect(await opener("video", "camera", 2).open(data, "video/VP8")).toMatchObject({ drop: "wrong-sender" });
  });

  it("another source's frames", async () => {
    const data = await sealed(sealer("video", "screen-picture"));
    expect(await opener().open(data, "video/VP8")).toMatchObject({ drop: "wrong-sender" });
  });

  it("a frame of another codec or kind", async () => {
    const data = await sealed(sealer(), VP8_DELTA, "video/VP9");
    expect((await opener().open(data, "video/VP8")).ok).toBe(false);
    expect((await opener("audio").open(data, "video/VP9")).ok).toBe(false);
    expect(await opener().open(data, "video/unheard-of")).toMatchObject({ drop: "unknown-codec" });
    expect((await opener().open(data, "video/VP9")).ok).toBe(true);
  });

  it("an epoch that it was never given, or that is over", async () => {
    const before = await sealed(sealer());
    await enter(4, 8);
    const after = await sealed(sealer());
    ben.take({ type: "drop", epoch: 3 });
    expect(await opener().open(before, "video/VP8")).toEqual({ ok: false, drop: "unknown-epoch", epoch: null });
    expect((await opener().open(after, "video/VP8")).ok).toBe(true);
  });

  it("a frame of the epoch sixteen before, whose place another has taken", async () => {
    const old = await sealed(sealer());
    await enter(19, 9);
    expect(await opener().open(old, "video/VP8")).toEqual({ ok: false, drop: "bad-tag", epoch: 19 });
  });

  it("an empty frame, by its own name", async () => {
    expect(await opener("audio").open(new ArrayBuffer(), "audio/opus")).toMatchObject({ drop: "empty" });
  });
});

describe("a sealer", () => {
  it("lets nothing out without a key", async () => {
    const none = new Sealer(new Keyring(), "video", { source: "camera", instance: 0 });
    expect(await none.seal(buffer(VP8_DELTA), "video/VP8")).toEqual({ ok: false, drop: "no-key", epoch: null });
    ada.take({ type: "drop", epoch: 3 });
    expect(await sealer().seal(buffer(VP8_DELTA), "video/VP8")).toMatchObject({ drop: "no-key" });
  });

  it("lets nothing out of a codec that it has no view for", async () => {
    expect(await sealer().seal(buffer(VP8_DELTA), "video/unheard-of")).toMatchObject({ drop: "unknown-codec" });
    expect(await sealer().seal(buffer(VP8_DELTA), undefined)).toMatchObject({ drop: "unknown-codec" });
  });

  it("keeps its old epoch until it is told to switch", async () => {
    const by = sealer();
    const baseKey = await importBaseKey(new Uint8Array(32).fill(8));
    ada.take({ type: "epoch", epoch: 4, leaf: 1, baseKey });
    expect(await by.seal(buffer(VP8_DELTA), "video/VP8")).toMatchObject({ epoch: 3 });
    ada.take({ type: "send", epoch: 4 });
    expect(await by.seal(buffer(VP8_DELTA), "video/VP8")).toMatchObject({ epoch: 4 });
  });

  it("never uses a KID and counter twice: not with a second encoder, not after a change of epoch", async () => {
    const headers: string[] = [];
    const sealers = [sealer("video", "camera", 0), sealer("video", "camera", 1), sealer("audio", "microphone", 2)];
    for (const epoch of [3, 4, 19]) {
      await enter(epoch, epoch);
      for (const by of sealers)
        for (let i = 0; i < 20; i++) {
          const data = Buffer.from(await sealed(by));
          headers.push(data.subarray(data.length - 1 - (data.at(-1) ?? 0)).toString("hex"));
        }
    }
    expect(new Set(headers).size).toBe(headers.length);
  });
});
