import { milli } from "@sealcast/time";
import { expect, it } from "vitest";
import { TestHost } from "./viewers.cases.ts";

it("who departed with the key stands on the list, and can be removed, as long as the stream goes over relays", () => {
  const host = new TestHost(0);
  for (const id of ["a", "b"]) {
    host.comes(id);
    host.relayed(id);
  }
  host.is("a", "departed");
  expect(host.standing).toEqual({ a: "departed", b: "relayed" });
  host.viewers.actions.remove("a");
  expect(host.posted).toEqual([{ type: "remove" }]);
  host.is("b", "departed");
  expect(host.standing, "nothing is to be seen by the key any more").toEqual({});
  host.comes("c");
  expect(host.standing).toEqual({ a: "departed", b: "departed", c: "connecting" });
  for (const [id, is] of [
    ["a", "gone"],
    ["b", "left"],
  ] as const)
    host.is(id, is);
  expect(host.standing).toEqual({ c: "connecting" });
});

it("the server's word that someone departed ends no connection that works; when that is lost they give up their place", () => {
  const host = new TestHost(1, ["connection"]);
  host.comes("a");
  host.connected("a");
  host.comes("b");
  host.is("a", "departed");
  expect(host.standing).toEqual({ a: "watching", b: "full" });
  host.linked("a", "reconnecting");
  expect(host.standing).toEqual({ b: "connecting" });
  host.connected("b");
  expect(host.standing).toEqual({ b: "watching" });
});

it("who was let go is not on the list again, and whose connection this page closed is given no other", () => {
  const host = new TestHost(1);
  host.comes("a");
  host.is("a", "gone");
  expect(host.standing).toEqual({});
  host.comes("b");
  host.comes("c");
  host.relayed("c");
  host.viewers.breached("c", "flood");
  host.is("b", "gone");
  expect(host.standing).toEqual({ c: "flood" });
});

it("what one viewer decodes takes the picture at the relays from nobody", () => {
  const host = new TestHost(0);
  host.comes("evil", ["video/x"]);
  for (const id of ["a", "b"]) {
    host.comes(id);
    host.relayed(id);
  }
  expect(host.standing).toEqual({ evil: "full", a: "relayed", b: "relayed" });
  expect(host.relayedAs).toBe("video/h264");
  expect(host.toldOf("evil", "full")).not.toEqual([]);
  host.comes("older", ["video/vp8"]);
  expect(host.standing).toMatchObject({ older: "full", a: "relayed", b: "relayed" });
});

it("of what a viewer says to decode the first counts", () => {
  const host = new TestHost(0);
  host.comes("evil");
  host.comes("a");
  for (const decodes of [[], ["video/x"], ["video/vp8"]]) {
    host.clock.advance(milli(60_000));
    host.hello("evil", decodes);
  }
  expect(host.relayedAs).toBe("video/h264");
  expect(new Set(host.toldOf("a", "relay").map(({ codec }) => codec))).toEqual(new Set(["video/h264"]));
});

it("the first over relays has a say in their codec, and when others watch in another one is not left there without a picture", () => {
  const host = new TestHost(0);
  host.comes("without", ["video/vp8", "video/vp9"]);
  host.comes("a");
  for (const id of ["without", "a"]) host.relayed(id);
  expect([host.relayedAs, host.standing]).toEqual(["video/vp8", { without: "relayed", a: "relayed" }]);
  host.comes("only", ["video/h264"]);
  expect(host.standing).toMatchObject({ only: "full", without: "relayed", a: "relayed" });
  host.is("without", "gone");
  host.clock.advance(milli(5_000));
  expect(host.relayedAs).toBe("video/h264");
  expect(host.toldOf("a", "relay").map(({ codec }) => codec)).toEqual(["video/vp8", "video/h264"]);
  expect(host.toldOf("only", "relay")).toHaveLength(1);
});

it("who decodes a codec of a connection alone is told at once that it does not play over relays, and has a say in it where it comes first", () => {
  const host = new TestHost(1);
  host.comes("direct");
  host.comes("a");
  host.relayed("a");
  host.comes("without", undefined, ["video/vp8"]);
  expect([host.relayedAs, host.standing]).toEqual([
    "video/h264",
    { direct: "connecting", a: "relayed", without: "full" },
  ]);
  expect(host.toldOf("without", "relay")).toEqual([]);
  host.is("direct", "gone");
  expect(host.standing, "a connection that is free is theirs").toEqual({ a: "relayed", without: "connecting" });
  const other = new TestHost(0);
  other.comes("without", undefined, ["video/vp8"]);
  other.relayed("without");
  expect([other.relayedAs, other.standing]).toEqual(["video/vp8", { without: "relayed" }]);
});

it("what plays over relays at the first who watches there counts until their connection has taken its place, and not after that", () => {
  const host = new TestHost(1);
  host.comes("direct");
  for (const id of ["first", "second"]) {
    host.comes(id, undefined, ["video/vp8"]);
    host.clock.advance(milli(5_000));
    host.relayed(id);
  }
  expect([host.relayedAs, host.standing.first]).toEqual(["video/vp8", "relayed"]);
  host.clock.advance(milli(5_000));
  const refusals = () => ["first", "second"].map((id) => host.toldOf(id, "full").length);
  const before = refusals();
  host.is("direct", "gone");
  host.connected("first");
  host.clock.advance(milli(5_000));
  expect([host.relayedAs, host.standing]).toEqual(["video/vp8", { first: "watching", second: "relayed" }]);
  expect(refusals()).toEqual(before);
  host.says("first", { type: "relayed", shown: false });
  host.is("second", "gone");
  host.clock.advance(milli(5_000));
  host.comes("third");
  host.relayed("third");
  expect([host.relayedAs, host.standing]).toEqual(["video/h264", { first: "watching", third: "relayed" }]);
});

it("who alone finds no connection watches over relays, in what plays there", () => {
  const host = new TestHost(1);
  host.comes("a", ["video/vp8"]);
  host.clock.advance(milli(8_000));
  host.hello("a", ["video/vp8"], { unreached: "connection" });
  expect([host.relayedAs, host.standing]).toEqual(["video/vp8", { a: "connecting" }]);
  host.relayed("a");
  expect(host.standing).toEqual({ a: "relayed" });
});

it("a connection that does not come about goes on being tried where nothing plays over relays", () => {
  const host = new TestHost(1);
  host.comes("a", undefined, []);
  const offers = () => host.toldOf("a", "signal").length;
  const before = offers();
  host.hello("a", undefined, { unreached: "connection" });
  expect([host.standing, offers() - before]).toEqual([{ a: "connecting" }, 0]);
  host.comes("b");
  host.relayed("b");
  expect(host.standing).toEqual({ a: "connecting", b: "relayed" });
});

it("who asks on and on how the stream stands is answered a few times", () => {
  const host = new TestHost(1, ["connection"]);
  host.comes("evil");
  host.connected("evil");
  for (let i = 0; i < 300; i += 1) host.hello("evil", undefined, { fresh: false });
  expect(host.states).toBe(6);
  host.clock.advance(milli(5_000));
  host.hello("evil", undefined, { fresh: false });
  expect(host.states).toBe(7);
});

it("who watches over relays stays so when the host's socket or theirs is back, and is not told again", () => {
  const host = new TestHost(0);
  for (const id of ["a", "b"]) {
    host.comes(id);
    host.relayed(id);
  }
  const before = host.told.length;
  for (const is of ["away", "watching"] as const) for (const id of ["a", "b"]) host.is(id, is);
  expect(host.standing).toEqual({ a: "relayed", b: "relayed" });
  expect(host.told.length).toBe(before);
});

it("the list is drawn a few times a second at most, whatever viewers say, and not at all where nothing changed", () => {
  const host = new TestHost(0);
  for (let each = 0; each < 100; each++) host.comes(`${each}`);
  host.clock.advance(milli(1_000));
  const before = host.drawn;
  for (let said = 0; said < 100; said++) {
    host.says("7", { type: "records", stage: null });
    host.clock.advance(milli(20));
  }
  expect(host.drawn, "nothing new").toBe(before);
  for (let said = 0; said < 100; said++) {
    host.says(`${said}`, { type: "records", stage: "on" });
    host.clock.advance(milli(10));
  }
  host.clock.advance(milli(200));
  expect(host.drawn - before).toBeLessThanOrEqual(6);
  expect(host.shown.filter(({ records }) => records).length).toBe(100);
});

it("who lacks the relays' codec keeps nobody who waits behind them from these", () => {
  const host = new TestHost(0);
  host.comes("first", ["video/vp8"]);
  host.relayed("first");
  host.comes("never", ["video/x"]);
  host.comes("only", ["video/h264"]);
  expect(host.standing).toMatchObject({ never: "full", only: "full" });
  host.comes("a");
  host.is("first", "gone");
  host.clock.advance(milli(6_000));
  expect(host.relayedAs).toBe("video/h264");
  expect(host.toldOf("only", "relay")).toHaveLength(1);
});

it("a connection that becomes free goes to who watches over relays, and what comes over these goes on until its page says", () => {
  const host = new TestHost(1);
  for (const id of ["a", "b", "c"]) host.comes(id);
  host.connected("a");
  for (const id of ["b", "c"]) host.relayed(id);
  host.is("a", "gone");
  expect(host.standing).toEqual({ b: "relayed", c: "relayed" });
  host.connected("b");
  expect([...host.viewers.receivers.keys()]).toEqual(["b", "relay b", "relay"]);
  host.says("b", { type: "relayed", shown: false });
  host.is("c", "gone");
  expect([host.standing, [...host.viewers.receivers.keys()]]).toEqual([{ b: "watching" }, ["b"]]);
});

it("the picture is late where more than half of those who watch over relays say so, whatever others say", () => {
  const host = new TestHost(1);
  const isLate = () => [host.standing, host.isLate][1];
  for (const id of ["direct", "a", "b", "c"]) host.comes(id);
  host.connected("direct");
  for (const id of ["a", "b"]) host.relayed(id);
  expect(isLate()).toBe(false);
  host.relayed("a", true);
  for (const id of ["direct", "c"]) host.says(id, { type: "relayed", shown: false, late: true });
  expect(isLate(), "one of two, and two who do not watch there").toBe(false);
  host.relayed("b", true);
  expect(isLate()).toBe(true);
  host.relayed("a");
  expect(isLate()).toBe(false);
  host.is("a", "gone");
  expect(isLate(), "the only one").toBe(true);
  host.is("b", "gone");
  expect(isLate()).toBe(false);
});

it("it goes to nobody for whom none came about, as long as they have relays", () => {
  const host = new TestHost(1);
  for (const id of ["a", "b"]) host.comes(id);
  host.relayed("b");
  host.is("a", "gone");
  host.hello("b", undefined, { unreached: "connection" });
  host.relayed("b");
  host.comes("c");
  expect(host.standing).toEqual({ b: "relayed", c: "connecting" });
  host.is("c", "gone");
  expect(host.standing).toEqual({ b: "relayed" });
});

it("who asks for a fresh way shows nothing of relays any more: their connection is no second one", () => {
  const host = new TestHost(1);
  for (const id of ["a", "b"]) host.comes(id);
  host.relayed("b");
  host.is("a", "gone");
  host.hello("b");
  host.connected("b");
  const before = host.toldOf("b", "relay").length;
  host.viewers.relayChanged();
  expect([host.standing, host.toldOf("b", "relay").length - before]).toEqual([{ b: "watching" }, 0]);
});

it("whose connection is being made as relays are lost keeps it, and is told nothing", () => {
  const host = new TestHost(1);
  for (const id of ["a", "b"]) host.comes(id);
  host.relayed("b");
  host.is("a", "gone");
  host.losesRelays();
  expect([host.toldOf("b", "full"), host.standing]).toEqual([[], { b: "connecting" }]);
  host.connected("b");
  expect(host.standing).toEqual({ b: "watching" });
});

it("of times it tells who watches over relays and asks, and of thousands a few a second", () => {
  const host = new TestHost(1);
  const asks = (id: string) => host.says(id, { type: "timing", message: { type: "ask", asked: 1 }, frames: [] });
  const ids = Array.from({ length: 40 }, (_, at) => `viewer ${at}`);
  for (const id of ids) host.comes(id);
  for (const id of ids) asks(id);
  const answered = () => ids.filter((id) => host.toldOf(id, "timing").length > 0);
  expect(answered(), "the first has a connection, which tells it").toEqual(ids.slice(1, 9));
  expect(host.toldOf("viewer 1", "timing")).toEqual([
    { type: "timing", message: { type: "clock", asked: 1, came: 2, left: 3 } },
  ]);
  host.clock.advance(milli(1_000));
  for (let time = 0; time < 9; time++) asks("viewer 1");
  expect(host.toldOf("viewer 1", "timing").length, "one who asks and asks takes it from nobody").toBe(3);
  for (const id of ids.slice(20)) asks(id);
  expect(answered().length).toBe(10);
});

it("who leave all at once cost one choice of codec together", () => {
  const host = new TestHost(1);
  const ids = Array.from({ length: 200 }, (_, i) => `viewer ${i}`);
  for (const id of ids) {
    host.comes(id);
    host.relayed(id);
  }
  host.chosen = 0;
  host.viewers.moved(ids.slice(1, 100).map((viewer) => ({ viewer, is: "left" })));
  expect(host.chosen).toBe(1);
  host.viewers.moved(ids.slice(100, 150).map((viewer) => ({ viewer, is: "departed" })));
  expect(host.chosen).toBe(2);
  expect(Object.keys(host.standing)).toHaveLength(1 + 100);
});

it("on the list, who stands as before is the same entry, so that the page draws none of them again", () => {
  const host = new TestHost(1);
  for (const id of ["one", "two", "three"]) {
    host.comes(id);
    host.relayed(id);
  }
  expect(host.standing).toMatchObject({ two: "relayed" });
  const before = host.shown;
  host.says("two", { type: "name", name: "Ben" });
  expect(host.standing).toMatchObject({ two: "relayed" });
  expect(host.shown.map((entry, at) => entry === before[at])).toEqual([true, false, true]);
});

it("whose place goes to another in the same moment is on the list no more", () => {
  const host = new TestHost(1, ["connection"]);
  host.is("a", "answered");
  host.viewers.moved([
    { viewer: "a", is: "gone" },
    { viewer: "b", is: "answered" },
  ]);
  expect(host.standing).toEqual({ b: "connecting" });
  host.viewers.moved([
    { viewer: "c", is: "answered" },
    { viewer: "b", is: "left" },
  ]);
  expect(host.standing).toEqual({ c: "connecting" });
});

it("an answer for all goes to all by itself, and who comes later gets all of these", () => {
  const host = new TestHost(2);
  for (const id of ["a", "b"]) {
    host.comes(id);
    host.says(id, { type: "question", text: `${id}?` });
  }
  for (const key of [0, 1]) host.viewers.actions.answerQuestion(key, `answer ${key}`, true);
  host.comes("c");
  const answersTo = (viewer: string) =>
    host.toldOf(viewer, "answers").map(({ answers }) => answers.map(({ answer }) => answer));
  expect([answersTo("a"), answersTo("b")]).toEqual(Array(2).fill([["answer 0"], ["answer 1"]]));
  expect(answersTo("c")).toEqual([["answer 0", "answer 1"]]);
});

it("what the host lets viewers upvote all of them see, also who comes later, and each has one vote and a budget", () => {
  const host = new TestHost(12);
  for (const id of ["a", "b"]) host.comes(id);
  host.says("a", { type: "question", text: "Why?" });
  const [{ key } = expect.unreachable()] = host.questions;
  expect(host.toldOf("b", "questions")).toEqual([]);
  host.viewers.actions.shareQuestion(key, true);
  host.clock.advance(milli(1_000));
  host.comes("c");
  const [asked = expect.unreachable()] = host.toldOf("c", "questions").at(-1)?.questions ?? [];
  expect(asked.text).toBe("Why?");
  for (const id of ["a", "b"])
    expect(host.toldOf(id, "questions")).toEqual([{ type: "questions", questions: [asked] }]);
  const upvotes = () => {
    host.clock.advance(milli(200));
    return host.questions.map((question) => question.upvotes);
  };
  for (const id of ["a", "b", "b", "c"]) host.says(id, { type: "upvote", question: asked.id, up: true });
  expect(upvotes()).toEqual([3]);
  host.is("b", "gone");
  expect(upvotes()).toEqual([2]);
  for (let time = 0; time < 30; time++) host.says("c", { type: "upvote", question: asked.id, up: true });
  expect(host.dropped, "what is so already costs nothing").toEqual([]);
  for (let time = 0; time < 31; time++) host.says("c", { type: "upvote", question: asked.id, up: time % 2 > 0 });
  expect(new Set(host.dropped)).toEqual(new Set(["upvotes"]));
  host.clock.advance(milli(60_000));
  host.says("c", { type: "upvote", question: asked.id, up: false });
  expect(upvotes()).toEqual([1]);
  host.viewers.actions.shareQuestion(key, false);
  host.viewers.actions.shareQuestion(key, true);
  host.viewers.actions.shareQuestion(key, false);
  host.clock.advance(milli(1_000));
  expect(host.toldOf("a", "questions"), "several changes at once are one").toHaveLength(2);
  expect(host.toldOf("a", "questions").at(-1)).toEqual({ type: "questions", questions: [] });
  host.says("c", { type: "upvote", question: asked.id, up: true });
  expect(upvotes()).toEqual([0]);
});
