import { ManualClock, milli } from "@sealcast/time";
import { expect, test, vi } from "vitest";
import { toJson } from "../json.ts";
import { VideoFlow } from "./video-flow.ts";

function flowing() {
  const clock = new ManualClock();
  const said: unknown[] = [];
  const state = { isOpen: true };
  const changed = vi.fn();
  const say = (body: Uint8Array) => {
    if (state.isOpen) said.push(JSON.parse(new TextDecoder().decode(body)));
    return state.isOpen;
  };
  return { clock, said, state, changed, flow: new VideoFlow({ say, changed }, clock) };
}

test("a pause is said with its reason when it begins and when it ends, and shuts the link unless an encoder for several does", () => {
  const { flow, said, changed } = flowing();
  flow.pause(null, false);
  flow.pause("computer", false);
  flow.pause("computer", false);
  expect([flow.isShut, flow.paused, changed.mock.calls.length]).toEqual([true, "computer", 1]);
  flow.pause(null, true);
  expect([flow.isShut, flow.paused]).toEqual([false, "connection"]);
  flow.pause(null, false);
  expect(said.map((word) => (word as { paused: unknown }).paused)).toEqual(["computer", "connection", null]);
});

test("what could not be said is said once something can be, and again on a new way", () => {
  const { flow, said, state } = flowing();
  state.isOpen = false;
  flow.wants = false;
  state.isOpen = true;
  flow.opened();
  flow.opened();
  expect(said).toEqual(Array(2).fill({ wants: false, paused: null }));
});

test("who wants no video gets none, and is not said to be on a slow connection", () => {
  const { flow } = flowing();
  flow.heard(toJson({ wants: false, paused: null }));
  flow.pause("connection", false);
  expect([flow.isShut, flow.paused]).toEqual([true, null]);
});

test("hears why the other end's is paused", () => {
  const { flow, changed } = flowing();
  flow.heard(toJson({ wants: true, paused: "connection" }));
  expect([flow.pausedThere, changed.mock.calls.length]).toEqual(["connection", 1]);
});

test("of an end that changes its mind without rest, one word a second is followed, the last one", () => {
  const { flow, changed, clock } = flowing();
  for (let times = 0; times < 100; times++) {
    flow.heard(toJson({ wants: times % 2 === 1, paused: null }));
    clock.advance(milli(20));
  }
  clock.advance(milli(5_000));
  expect(changed.mock.calls.length).toBeLessThanOrEqual(3);
  expect(flow.isShut).toBe(false);
});

test.each([
  ["nothing", {}],
  ["another reason", { wants: true, paused: "weather" }],
  ["more than there is", { wants: true, paused: null, more: 1 }],
  ["a text for a yes", { wants: "no", paused: null }],
])("takes no word of %s", (_, word) => {
  const { flow, changed } = flowing();
  flow.heard(toJson(word));
  flow.heard(toJson({ wants: false, paused: null, padding: "x".repeat(200) }));
  expect([changed.mock.calls.length, flow.isShut]).toEqual([0, false]);
});
