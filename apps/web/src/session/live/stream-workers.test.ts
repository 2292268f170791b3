import { beforeEach, expect, test, vi } from "vitest";

const spawned = vi.hoisted(() => [] as { readonly is: string; isEnded: boolean; terminate(): void }[]);
const spawn = vi.hoisted(() => (is: string) => () => {
  const worker = {
    ...{ is, isEnded: false },
    terminate() {
      this.isEnded = true;
    },
  };
  spawned.push(worker);
  return worker;
});
vi.mock("../workers.ts", () => ({ spawnLiveRelay: spawn("relay"), spawnPlayer: spawn("player") }));
vi.mock("@sealcast/player", () => ({}));

import { StreamWorkers } from "./stream-workers.ts";

const standing = () => spawned.map(({ is, isEnded }) => `${is}${isEnded ? " ended" : ""}`);

beforeEach(() => void spawned.splice(0));

test("those that were started are given out once, and after them new ones", () => {
  const workers = new StreamWorkers();
  workers.start();
  workers.start();
  expect(standing()).toEqual(["relay", "player"]);
  expect([workers.relay(), workers.player()]).toEqual(spawned.slice(0, 2));
  expect(workers.player()).toBe(spawned[2]);
  expect(workers.relay()).toBe(spawned[3]);
  workers.drop();
  expect(standing(), "who took one ends it").toEqual(["relay", "player", "player", "relay"]);
});

test("those that nobody has taken are ended", () => {
  const workers = new StreamWorkers();
  workers.start();
  workers.player();
  workers.drop();
  expect(standing()).toEqual(["relay ended", "player"]);
  workers.relay();
  expect(standing()).toEqual(["relay ended", "player", "relay"]);
});
