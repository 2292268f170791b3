import { expect, test } from "vitest";
import { Backlog } from "./backlog.ts";

const socket = (backlog: number) => ({
  backlog,
  isGivenUp: false,
  giveUp() {
    this.isGivenUp = true;
  },
});
type Socket = ReturnType<typeof socket>;
const givenUp = (sockets: readonly Socket[]) => sockets.map(({ isGivenUp }) => isGivenUp);

test("past the total those with most are given up, until a quarter is free", () => {
  const backlog = new Backlog(100);
  const sockets = [20, 30, 40, 10].map(socket);
  for (const one of sockets) backlog.note(one);
  expect(givenUp(sockets)).toEqual([false, false, false, false]);
  const last = socket(1);
  backlog.note(last);
  expect(givenUp([...sockets, last])).toEqual([false, false, true, false, false]);
});

test("what the network has taken meanwhile counts no more", () => {
  const backlog = new Backlog(100);
  const sockets = [60, 40].map(socket);
  for (const one of sockets) backlog.note(one);
  for (const one of sockets) one.backlog = 0;
  const last = socket(50);
  backlog.note(last);
  expect(givenUp([...sockets, last])).toEqual([false, false, false]);
});

test("a socket that is gone counts no more", () => {
  const backlog = new Backlog(100);
  const [gone, other] = [socket(100), socket(90)];
  backlog.note(gone);
  backlog.forget(gone);
  backlog.note(other);
  expect(givenUp([gone, other])).toEqual([false, false]);
});
