import { concat, u32, u64, utf8 } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, test } from "vitest";
import { MAX_BODY } from "../plaintext.ts";
import { type ChannelContent, LiveChannel } from "./channel.ts";

let clock: ManualClock;
let keys: { sealKey: Uint8Array<ArrayBuffer>; openKey: Uint8Array<ArrayBuffer> };
let channel: LiveChannel;
/** What the channel sends does not leave. */
let isHeldUp = false;
/** What the channel sent, what it delivered, and what else it told. */
let [sent, heard, told]: [Uint8Array[], ChannelContent[], string[]] = [[], [], []];

beforeEach(async () => {
  clock = new ManualClock();
  isHeldUp = false;
  const [bodies, contents, words]: [typeof sent, typeof heard, typeof told] = [[], [], []];
  [sent, heard, told] = [bodies, contents, words];
  keys = { sealKey: random(32), openKey: random(32) };
  channel = await LiveChannel.open({
    clock,
    sealKey: keys.sealKey.slice(),
    openKey: keys.openKey.slice(),
    transmit: (body) => void bodies.push(body),
    isHeldUp: () => isHeldUp,
    deliver: (content) => void contents.push(content),
    idle: () => void words.push("idle"),
    stalled: () => void words.push("stalled"),
  });
});

/** A record of the other end's, whatever is in it. */
function record(counter: number, plaintext: Uint8Array): Promise<Uint8Array> {
  const end = 255 - (plaintext.length % 256);
  return unpadded(counter, concat(plaintext, Uint8Array.of(0x80), new Uint8Array(end)));
}

async function unpadded(counter: number, plaintext: Uint8Array): Promise<Uint8Array> {
  const head = concat(Uint8Array.of(3), u64(BigInt(counter)));
  const iv = concat(new Uint8Array(4), u64(BigInt(counter)));
  const key = await crypto.subtle.importKey("raw", keys.openKey, "AES-GCM", false, ["encrypt"]);
  const parameters = { name: "AES-GCM", iv, additionalData: head };
  return concat(head, new Uint8Array(await crypto.subtle.encrypt(parameters, key, new Uint8Array(plaintext))));
}

const data = (number: number, ...content: number[]) => concat(Uint8Array.of(1), u32(number), Uint8Array.from(content));
const acknowledging = (next: number) => concat(Uint8Array.of(2), u32(next));
const message = (text: string): ChannelContent => ({ type: "message", body: utf8(text) });

test("what nobody says is refused, though it was sealed with the key", async () => {
  const flagged = (removal: number) => data(0, 2, 0, 0, 0, 8, removal, ...new Uint8Array(144).fill(7));
  const wrong = [
    new Uint8Array(),
    data(0).subarray(0, 4),
    data(0),
    data(0, 9, 1),
    concat(Uint8Array.of(7), u32(0), Uint8Array.of(1)),
    flagged(2),
    flagged(1).subarray(0, -1),
    data(0, 3, 2),
    data(0, 3),
    data(0, 3, 1, 1),
    data(0, 1, ...new Uint8Array(MAX_BODY + 1)),
    acknowledging(1),
    concat(acknowledging(0), Uint8Array.of(0)),
  ];
  for (const [counter, plaintext] of wrong.entries())
    expect(await channel.receive(await record(counter, plaintext)), `${counter}`).toBe(false);
  expect([heard, told]).toEqual([[], []]);
  expect(await channel.receive(await record(99, data(0, 3, 1)))).toBe(true);
  expect(await channel.receive(await record(100, flagged(0).with(4, 1)))).toBe(true);
  expect(heard).toMatchObject([
    { type: "farewell", why: "ended" },
    { type: "rotation", rotation: 8, removal: false },
  ]);
});

test("a counter is taken once, and none below it", async () => {
  const records = await Promise.all([0, 1, 2].map((counter) => record(counter, data(counter, 1, counter))));
  const [first, second, third] = records as [Uint8Array, Uint8Array, Uint8Array];
  expect([await channel.receive(first), await channel.receive(first)]).toEqual([true, false]);
  expect([await channel.receive(third), await channel.receive(second)]).toEqual([true, false]);
});

test("a record that was not sealed with the key is refused, and moves no counter", async () => {
  const sound = await record(5, data(0, 1, 65));
  const forged = (await record(9, data(0, 1, 66))).map((byte, i) => (i === 12 ? byte ^ 1 : byte));
  for (const wrong of [forged, sound.with(0, 9), sound.subarray(0, 9), new Uint8Array()])
    expect(await channel.receive(wrong)).toBe(false);
  expect([await channel.receive(sound), heard]).toEqual([true, [message("A")]]);
});

test("an acknowledgement of some shows that the other end is there: the waits begin again", async () => {
  for (const text of ["one", "two"]) await channel.send(message(text));
  for (const wait of [2, 4]) clock.advance(milli(wait * 1000));
  expect(await channel.receive(await record(0, acknowledging(0)))).toBe(true);
  clock.advance(milli(7_999));
  expect(told).toEqual([]);
  expect(await channel.receive(await record(1, acknowledging(1)))).toBe(true);
  clock.advance(milli(1));
  expect(told).toEqual([]);
  // That was the first of three: the next come after 4 and 8 s.
  clock.advance(milli(11_999));
  expect(told).toEqual([]);
  clock.advance(milli(1));
  expect(told).toEqual(["stalled"]);
});

test("a message that comes again, or too early, is answered and not delivered", async () => {
  expect(await channel.receive(await record(0, data(1, 1, 65)))).toBe(true);
  expect(heard).toEqual([]);
  for (const counter of [1, 2]) expect(await channel.receive(await record(counter, data(0, 1, 66)))).toBe(true);
  expect(heard).toEqual([message("B")]);
  expect(sent).toHaveLength(0);
  clock.advance(milli(50));
  await channel.acknowledge();
  // One for all that came within 50 ms, and the one asked for here.
  expect(sent).toHaveLength(2);
});

test("what is not acknowledged goes again after 2, 4 and 8 s, and then the other end counts as gone: once", async () => {
  await channel.send(message("lost"));
  const waits: number[] = [];
  for (let seconds = 1; seconds <= 64; seconds += 1) {
    clock.advance(milli(1000));
    await channel.acknowledge();
    const isResent = sent.length > 2 + waits.length + (seconds - 1);
    if (isResent) waits.push(seconds);
    expect(told.length, `${seconds} s`).toBe(seconds < 14 ? 0 : 1);
  }
  expect(waits).toEqual([2, 6, 14, 30, 46, 62]);
  expect(told).toEqual(["stalled"]);
});

test("what has not left yet is not said again, and the other end is not taken for lost", async () => {
  isHeldUp = true;
  await channel.send(message("slow"));
  clock.advance(milli(60_000));
  channel.resend();
  await channel.acknowledge();
  expect(sent).toHaveLength(2);
  isHeldUp = false;
  clock.advance(milli(2_000));
  await channel.acknowledge();
  expect([sent.length, told]).toEqual([4, []]);
});

test("to what waits to leave no acknowledgement is added, however often the other end says the same", async () => {
  isHeldUp = true;
  for (let i = 0; i < 20; i += 1) {
    expect(await channel.receive(await record(i, data(0, 1, 7)))).toBe(true);
    clock.advance(milli(100));
  }
  await channel.send(message("all before has left"));
  expect(sent).toHaveLength(1);
  isHeldUp = false;
  clock.advance(milli(250));
  await channel.send(message("and this"));
  expect(sent).toHaveLength(3);
});

test("an acknowledgement ends it for what it names, and tells once all has come", async () => {
  for (const text of ["one", "two"]) await channel.send(message(text));
  expect(await channel.receive(await record(0, acknowledging(1)))).toBe(true);
  expect(told).toEqual([]);
  channel.resend();
  await channel.acknowledge();
  expect(sent).toHaveLength(4);
  expect(await channel.receive(await record(1, acknowledging(2)))).toBe(true);
  expect(told).toEqual(["idle"]);
  channel.resend();
  clock.advance(milli(60_000));
  await channel.acknowledge();
  expect(sent).toHaveLength(5);
  expect(await channel.receive(await record(2, acknowledging(2)))).toBe(true);
  expect(told).toEqual(["idle"]);
});

test("a channel holds 64 messages that were not acknowledged, and none once it is closed", async () => {
  const taken: boolean[] = [];
  for (let i = 0; i < 65; i += 1) taken.push(await channel.send(message(`${i}`)));
  expect(taken.filter(Boolean)).toHaveLength(64);
  expect(taken.at(-1)).toBe(false);
  await channel.receive(await record(0, acknowledging(64)));
  expect(await channel.send(message("again"))).toBe(true);
  channel.close();
  const before = sent.length;
  expect([await channel.send(message("late")), await channel.receive(await record(1, data(0, 1, 65)))]).toEqual([
    false,
    false,
  ]);
  clock.advance(milli(60_000));
  await channel.acknowledge();
  expect([sent.length, heard]).toEqual([before, []]);
});

test("records have one length up to 250 bytes of content, whatever they say, and then the next", async () => {
  const floor = { kid: 1n, highest: 2 };
  const resume = { id: random(16), secret: random(32) };
  const keys = { rotation: 8, removal: true, streamKey: random(32), resume, floors: [floor, floor, floor, floor] };
  await channel.send({ type: "rotation", ...keys });
  for (const length of [0, 1, 249, 250]) await channel.send({ type: "message", body: new Uint8Array(length) });
  await channel.send({ type: "farewell", why: "removed" });
  await channel.acknowledge();
  const [one, next] = [9 + 256 + 16, 9 + 512 + 16];
  expect(sent.map(({ length }) => length)).toEqual([one, one, one, one, next, one, one]);
});

test("a rotation says one number of floors, always", async () => {
  const resume = { id: random(16), secret: random(32) };
  const keys = { type: "rotation", rotation: 8, removal: true, streamKey: random(32), resume, floors: [] } as const;
  await expect(channel.send(keys)).rejects.toThrow(new RangeError("0 items in place of 4"));
});

test("what does not end as records do is refused", async () => {
  const content = data(0, 1, 65);
  const wrong = [content, concat(content, Uint8Array.of(0x81)), new Uint8Array(256)];
  for (const [counter, plaintext] of wrong.entries())
    expect(await channel.receive(await unpadded(counter, plaintext)), `${counter}`).toBe(false);
  expect(await channel.receive(await unpadded(9, concat(content, Uint8Array.of(0x80, 0, 0))))).toBe(true);
  expect(heard).toEqual([message("A")]);
});

test("what is opened as the channel is closed is not delivered", async () => {
  const received = channel.receive(await record(0, data(0, 3, 1)));
  // As it is being opened.
  for (let step = 0; step < 3; step++) await Promise.resolve();
  channel.close();
  expect(await received).toBe(false);
  await clock.advance(milli(60_000));
  expect([heard, sent]).toEqual([[], []]);
});
