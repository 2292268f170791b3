import type { FromCaptions } from "@sealcast/captions";
import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, test } from "vitest";
import { PAGE_BUDGETS } from "../budgets.ts";
import type { CaptionMessage } from "./caption.ts";
import { type CaptionedMember, Captions, type CaptionsView, NO_CAPTIONS } from "./captions.ts";

const track = (label: string) => ({ label }) as MediaStreamTrack;
const ON = { type: "captioning", on: true } as const;
const OFF = { type: "captioning", on: false } as const;
/** What is heard of a leaf, each of another person. */
const sender = (id: string) => ({ id, identity: id });
const said = (text: string): CaptionMessage => ({ type: "caption", text });

let clock: ManualClock;
let others: CaptionedMember[];
let view: CaptionsView["captions"];
let told: [string, CaptionMessage][];
/** Whom the engine hears; null where there is none. */
let heard: string[] | null;
let engine: (event: FromCaptions) => void;
let made: number;
let isThere: boolean;
let captions: Captions;

beforeEach(() => {
  clock = new ManualClock();
  others = [
    { id: "ada", name: "Ada", sound: track("ada") },
    { id: "ben", name: "Ben", sound: track("ben") },
  ];
  view = NO_CAPTIONS;
  told = [];
  heard = null;
  made = 0;
  isThere = true;
  captions = open(true);
});

function open(isAble: boolean): Captions {
  return new Captions({
    clock,
    isAble,
    others: () => others,
    own: () => ({ name: "Me", sound: track("me") }),
    make: async (events) => {
      engine = events;
      made += 1;
      if (!isThere) throw new Error("not there");
      return {
        hear: (tracks) => {
          heard = [...tracks.keys()];
        },
        close: () => {
          heard = null;
        },
      };
    },
    tell: (to, message) => void told.push([to, message]),
    date: () => clock.now(),
    show: (change) => {
      view = change.captions;
    },
  });
}

async function settled(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}

async function ready(): Promise<void> {
  await settled();
  engine({ type: "ready" });
}

const words = () => view.lines.map(({ name, text }) => `${name}: ${text}`);

test("both are off until asked: nothing is loaded, heard or shown", async () => {
  captions.follow();
  captions.heard(sender("ada"), ON);
  captions.heard(sender("ada"), said("Hello."));
  await settled();
  expect([made, heard, view.lines, told]).toEqual([0, null, [], []]);
  expect(captions.actions.transcript()).toEqual([]);
});

test("who reads hears others, and writes what they say under their names", async () => {
  captions.actions.showCaptions(true);
  expect(view.engine).toBe("loading");
  engine?.({ type: "loading", share: 0.417 });
  await ready();
  expect([heard, view.engine]).toEqual([["ada", "ben"], "on"]);
  engine({ type: "caption", source: "ben", text: "Good morning." });
  expect(words()).toEqual(["Ben: Good morning."]);
  expect(told).toEqual([]);
});

test("who has their speech captioned sends it to all, and is not heard otherwise", async () => {
  captions.actions.captionSpeech(true);
  await ready();
  expect([heard, told]).toEqual([["me"], [["all", ON]]]);
  engine({ type: "caption", source: "me", text: "Good morning." });
  expect(told.at(-1)).toEqual(["all", said("Good morning.")]);
  expect(view.lines).toEqual([]);
  captions.actions.captionSpeech(false);
  await settled();
  expect([heard, told.at(-1)]).toEqual([null, ["all", OFF]]);
});

test("a newcomer hears whether this person sends captions", async () => {
  captions.met("cleo");
  captions.actions.captionSpeech(true);
  captions.met("dan");
  await ready();
  captions.met("eve");
  expect(told).toEqual([
    ["all", ON],
    ["eve", ON],
  ]);
});

test("a caption that the speaker sends wins over one made here, also one that is under way", async () => {
  captions.actions.showCaptions(true);
  await ready();
  captions.heard(sender("ada"), ON);
  await settled();
  expect(heard).toEqual(["ben"]);
  engine({ type: "caption", source: "ada", text: "Made here." });
  captions.heard(sender("ada"), said("Made there."));
  expect(words()).toEqual(["Ada: Made there."]);
  captions.heard(sender("ada"), OFF);
  await settled();
  expect(heard).toEqual(["ada", "ben"]);
});

test("where all who speak send captions, nothing is loaded to make some, until one comes who does not", async () => {
  for (const { id } of others) captions.heard(sender(id), ON);
  captions.actions.showCaptions(true);
  captions.heard(sender("ada"), said("Hello."));
  await settled();
  expect([made, view.engine, words()]).toEqual([0, "off", ["Ada: Hello."]]);
  others = [...others, { id: "cleo", name: "Cleo", sound: track("cleo") }];
  captions.follow();
  await ready();
  expect([made, view.engine, heard]).toEqual([1, "on", ["cleo"]]);
});

test("a caption alone says that its speaker sends them", async () => {
  captions.actions.showCaptions(true);
  await ready();
  captions.heard(sender("ada"), said("Hello."));
  await settled();
  expect(heard).toEqual(["ben"]);
});

test("while this computer is too slow others are not to rely on it, and it says so", async () => {
  captions.actions.captionSpeech(true);
  await ready();
  engine({ type: "behind", isBehind: true });
  expect([view.engine, told.at(-1)]).toEqual(["behind", ["all", OFF]]);
  engine({ type: "behind", isBehind: false });
  expect([view.engine, told.at(-1)]).toEqual(["on", ["all", ON]]);
});

test("what makes captions does not load: it says so, others hear of none, and it can be tried again", async () => {
  isThere = false;
  captions.actions.captionSpeech(true);
  await settled();
  expect([view.engine, told]).toEqual(["failed", []]);
  isThere = true;
  captions.actions.retryCaptions();
  await ready();
  expect([view.engine, made, told]).toEqual(["on", 2, [["all", ON]]]);
});

test("called off while it loads, nothing of it is taken any more", async () => {
  captions.actions.showCaptions(true);
  captions.actions.showCaptions(false);
  await settled();
  engine({ type: "ready" });
  engine({ type: "caption", source: "ada", text: "Late." });
  expect([view.engine, heard, view.lines]).toEqual(["off", null, []]);
});

test("a browser that makes none shows those that are sent, and asks for nothing", async () => {
  captions = open(false);
  captions.actions.showCaptions(true);
  captions.actions.captionSpeech(true);
  captions.heard(sender("ada"), said("Hello."));
  await settled();
  expect([made, words(), told, view.speaks]).toEqual([0, ["Ada: Hello."], [], false]);
});

test("who has left is heard no more, and nothing under their id is taken for anyone", async () => {
  captions.actions.showCaptions(true);
  await ready();
  others = others.filter(({ id }) => id !== "ada");
  captions.forget("ada");
  captions.follow();
  await settled();
  captions.heard(sender("ada"), said("Still here."));
  engine({ type: "caption", source: "ada", text: "Still here." });
  expect([heard, view.lines]).toEqual([["ben"], []]);
});

test("three lines show, and the transcript has all since they were shown", async () => {
  captions.actions.showCaptions(true);
  for (const text of ["one", "two", "three", "four"]) captions.heard(sender("ada"), said(text));
  expect(words()).toEqual(["Ada: two", "Ada: three", "Ada: four"]);
  expect(captions.actions.transcript().map(({ text }) => text)).toEqual(["one", "two", "three", "four"]);
});

test("the newest line of each of the latest speakers stays, however much one of them says", () => {
  captions.actions.showCaptions(true);
  captions.heard(sender("ben"), said("first"));
  captions.heard(sender("ben"), said("Mine stays."));
  for (let i = 0; i < 40; i++) {
    captions.heard(sender("ada"), said(`flood ${i}`));
    clock.advance(milli(240));
  }
  expect(words().slice(0, 1)).toEqual(["Ben: Mine stays."]);
  expect(
    words()
      .slice(1)
      .every((line) => line.startsWith("Ada: flood")),
  ).toBe(true);
  expect(words()).toHaveLength(3);
  clock.advance(milli(1_000));
  captions.heard(sender("ada"), said("and on"));
  expect(
    words().filter((line) => line.startsWith("Ben")),
    "after ten seconds it has been read",
  ).toEqual([]);
});

test("nothing is kept after leaving", async () => {
  captions.actions.showCaptions(true);
  await ready();
  captions.heard(sender("ada"), said("A secret."));
  captions.close();
  await settled();
  expect([view, captions.actions.transcript(), heard]).toEqual([{ ...NO_CAPTIONS, isAble: true }, [], null]);
});

test("a member that floods is left out, and takes no line of another's", async () => {
  captions.actions.showCaptions(true);
  captions.heard(sender("ben"), said("Mine stays."));
  for (let i = 0; i < 5_000; i++) {
    captions.heard(sender("ada"), said(`flood ${i}`));
    if (i % 100 === 0) clock.advance(milli(500));
  }
  const of = (id: string) => captions.actions.transcript().filter(({ speaker }) => speaker === id).length;
  expect(of("ada")).toBeLessThanOrEqual(PAGE_BUDGETS.captions.burst + 50);
  clock.advance(milli(60_000));
  captions.heard(sender("ben"), said("And this."));
  expect(of("ben")).toBe(2);
});

test("a member that leaves and comes back goes on with what was left to them", () => {
  captions.actions.showCaptions(true);
  others = [];
  for (let come = 0; come < 500; come++) {
    const id = `${come}`;
    others = [{ id, name: "Eve", sound: null }];
    captions.heard({ id, identity: "eve" }, said("Again."));
    captions.forget(id);
  }
  expect(captions.actions.transcript().length).toBe(PAGE_BUDGETS.captions.burst);
});

test("a member that floods slowly for hours pushes out its own lines only", () => {
  captions.actions.showCaptions(true);
  captions.heard(sender("ben"), said("Mine stays."));
  for (let i = 0; i < 2_500; i++) {
    clock.advance(milli(1_000));
    captions.heard(sender("ada"), said(`${i}`));
  }
  const lines = captions.actions.transcript();
  expect([lines.length, lines[0]?.text, lines[1]?.text]).toEqual([2_001, "Mine stays.", "500"]);
});

test("whatever stands in a caption, it is one line of at most 400 letters without what turns or hides", () => {
  captions.actions.showCaptions(true);
  captions.heard(sender("ada"), said("\u202eone\n\n\u0007two\u200b \u2066q\u0301\u0301\u0301\u0301\u0301\u0301\u0301"));
  captions.heard(sender("ada"), said(" \u200b\n"));
  expect(view.lines.map(({ text }) => text)).toEqual(["one two q\u0301\u0301\u0301\u0301"]);
});
