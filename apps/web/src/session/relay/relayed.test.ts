import type { MediaPool, Verdict } from "@sealcast/media";
import type { LineSource } from "@sealcast/network";
import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import type { ProvenLine, Sample } from "../audit/browser-counters.ts";
import { Relayed } from "./relayed.ts";

const HALF_A_SECOND = milli(500);
const LONG = milli(40_000);

/** Someone whose camera and microphone come, over their connection and over the relay. */
function someone(due: LineSource[] = ["microphone", "camera"]) {
  const clock = new ManualClock();
  const played = new Map<LineSource, MediaStreamTrack>();
  const said: number[] = [];
  const judge: ((verdict: Verdict) => void)[] = [];
  const alarms: string[] = [];
  let canSay = true;
  const released = { count: 0 };
  const attachment = () => ({ id: "", renewals: 0, ready: Promise.resolve(), release: () => void released.count++ });
  const pool = {
    openRelayed: (_receiver: unknown, _of: unknown, judged: (verdict: Verdict) => void) => {
      judge.push(judged);
      return attachment();
    },
  };
  const relayed = new Relayed({
    ...{ clock, leaf: 1, name: () => "Ben", due: () => due },
    pool: pool as unknown as MediaPool,
    incoming: {
      replace: (source, track) => void (track === null ? played.delete(source) : played.set(source, track)),
    },
    say: ([word = -1]) => canSay && said.push(word) > 0,
    forged: () => void alarms.push("forged"),
  });
  const own = due.map((source) => ({ source, received: attachment() }) as unknown as ProvenLine);
  const comes = (lines: readonly ProvenLine[], of: readonly LineSource[]) =>
    lines
      .filter(({ source }) => of.includes(source))
      .map((line): [Sample, null] => [
        { line, attachment: line.received, passed: 5, counted: { after: 5 } } as unknown as Sample,
        null,
      ]);
  const look = (ways: { relay?: readonly LineSource[]; own?: readonly LineSource[] }, isWanted = true) => {
    clock.advance(HALF_A_SECOND);
    const pairs = [...comes(relayed.lines, ways.relay ?? []), ...comes(own, ways.own ?? [])];
    relayed.examine(pairs, isWanted, own);
  };
  const open = (source: LineSource, track = { source } as unknown as MediaStreamTrack) => {
    relayed.open({ track } as RTCRtpReceiver, source, new Uint8Array());
    return track;
  };
  const mute = (is: boolean) => {
    canSay = !is;
  };
  return { relayed, played, said, alarms, judge, clock, look, open, mute, due, released };
}

test("their connection goes on until all that is due has come over the relay, and then they are told", () => {
  const { relayed, played, said, look, open, due } = someone();
  for (const source of due) open(source);
  look({ relay: ["microphone"], own: due });
  expect([relayed.isPlayed, said]).toEqual([false, []]);
  look({ relay: due, own: due });
  expect([relayed.isPlayed, said, [...played.keys()]]).toEqual([true, [1], due]);
  look({ relay: due });
  expect(said, "once").toEqual([1]);
});

test("the relay goes on until all that is due has come over their connection again", () => {
  const { relayed, said, look, open, due } = someone();
  for (const source of due) open(source);
  look({ relay: due });
  look({ relay: due }, false);
  expect([relayed.isPlayed, said]).toEqual([true, [1, 0]]);
  look({ relay: due, own: ["camera"] }, false);
  expect(relayed.isPlayed).toBe(true);
  look({ own: due }, false);
  expect(relayed.isPlayed).toBe(false);
});

test("what stays away at the relay for 3 s comes directly for a while", () => {
  const { relayed, said, clock, look, open, due } = someone();
  for (const source of due) open(source);
  look({ relay: due });
  for (let sample = 0; sample < 6; sample++) look({ relay: ["microphone"] });
  expect(said).toEqual([1]);
  look({ relay: ["microphone"] });
  expect([said, relayed.isTrusted]).toEqual([[1, 0], false]);
  look({ relay: due, own: due });
  expect(relayed.isPlayed).toBe(false);
  clock.advance(LONG);
  look({ relay: due });
  expect([relayed.isPlayed, said]).toEqual([true, [1, 0, 1]]);
});

test("who has a frame forged at the relay sends directly at once: for a while, each time for twice as long, and then for good", () => {
  const { relayed, played, said, alarms, judge, clock, look, open, due } = someone();
  for (const barred of [30, 60, 120, 240, 3_600].map((seconds) => milli(seconds * 1_000))) {
    for (const source of due) open(source);
    look({ relay: due });
    const before = alarms.length;
    judge.at(-1)?.("unsigned");
    judge.at(-1)?.("signed");
    expect([relayed.isPlayed, played.size, alarms.length], "signatures were late").toEqual([true, 2, before]);
    judge.at(-1)?.("forged");
    expect([relayed.isPlayed, relayed.lines, played.size, said.at(-1)]).toEqual([false, [], 0, 0]);
    clock.advance(milli(barred - 1));
    expect(relayed.isTrusted).toBe(false);
    clock.advance(milli(1));
  }
  expect(relayed.isTrusted).toBe(false);
  expect(alarms).toHaveLength(5);
  for (const source of due) open(source);
  look({ relay: due, own: due });
  expect([relayed.isPlayed, said.at(-1)]).toEqual([false, 0]);
  for (const { link } of relayed.proven) link?.restart();
  clock.advance(LONG);
  expect(relayed.isTrusted, "a line that is to be set again ends no longer time").toBe(false);
});

test("while signatures of one track are overdue nothing of that person plays, also where that track has ended, or the next is the same object", () => {
  for (const ends of ["before", "after", "never"]) {
    const { relayed, played, said, alarms, judge, look, open, due } = someone();
    const [, camera] = due.map((source) => open(source));
    look({ relay: due });
    if (camera === undefined) return expect.unreachable();
    if (ends === "before") relayed.ended(camera);
    judge[1]?.("unsigned");
    if (ends === "after") relayed.ended(camera);
    if (ends !== "never") open("camera", camera);
    open("screen-picture");
    look({ relay: due });
    expect(played.size, ends).toBe(0);
    judge[1]?.("signed");
    expect(played.size, ends).toBe(3);
    expect(said, ends).toEqual([1]);
    judge[0]?.("unsigned");
    expect(played.size, ends).toBe(0);
    judge[0]?.("forged");
    expect([relayed.isPlayed, relayed.lines, alarms.length], ends).toEqual([false, [], 1]);
  }
});

test("while nothing of what comes over the relay plays, they are not told that it does, and after three seconds that it does not", () => {
  const { relayed, said, judge, look, open, due } = someone();
  const [, camera] = due.map((source) => open(source));
  if (camera === undefined) return expect.unreachable();
  look({ relay: ["camera"] });
  relayed.ended(camera);
  judge[1]?.("unsigned");
  open("camera");
  look({ relay: due });
  expect([relayed.isPlayed, said]).toEqual([false, []]);
  judge[1]?.("signed");
  look({ relay: due });
  expect(said).toEqual([1]);
  judge[0]?.("unsigned");
  for (let sample = 0; sample < 7; sample++) look({ relay: due });
  expect(said).toEqual([1, 0]);
});

test("nothing comes of them for three seconds, with signatures overdue: they send directly", () => {
  const { relayed, said, judge, look, open, due } = someone();
  for (const source of due) open(source);
  look({ relay: due });
  for (const judged of judge) judged("unsigned");
  for (let sample = 0; sample < 7; sample++) look({});
  expect([relayed.isTrusted, said.at(-1)]).toEqual([false, 0]);
});

test("several tracks of which it is found out that others made them are one forgery", () => {
  const { relayed, released, alarms, judge, clock, look, open, due } = someone();
  for (const source of due) open(source);
  look({ relay: due });
  for (const judged of judge) judged("unsigned");
  judge[0]?.("forged");
  expect([alarms.length, released.count]).toEqual([1, 2]);
  clock.advance(milli(30_000));
  expect(relayed.isTrusted).toBe(true);
  for (const source of due) open(source);
  look({ relay: due });
  judge[1]?.("forged");
  expect([alarms.length, relayed.isPlayed], "what was let go is judged no more").toEqual([1, true]);
});

test("of who is gone nobody is accused: what they had not signed yet is let go at once", () => {
  const { relayed, released, look, open, due } = someone();
  for (const source of due) open(source);
  look({ relay: due });
  relayed.ended(relayed.lines[0]?.track as MediaStreamTrack);
  relayed.leave();
  expect(released.count).toBe(2);
});

test("a track that has ended is held against its signatures until they would be there, and then let go", () => {
  const { relayed, released, clock, look, open, due } = someone();
  const [microphone] = due.map((source) => open(source));
  look({ relay: due });
  if (microphone) relayed.ended(microphone);
  clock.advance(milli(16_999));
  expect(released.count).toBe(0);
  clock.advance(milli(1));
  expect(released.count).toBe(1);
});

test("a track that has ended with signatures overdue is not let go before it is known how it stands", () => {
  const { relayed, released, judge, clock, look, open, due } = someone();
  const [microphone] = due.map((source) => open(source));
  look({ relay: due });
  if (microphone) relayed.ended(microphone);
  judge[0]?.("unsigned");
  clock.advance(milli(60_000));
  expect(released.count).toBe(0);
  judge[0]?.("signed");
  clock.advance(milli(1_000));
  expect(released.count).toBe(1);
});

test("they hear at once that this page takes nothing over the relay any more", () => {
  const { relayed, said, look, open, due } = someone();
  for (const source of due) open(source);
  look({ relay: due });
  relayed.close();
  expect([relayed.isPlayed, said]).toEqual([false, [1, 0]]);
  relayed.close();
  expect(said, "once").toEqual([1, 0]);
});

test("a track that ends gives way to their connection at once, and they are told", () => {
  const { relayed, played, said, look, open } = someone(["camera"]);
  const track = open("camera");
  look({ relay: ["camera"] });
  expect(relayed.ended({} as MediaStreamTrack)).toBe(false);
  expect(relayed.ended(track)).toBe(true);
  expect(played.size).toBe(0);
  look({});
  expect([relayed.isPlayed, said]).toEqual([false, [1, 0]]);
});

test("what could not be said is said later, and again over another connection", () => {
  const { relayed, said, look, open, mute, due } = someone();
  for (const source of due) open(source);
  mute(true);
  look({ relay: due });
  expect(said).toEqual([]);
  mute(false);
  look({ relay: due });
  expect(said).toEqual([1]);
  relayed.opened();
  look({ relay: due });
  expect(said).toEqual([1, 1]);
});

test("their word on what they get is one byte, and nothing else is", () => {
  const { relayed } = someone();
  for (const [body, isTaken] of [
    [[1], true],
    [[], true],
    [[0, 0], true],
    [[7], false],
    [[1], true],
    [[0], false],
  ] as const) {
    relayed.heard(Uint8Array.from(body));
    expect(relayed.isTaken).toBe(isTaken);
  }
});
