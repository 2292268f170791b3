import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { turnCredentials } from "../turn.ts";
import { group } from "./room.cases.ts";
import { TurnAsks } from "./turn-asks.ts";

const turn = () => turnCredentials({ urls: ["turn:turn.example.org"], secret: "secret" }, 0);

function setUp() {
  const clock = new ManualClock();
  const sent: string[] = [];
  const counts = { dropped: 0 };
  const socket = {
    ...{ send: (text: string) => void sent.push(text), offer: () => {} },
    ...{ network: "", charge: () => {}, close: () => {}, restart: () => {}, fault: () => {} },
  };
  const options = { clock, randomId: () => "", stunPort: null, dropped: () => counts.dropped++ };
  return { clock, sent, counts, socket, options };
}

test("a session has four at once, and one more in ten minutes", () => {
  const { clock, sent, counts, socket, options } = setUp();
  const asks = new TurnAsks({ ...options, turn });
  for (let i = 0; i < 50; i++) asks.answer(socket);
  expect([sent.length, counts.dropped]).toEqual([4, 46]);
  clock.advance(milli(600_000));
  for (let i = 0; i < 50; i++) asks.answer(socket);
  expect(sent.length).toBe(5);
});

test("without a TURN server there is nothing to give", () => {
  const { sent, counts, socket, options } = setUp();
  new TurnAsks({ ...options, turn: null }).answer(socket);
  expect([sent, counts.dropped]).toEqual([[], 0]);
});

test("who is in a call's group has them; who waits outside has none, nor who stays behind when the group goes on", () => {
  const { alice, bob, join, wait } = group(2, { turn });
  expect(alice.joined.turn).toBe(true);
  const waiting = join();
  for (const one of [alice, waiting]) one.say({ type: "turn" });
  expect([alice.all("turn").length, waiting.all("turn").length]).toEqual([1, 0]);
  alice.commit("next");
  alice.enter("next");
  wait(6_000);
  for (const one of [alice, bob]) one.say({ type: "turn" });
  expect([alice.all("turn").length, bob.all("turn").length]).toEqual([2, 0]);
});
