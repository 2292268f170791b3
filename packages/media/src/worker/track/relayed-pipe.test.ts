import { importBaseKey } from "@sealcast/crypto";
import type { RelayedFrame } from "@sealcast/protocol";
import { expect, onTestFinished, test, vi } from "vitest";
import { Keyring } from "../sealing/keyring.ts";
import { ONE_LAYER } from "../sealing/layers.ts";
import { Policies } from "../sealing/policies.ts";
import { Sealer } from "../sealing/sealer.ts";
import { relayedPipe } from "./relayed-pipe.ts";
import { openTrack } from "./track.ts";
import { TransformStats } from "./transform-stats.ts";
import { WorkerLoad } from "./worker-load.ts";

const CODEC = "video/vp8";
const OPUS = "audio/opus";
const HOST = 0;
const clear = (number: number) => Uint8Array.from([0x51, ...Array(30).fill(number)]);

async function keys(leaf: number, key = 1): Promise<Keyring> {
  const keyring = new Keyring(ONE_LAYER);
  const baseKey = await importBaseKey(new Uint8Array(32).fill(key));
  for (const epoch of [1, 2])
    keyring.apply({ type: "epoch", id: epoch, epoch, leaf, leaves: [HOST, 1], baseKey, outerKey: null });
  keyring.apply({ type: "send", epoch: 1 });
  return keyring;
}

/** Seals as the host does its picture, or as `from` says. */
async function sealer(
  from: { leaf?: number; key?: number; source?: "camera" | "screen-picture"; instance?: number } = {},
) {
  const { leaf = HOST, key, source = "camera", instance = leaf + 5 } = from;
  const sealer = new Sealer(await keys(leaf, key), new Policies(), "video", { source, instance });
  return async (number: number, mimeType = CODEC) => {
    const sealed = await sealer.seal(clear(number).buffer, mimeType, true);
    return sealed.ok ? new Uint8Array(sealed.data) : expect.unreachable(sealed.drop);
  };
}

/** A viewer of what a relay gives; `shown` is what the player gets. */
async function viewer(kind: "video" | "audio" = "video") {
  const [sealed, opened] = [new MessageChannel(), new MessageChannel()];
  const shown: RelayedFrame[] = [];
  opened.port2.onmessage = ({ data }: MessageEvent<RelayedFrame>) => shown.push(data);
  const pipe = relayedPipe(kind, kind === "video" ? CODEC : OPUS, sealed.port2, opened.port1);
  const stats = new TransformStats("t1");
  const source = kind === "video" ? "camera" : "microphone";
  const options = { id: "t1", side: "open", kind, source, leaf: HOST, signed: null } as const;
  const rules = { keyring: await keys(1), policies: new Policies(), load: new WorkerLoad() };
  const track = { stats, needKeyFrame: () => undefined, signer: null, verifier: null };
  void openTrack(pipe, { ...options, relay: null }, rules, track);
  onTestFinished(() => {
    pipe.close();
    sealed.port1.close();
    opened.port2.close();
  });
  let frames = 0;
  const gives = async (data: Uint8Array<ArrayBuffer>, group = 0, index = 0) => {
    frames++;
    sealed.port1.postMessage({ group, index, timestampUs: 1_000 * frames, data: data.slice() });
    await vi.waitFor(() => {
      const { frames: passed, refused } = stats.report();
      expect(passed + refused.reduce((sum, { count }) => sum + count, 0)).toBe(frames);
    });
  };
  const refused = () => Object.fromEntries(stats.report().refused.map(({ why, count }) => [why, count]));
  return { gives, shown, refused };
}

test("what the host sealed comes to the player opened, with its group, place and time", async () => {
  const seal = await sealer();
  const { gives, shown, refused } = await viewer();
  await gives(await seal(1), 7, 0);
  await gives(await seal(2), 7, 1);
  await vi.waitFor(() => expect(shown.length).toBe(2));
  expect(shown).toEqual([
    { group: 7, index: 0, timestampUs: 1_000, data: clear(1) },
    { group: 7, index: 1, timestampUs: 2_000, data: clear(2) },
  ]);
  expect(refused()).toEqual({});
});

test("a relay that repeats, damages, mixes or makes up frames has nothing more played than the host sealed, once", async () => {
  const [seal, other, screen, member, outsider] = await Promise.all([
    sealer(),
    sealer(),
    sealer({ source: "screen-picture" }),
    sealer({ leaf: 1 }),
    sealer({ key: 2 }),
  ]);
  const { gives, shown, refused } = await viewer();
  const first = await seal(1);
  await gives(first);
  await gives(first, 9, 0);
  await gives((await seal(2)).with(-20, 1 + (first.at(-20) ?? 0)));
  await gives(await screen(3));
  await gives(await member(4));
  for (let i = 0; i < 5; i++) await outsider(0);
  await gives(await outsider(5));
  for (let i = 0; i < 9; i++) await other(0);
  await gives(await other(6, "video/vp9"));
  await gives(new Uint8Array(40).fill(3));
  await gives(new Uint8Array());
  await vi.waitFor(() => expect(shown.length).toBe(1));
  expect(shown[0]?.data).toEqual(clear(1));
  expect(refused()).toMatchObject({ replayed: 1, "wrong-sender": 2 });
});

test("a relay that mixes sizes in a group, or leaves frames out of it, has no more of it played", async () => {
  const [large, small] = [await sealer({ instance: 5 }), await sealer({ instance: 6 })];
  const { gives, shown, refused } = await viewer();
  const of = async (seal: typeof large) => [await seal(0), await seal(1), await seal(2), await seal(3)] as const;
  const [ofLarge, ofSmall] = [await of(large), await of(small)];
  await gives(ofLarge[0], 1, 0);
  await gives(ofSmall[1], 1, 1);
  await gives(ofLarge[1], 1, 2);
  await gives(ofSmall[2], 2, 0);
  await gives(ofSmall[3], 2, 1);
  await gives(ofLarge[2], 3, 0);
  await gives(await large(4), 3, 1);
  await vi.waitFor(() => expect(shown.length).toBe(4));
  expect(shown.map(({ group, index }) => [group, index])).toEqual([
    [1, 0],
    [2, 0],
    [2, 1],
    [3, 0],
  ]);
  expect(refused()).toEqual({ "out-of-place": 3 });
});

/** Seals packets of the host's sound; after `rotate` in the next epoch. */
async function sound(instance: number) {
  const keyring = await keys(HOST);
  const sealer = new Sealer(keyring, new Policies(), "audio", { source: "microphone", instance });
  const seal = async (number: number) => {
    const sealed = await sealer.seal(clear(number).buffer, OPUS, false);
    return sealed.ok ? new Uint8Array(sealed.data) : expect.unreachable(sealed.drop);
  };
  return { seal, rotate: () => keyring.apply({ type: "send", epoch: 2 }) };
}

test("a relay that has sound come in another order, as of later groups and times, has none played that is earlier", async () => {
  const [{ seal, rotate }, restarted] = [await sound(5), await sound(6)];
  const { gives, shown, refused } = await viewer("audio");
  const before = [await seal(0), await seal(1), await seal(2)] as const;
  rotate();
  const after = [await seal(3), await seal(4)] as const;
  const order = [before[1], before[0], after[0], before[2], after[1], await restarted.seal(5), await restarted.seal(6)];
  for (const [group, packet] of order.entries()) await gives(packet, group);
  await vi.waitFor(() => expect(shown.length).toBe(5));
  expect(shown.map(({ data }) => data[1])).toEqual([1, 3, 4, 5, 6]);
  expect(refused()).toEqual({ "out-of-place": 2 });
});

test("a relay that has groups of pictures come in another order has none played that is earlier", async () => {
  const seal = await sealer();
  const { gives, shown, refused } = await viewer();
  const sealed = [await seal(0), await seal(1), await seal(2), await seal(3)] as const;
  await gives(sealed[2], 1, 0);
  await gives(sealed[0], 2, 0);
  await gives(sealed[1], 2, 1);
  await gives(sealed[3], 3, 0);
  await vi.waitFor(() => expect(shown.length).toBe(2));
  expect(shown.map(({ group }) => group)).toEqual([1, 3]);
  expect(refused()).toEqual({ "out-of-place": 2 });
});
