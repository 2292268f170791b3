import { concat, fromBase64url, toBase64url, toHex, utf8 } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { hostFingerprint } from "../../shared/live-link.ts";
import type { FromViewerKeys, LiveToViewer } from "../../shared/live-messages.ts";
import type { KeyUpdate } from "../../shared/messages.ts";
import { DoorKey } from "../identity/door-key.ts";
import type { Identity } from "../identity/identity.ts";
import { MAX_BODY } from "../plaintext.ts";
import { newIdentity } from "../room/room.cases.ts";
import { type Grant, sealAnswer } from "./answer.ts";
import { type Ask, LIVE_TYPES, parseAsk, pskOf, sealWord, type Word } from "./ask.ts";
import { type ChannelContent, FLOORS, LiveChannel, type Rotation } from "./channel.ts";
import { LiveViewer } from "./viewer.ts";

const ROOM = "r".repeat(22);
const SERVER = "sealcast.example:8443";
const HERE: LiveToViewer = { type: "watching", resumed: false, host: "here" };
const isAsk = (body: Uint8Array) => body[0] === LIVE_TYPES.ask;

/** A viewer of the product, and a host by hand that says what the test wants. The time stands still. */
class Seat {
  readonly clock = new ManualClock();
  readonly said: FromViewerKeys[] = [];
  readonly news: KeyUpdate[] = [];
  readonly viewer: LiveViewer;
  /** What the viewer's last channel carried to the host. */
  readonly heard: ChannelContent[] = [];
  readonly stream = random(16);
  readonly resume: Rotation["resume"];
  readonly #identity: Identity;
  readonly #room: string;
  readonly secret: Uint8Array;

  private constructor(identity: Identity, room: string, secret: Uint8Array, host: Uint8Array, kept: Uint8Array | null) {
    this.#identity = identity;
    this.#room = room;
    this.secret = secret;
    this.resume = kept?.length === 49 ? { id: kept.slice(1, 17), secret: kept.slice(17) } : grantedResume();
    this.viewer = new LiveViewer({
      room,
      link: { secret, host },
      server: SERVER,
      kept,
      clock: this.clock,
      seconds: () => 1_000_000n,
      tell: (message) => void this.said.push(message),
    });
  }

  static async take(kept: Uint8Array | null = null): Promise<Seat> {
    const [identity, secret] = [await newIdentity(), random(32)];
    const host = await hostFingerprint(identity.publicKey);
    const seat = new Seat(identity, ROOM, secret, host, kept);
    const port = { postMessage: (news: KeyUpdate) => void seat.news.push(news) };
    await seat.viewer.receive({ type: "media", port: port as unknown as MessagePort });
    return seat;
  }

  /** One that asks. */
  static async asking(kept: Uint8Array | null = null): Promise<Seat> {
    const seat = await Seat.take(kept);
    await seat.hear(HERE);
    await seat.pass(0);
    return seat;
  }

  /** One that has the keys of rotation 5, and the host's end of its channel. */
  static async watching(): Promise<{ seat: Seat; channel: LiveChannel }> {
    const seat = await Seat.asking();
    return { seat, channel: await seat.answer() };
  }

  async hear(event: LiveToViewer): Promise<void> {
    await this.viewer.receive({ type: "room", event });
  }

  deliver(body: Uint8Array): Promise<void> {
    return this.hear({ type: "delivered", body: toBase64url(body) });
  }

  /** Lets time pass; what is due then is done when this resolves. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(milli(ms));
    // Two things that are due follow each other in the viewer's queue.
    for (let i = 0; i < 3; i += 1) await this.deliver(Uint8Array.of(LIVE_TYPES.record));
  }

  get told(): Uint8Array[] {
    return this.said.flatMap((m) =>
      m.type === "to-room" && m.message.type === "tell" ? [fromBase64url(m.message.body) ?? new Uint8Array()] : [],
    );
  }

  get asks(): Uint8Array[] {
    return this.told.filter(isAsk);
  }

  /** All that the page was told, but for what goes to the server. */
  get words(): string[] {
    const words = this.said.map((m) => (m.type === "dropped" ? m.what : m.type === "refused" ? m.why : m.type));
    // The records by which `pass` waits are none.
    return words.filter((word) => word !== "to-room" && word !== "bad-record");
  }

  get epochs(): string[] {
    return this.news.flatMap((item) => ("epoch" in item ? [`${item.type} ${item.epoch}`] : [item.type]));
  }

  /** The last ask is answered, and the keys given, by default of rotation 5. The host's end of the channel. */
  async answer(differs: Partial<Grant> & { rotation?: number } = {}, by = this.#identity): Promise<LiveChannel> {
    const channel = await this.offer(differs, by);
    await this.says(channel, this.rotation(differs.rotation ?? 5));
    return channel;
  }

  /** The last ask is answered, and no keys are given. */
  async offer(differs: Partial<Grant> = {}, by = this.#identity): Promise<LiveChannel> {
    const ask = parseAsk(this.asks.at(-1) ?? new Uint8Array()) ?? expect.unreachable();
    const { nonce, viewerKey } = ask;
    const psk = pskOf(ask, this.#secretOf(ask));
    const grant = { stream: this.stream, signingKey: random(32), ...differs };
    const sealed = await sealAnswer(by, { room: this.#room, nonce, viewerKey, psk }, grant);
    const { body, keys } = sealed ?? expect.unreachable();
    await this.deliver(body);
    this.heard.length = 0;
    const { toViewer: sealKey, toHost: openKey } = keys;
    const transmit = (record: Uint8Array) => void this.deliver(record);
    const heard = (content: ChannelContent) => void this.heard.push(content);
    return LiveChannel.open({ clock: this.clock, sealKey, openKey, transmit, deliver: heard });
  }

  async word(word: Word, by = this.#identity): Promise<void> {
    const ask = parseAsk(this.asks.at(-1) ?? new Uint8Array()) ?? expect.unreachable();
    await this.deliver(await sealWord(by, { secret: this.#secretOf(ask), room: this.#room, nonce: ask.nonce }, word));
  }

  rotation(number: number, removal = false): Rotation {
    const floors = Array(FLOORS).fill({ kid: 0n, highest: 0 });
    return { type: "rotation", rotation: number, removal, streamKey: random(32), resume: this.resume, floors };
  }

  #secretOf({ kind }: Ask): Uint8Array {
    return kind === "link" ? this.secret : this.resume.secret;
  }

  async says(channel: LiveChannel, content: ChannelContent): Promise<void> {
    await channel.send(content);
    await this.pass(0);
  }
}

const grantedResume = (): Rotation["resume"] => ({ id: random(16), secret: random(32) });

test("a viewer proves the link of the room to this server, over this challenge, until it was refused", async () => {
  const seat = await Seat.take();
  const nonce = toBase64url(random(32));
  await seat.hear({ type: "challenge", nonce });
  const key = await DoorKey.of(seat.secret, ROOM);
  const message = { type: "watch", nonce, ...(await key.prove("watch", { nonce, host: SERVER })) };
  expect(seat.said).toEqual([{ type: "to-room", message }]);
  await seat.hear(HERE);
  await seat.pass(0);
  await seat.word("turned-away");
  const { length } = seat.said;
  await seat.hear({ type: "challenge", nonce });
  expect(seat.said).toHaveLength(length);
});

test("a viewer asks while the host is here: every 3 s the same, and after a minute again", async () => {
  const seat = await Seat.take();
  for (const host of ["absent", "away", "ended"] as const) await seat.hear({ ...HERE, host });
  await seat.pass(10_000);
  expect(seat.told).toEqual([]);
  await seat.hear(HERE);
  await seat.pass(0);
  expect(seat.asks).toHaveLength(1);
  await seat.pass(2999);
  expect(seat.asks).toHaveLength(1);
  for (let waited = 2999; waited < 57_000; waited += 3000) await seat.pass(waited === 2999 ? 1 : 3000);
  expect(seat.asks).toHaveLength(20);
  expect(new Set(seat.asks.map(toHex)).size).toBe(1);
  await seat.pass(3000);
  expect(new Set(seat.asks.map(toHex)).size).toBe(2);
});

test("when the host goes, asking stops; when it comes, viewers ask within a second, not all at once", async () => {
  const seats = await Promise.all(Array.from({ length: 8 }, () => Seat.take()));
  const asked = () => seats.filter(({ asks }) => asks.length > 0).length;
  for (const seat of seats) {
    await seat.hear({ type: "host-is", is: "here" });
    await seat.pass(0);
  }
  expect(asked()).toBeLessThan(8);
  for (const seat of seats) await seat.pass(1000);
  expect(asked()).toBe(8);
  for (const is of ["away", "ended"] as const) {
    const [seat] = seats as [Seat];
    await seat.hear({ type: "host-is", is });
    const { length } = seat.asks;
    await seat.pass(30_000);
    expect(seat.asks).toHaveLength(length);
    await seat.hear({ type: "host-is", is: "back" });
    await seat.pass(1000);
    expect(seat.asks).toHaveLength(length + 1);
  }
  const [, gone] = seats as [Seat, Seat];
  await gone.hear({ ...HERE, host: "away" });
  const { length } = gone.asks;
  await gone.pass(30_000);
  expect(gone.asks).toHaveLength(length);
});

test("a viewer who was here asks with its own secret, five times, then with the link's", async () => {
  const kept = concat(Uint8Array.of(1), random(48));
  const seat = await Seat.asking(kept);
  for (let tries = 1; tries < 7; tries += 1) await seat.pass(3000);
  const asks = seat.asks.map((ask) => parseAsk(ask) ?? expect.unreachable());
  expect(asks.map(({ kind }) => kind)).toEqual([...Array(5).fill("resume"), "link", "link"]);
  expect(asks[0]?.resumeId).toEqual(kept.slice(1, 17));
  expect(new Set(seat.asks.map(toHex)).size).toBe(2);
});

test("an answer that came makes the next ask one with its secret, tried five times again", async () => {
  const kept = concat(Uint8Array.of(1), random(48));
  const seat = await Seat.asking(kept);
  for (let tries = 1; tries < 4; tries += 1) await seat.pass(3000);
  await seat.answer();
  await seat.hear(HERE);
  await seat.pass(0);
  for (let tries = 1; tries < 5; tries += 1) await seat.pass(3000);
  const kinds = seat.asks.map((ask) => parseAsk(ask)?.kind);
  expect(kinds).toEqual(Array(9).fill("resume"));
});

test("what was kept and is damaged is as if nothing had been kept", async () => {
  for (const kept of [
    new Uint8Array(),
    random(48),
    concat(Uint8Array.of(2), random(48)),
    concat(Uint8Array.of(1), random(49)),
  ]) {
    const seat = await Seat.asking(kept);
    expect(parseAsk(seat.asks[0] ?? new Uint8Array())?.kind).toBe("link");
  }
});

test("an answer ends the asking, shows the host that it came, and is kept for the next load", async () => {
  const seat = await Seat.asking();
  await seat.answer();
  expect(seat.told.map(([type]) => type)).toEqual([LIVE_TYPES.ask, LIVE_TYPES.record]);
  const state = concat(Uint8Array.of(1), seat.resume.id, seat.resume.secret);
  expect(seat.said.find(({ type }) => type === "keep")).toMatchObject({ state });
  const watching = seat.said.find(({ type }) => type === "watching");
  expect(watching).toMatchObject({ stream: toHex(seat.stream) });
  await seat.pass(60_000);
  expect(seat.asks).toHaveLength(1);
  expect(seat.words).toEqual(["watching", "keep", "rotated"]);
  expect(seat.epochs).toEqual(["signer", "epoch 5"]);
});

test("an answer nobody asked for, or to another ask, changes nothing", async () => {
  const { seat } = await Seat.watching();
  await seat.offer();
  expect(seat.words).toEqual(["watching", "keep", "rotated", "replayed-answer"]);
  const [one, other] = [await Seat.asking(), await Seat.asking()];
  await other.answer();
  const body = Uint8Array.of(LIVE_TYPES.answer, ...random(1500));
  await one.deliver(body);
  expect(one.words).toEqual(["bad-answer"]);
  await one.offer({}, await newIdentity());
  expect(one.words).toEqual(["bad-answer", "wrong-host"]);
  expect(one.news).toEqual([]);
});

test("an answer and nothing more gives no key; the first one that comes opens the stream", async () => {
  const seat = await Seat.asking();
  const channel = await seat.offer();
  expect([seat.words, seat.epochs]).toEqual([["watching"], ["signer"]]);
  await seat.says(channel, seat.rotation(0));
  expect([seat.words.at(-1), seat.epochs.at(-1)]).toEqual(["rotated", "epoch 0"]);
});

test("a viewer whom the host has let in is ended by no answer or word of someone else who has the link", async () => {
  const { seat } = await Seat.watching();
  const thief = await newIdentity();
  await seat.hear(HERE);
  await seat.pass(0);
  await seat.offer({}, thief);
  await seat.word("turned-away", thief);
  expect(seat.words.slice(3)).toEqual(["bad-answer", "bad-answer"]);
  expect(seat.epochs.at(-1)).toBe("epoch 5");
  const again = await Seat.asking(concat(Uint8Array.of(1), random(48)));
  await again.offer({}, thief);
  expect(again.words).toEqual(["bad-answer"]);
  await again.answer();
  expect(again.words.at(-1)).toBe("rotated");
});

test("each rotation brings the secret that admits again, and the last one counts", async () => {
  const { seat, channel } = await Seat.watching();
  const kept = () => seat.said.flatMap((m) => (m.type === "keep" ? [m.state] : [])).at(-1);
  for (const number of [5, 6]) {
    const resume = grantedResume();
    await seat.says(channel, { ...seat.rotation(number), resume });
    expect(kept()).toEqual(concat(Uint8Array.of(1), resume.id, resume.secret));
  }
});

test("a socket that resumes goes on with its channel; a new session, or a host that loads again, needs another", async () => {
  const { seat, channel } = await Seat.watching();
  await seat.viewer.receive({ type: "send", body: utf8("first") });
  const records = () => seat.told.length - seat.asks.length;
  const before = records();
  for (const event of [
    { ...HERE, resumed: true },
    { type: "host-is", is: "back" },
  ] as const) {
    await seat.hear(event);
    await seat.pass(100);
  }
  // Each time the message, and an acknowledgement.
  expect([records() - before, seat.asks.length]).toEqual([4, 1]);
  await seat.hear({ type: "host-is", is: "here" });
  await seat.pass(1000);
  expect(seat.asks).toHaveLength(2);
  await seat.says(channel, seat.rotation(6));
  expect(seat.epochs).not.toContain("epoch 6");
  await seat.answer({ rotation: 7 });
  await seat.hear(HERE);
  await seat.pass(0);
  expect(seat.asks).toHaveLength(3);
  expect(new Set(seat.asks.map(toHex)).size).toBe(3);
});

test("the same rotation again is no news; another stream's keys take the place of all before", async () => {
  const { seat } = await Seat.watching();
  for (const differs of [{}, { rotation: 6 }, { stream: random(16), rotation: 2 }]) {
    await seat.hear(HERE);
    await seat.pass(0);
    await seat.answer(differs);
  }
  expect(seat.epochs).toEqual(["signer", "epoch 5", "epoch 6", "drop 5", "drop 6", "signer", "epoch 2"]);
  expect(seat.words.filter((word) => word === "watching")).toHaveLength(4);
});

test("a lower rotation of the same stream is refused, also on a fresh channel", async () => {
  const { seat } = await Seat.watching();
  await seat.hear(HERE);
  await seat.pass(0);
  const channel = await seat.answer({ rotation: 4 });
  expect([seat.words.at(-1), seat.epochs.at(-1)]).toEqual(["old-rotation", "epoch 5"]);
  for (const number of [5, 4, 6]) await seat.says(channel, seat.rotation(number));
  expect(seat.words.slice(-4)).toEqual(["keep", "old-rotation", "keep", "rotated"]);
  expect(seat.epochs.at(-1)).toBe("epoch 6");
});

test("a rotation's old key goes after 10 s, after a removal after 3 s", async () => {
  for (const removal of [false, true]) {
    const { seat, channel } = await Seat.watching();
    await seat.says(channel, seat.rotation(6, removal));
    expect(seat.epochs.at(-1)).toBe("epoch 6");
    await seat.pass(removal ? 2999 : 9999);
    expect(seat.epochs).not.toContain("drop 5");
    await seat.pass(1);
    expect(seat.epochs.at(-1)).toBe("drop 5");
  }
});

test("a host that says that it is over takes the keys; what it says of rotations then is nothing", async () => {
  const { seat, channel } = await Seat.watching();
  await seat.says(channel, { type: "farewell", why: "ended" });
  expect([seat.words.at(-1), seat.epochs.at(-1)]).toEqual(["ended", "drop 5"]);
  await seat.says(channel, seat.rotation(6));
  expect([seat.words.at(-1), seat.epochs.at(-1)]).toEqual(["old-rotation", "drop 5"]);
});

test("who is removed or turned away is not heard of again", async () => {
  const { seat: removed, channel } = await Seat.watching();
  await removed.says(channel, { type: "farewell", why: "removed" });
  expect(removed.epochs.at(-1)).toBe("drop 5");
  const turnedAway = await Seat.asking();
  await turnedAway.word("turned-away");
  for (const [seat, why] of [
    [removed, "removed"],
    [turnedAway, "turned-away"],
  ] as const) {
    expect(seat.said.at(-1)).toEqual({ type: "refused", why });
    const { length } = seat.said;
    await seat.hear(HERE);
    await seat.viewer.receive({ type: "send", body: utf8("x") });
    await seat.pass(60_000);
    expect(seat.said).toHaveLength(length);
  }
});

test("who waits hears so once, and asks every 10 s; the answer ends that", async () => {
  const seat = await Seat.asking();
  for (const _ of [1, 2]) await seat.word("waiting");
  expect(seat.words).toEqual(["waiting"]);
  // The ask after the one that was answered so comes as before.
  await seat.pass(3000);
  await seat.pass(9999);
  expect(seat.asks).toHaveLength(2);
  await seat.pass(1);
  expect(seat.asks).toHaveLength(3);
  await seat.answer();
  await seat.hear(HERE);
  await seat.pass(0);
  await seat.pass(3000);
  expect(seat.asks).toHaveLength(5);
  await seat.word("waiting");
  expect(seat.words.filter((word) => word === "waiting")).toHaveLength(2);
});

test("a word that is none is noted while this viewer asks, and only then", async () => {
  const seat = await Seat.take();
  await seat.deliver(random(60).with(0, LIVE_TYPES.word));
  expect(seat.words).toEqual([]);
  await seat.hear(HERE);
  await seat.pass(0);
  await seat.deliver(random(60).with(0, LIVE_TYPES.word));
  expect(seat.words).toEqual(["bad-answer"]);
  const notes = () => seat.said.filter((message) => message.type === "dropped").length;
  const before = notes();
  await seat.deliver(random(60).with(0, LIVE_TYPES.record));
  expect(notes()).toBe(before);
  await seat.answer();
  await seat.deliver(random(60).with(0, LIVE_TYPES.record));
  expect(seat.said.at(-1)).toEqual({ type: "dropped", what: "bad-record" });
});

test("a message has a largest size, and goes nowhere without a channel", async () => {
  const seat = await Seat.asking();
  await seat.viewer.receive({ type: "send", body: utf8("too early") });
  expect(seat.told).toHaveLength(1);
  await seat.answer();
  const long = new Uint8Array(MAX_BODY + 1);
  await expect(seat.viewer.receive({ type: "send", body: long })).rejects.toThrow(
    new RangeError(`a message of ${MAX_BODY + 1} bytes: at most ${MAX_BODY}`),
  );
  const before = seat.told.length;
  await seat.viewer.receive({ type: "send", body: long.subarray(1) });
  expect(seat.told).toHaveLength(before + 1);
});

test("a host that takes nothing any more is asked again", async () => {
  const { seat } = await Seat.watching();
  for (let i = 0; i < 64; i += 1) await seat.viewer.receive({ type: "send", body: utf8(`${i}`) });
  await seat.pass(0);
  expect(seat.asks).toHaveLength(1);
  await seat.viewer.receive({ type: "send", body: utf8("one too many") });
  await seat.pass(0);
  expect(seat.asks).toHaveLength(2);
});
