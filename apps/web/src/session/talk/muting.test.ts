import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, it } from "vitest";
import { PAGE_BUDGETS } from "../budgets.ts";
import { Muting, type MutingView } from "./muting.ts";

const host = { id: "b", identity: "host" };

let clock: ManualClock;
let view: MutingView["muting"];
let told: string[];
let isOn: boolean;
let muting: Muting;
beforeEach(() => {
  clock = new ManualClock();
  [view, told, isOn] = [{ askedBy: null, asked: [] }, [], true];
  muting = new Muting({
    clock,
    isHost: (identity) => identity === "host",
    microphone: () => isOn,
    mute: () => {
      isOn = false;
    },
    tell: (to, { type }) => told.push(`${type} to ${to}`),
    show: (change) => {
      view = change.muting;
    },
  });
});

it("asks one person once in a while", () => {
  muting.actions.askToMute("a");
  muting.actions.askToMute("a");
  expect([told, view.asked]).toEqual([["mute-request to a"], ["a"]]);
  clock.advance(milli(60_000));
  expect(view.asked).toEqual([]);
  muting.actions.askToMute("a");
  expect(told.length).toBe(2);
});

it("a host's question mutes nobody: this person does, or does not", () => {
  muting.heard(host);
  expect([view.askedBy, isOn]).toEqual(["b", true]);
  muting.actions.answerMuting(false);
  expect([view.askedBy, isOn]).toEqual([null, true]);
  muting.heard(host);
  muting.actions.answerMuting(true);
  expect([view.askedBy, isOn]).toEqual([null, false]);
});

it("is over when the microphone is off, and is not asked then", () => {
  muting.heard(host);
  isOn = false;
  muting.devicesChanged();
  expect(view.askedBy).toBeNull();
  muting.heard(host);
  expect(view.askedBy).toBeNull();
});

it("goes with the host who asked, and the question of one who is still here stays", () => {
  muting.heard({ id: "c", identity: "host" });
  muting.heard(host);
  expect(view.askedBy).toBe("b");
  muting.forget("d");
  expect(view.askedBy).toBe("b");
  muting.forget(host.id);
  expect(view.askedBy).toBe("c");
  muting.forget("c");
  expect(view.askedBy).toBeNull();
  clock.advance(milli(60_000));
  muting.heard(host);
  muting.heard({ id: "c", identity: "host" });
  muting.actions.answerMuting(false);
  muting.forget("c");
  expect(view.askedBy, "answered for both").toBeNull();
});

it("of a host who leaves and comes back to ask, few questions show", () => {
  let shown = 0;
  for (let come = 0; come < 100; come++) {
    muting.heard({ ...host, id: `${come}` });
    if (view.askedBy !== null) shown++;
    muting.forget(`${come}`);
  }
  expect(shown).toBe(PAGE_BUDGETS.muteRequests.burst);
});

it("is a host's to ask", () => {
  muting.heard({ id: "e", identity: "eve" });
  expect(view.askedBy).toBeNull();
});

it("of a host who asks again and again, few questions show", () => {
  let shown = 0;
  for (let asked = 0; asked < 100; asked++) {
    muting.heard(host);
    if (view.askedBy !== null) shown++;
    muting.actions.answerMuting(false);
  }
  expect(shown).toBe(PAGE_BUDGETS.muteRequests.burst);
});
