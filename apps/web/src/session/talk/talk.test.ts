import { ManualClock } from "@sealcast/time";
import { expect, it } from "vitest";
import { parseMessage } from "../call/message.ts";
import type { Peer } from "../call/peer.ts";
import type { Devices } from "../devices/devices.ts";
import { toJson } from "../json.ts";
import { MAX_TEXT } from "./said.ts";
import { NO_TALK, Talk, type TalkView } from "./talk.ts";
import { isTalk, type TalkMessage } from "./talk-message.ts";

const leaf = (digit: string) => digit.repeat(64);
const member = (digit: string) => ({
  ...{ leaf: 0, identity: `identity ${digit}`, seat: "", name: "", me: digit === "a" },
  leafKeyId: leaf(digit),
});
const peer = (digit: string, name: string): Pick<Peer, "member" | "name"> => ({ member: member(digit), name });

function scene() {
  let view: TalkView = NO_TALK;
  const told: [string, TalkMessage][] = [];
  const devices = { local: { view: { microphone: { on: true } } }, actions: {} } as unknown as Devices;
  const talk = new Talk(
    { clock: new ManualClock() },
    {
      people: { me: member("a"), roster: [member("a")] },
      holding: { rules: { host: false, hosts: ["identity b"], mode: "open" }, removing: [] },
      known: () => null,
      devices,
      name: () => "Ada",
      tell: (to, message) => told.push([to, message]),
      show: (change) => {
        view = { ...view, ...change };
      },
    },
  );
  return { talk, told, view: () => view };
}

it("each message goes where it belongs, in the name of the leaf that sent it", () => {
  const { talk, view } = scene();
  const ben = peer("b", "Ben");
  talk.heard(ben, { type: "chat", number: 0, text: "hello", reply: null, again: null });
  talk.heard(ben, { type: "reaction", reaction: "heart" });
  talk.heard(ben, { type: "hand", version: 1, place: 1 });
  talk.heard(ben, { type: "mute-request" });
  expect(view().chat.lines.map(({ name, text }) => `${name}: ${text}`)).toEqual(["Ben: hello"]);
  expect(view().reactions.map(({ id }) => id)).toEqual([leaf("b")]);
  expect(view().hands.order).toEqual([leaf("b")]);
  expect(view().muting.askedBy).toBe(leaf("b"));
  talk.heard(peer("e", "Eve"), { type: "hand-lowered", leaf: leaf("b"), version: 1 });
  expect(view().hands.order, "Eve is no host").toEqual([leaf("b")]);
  talk.heard(ben, { type: "hand-lowered", leaf: leaf("b"), version: 1 });
  expect(view().hands.order).toEqual([]);
});

it("of who goes, what they said stays, and nothing else", () => {
  const { talk, view } = scene();
  const ben = peer("b", "Ben");
  talk.heard(ben, { type: "chat", number: 0, text: "hello", reply: null, again: null });
  talk.heard(ben, { type: "reaction", reaction: "heart" });
  talk.heard(ben, { type: "hand", version: 1, place: 1 });
  talk.forget(leaf("b"));
  expect([view().chat.lines.length, view().reactions, view().hands.order]).toEqual([1, [], []]);
});

it("a newcomer hears of this page's hand, and of nothing that was said before", () => {
  const { talk, told } = scene();
  talk.actions.sendChat("before", null);
  talk.actions.raiseHand(true);
  told.length = 0;
  talk.met(leaf("c"));
  expect(told).toEqual([[leaf("c"), { type: "hand", version: 1, place: 1 }]]);
});

const chat = { type: "chat", number: 0, text: "hello", reply: null, again: null };
it.each([
  ["a text of the largest size", { ...chat, text: "x".repeat(MAX_TEXT) }, true],
  ["a text that is longer", { ...chat, text: "x".repeat(MAX_TEXT + 1) }, false],
  ["another's name in a message", { ...chat, from: "Ben" }, false],
  ["a quote in its own words", { ...chat, reply: { leaf: leaf("b"), number: 0, text: "I never said that" } }, false],
  ["an answer to no leaf", { ...chat, reply: { leaf: "Ben", number: 0 } }, false],
  ["a number that is none", { ...chat, number: 0.5 }, false],
  ["a reaction that nobody knows", { type: "reaction", reaction: "<img src=x>" }, false],
  ["a hand in another's name", { type: "hand", version: 1, place: 1, leaf: leaf("b") }, false],
  ["a place below all", { type: "hand", version: 1, place: -1 }, false],
])("takes %s, or does not", (_, message, isTaken) => {
  const parsed = parseMessage(toJson(message));
  expect(parsed !== null && isTalk(parsed)).toBe(isTaken);
});
