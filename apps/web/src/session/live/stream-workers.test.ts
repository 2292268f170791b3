import { beforeEach, expect, test, vi } from "vitest";

interface Spawned {
  readonly is: string;
  isEnded: boolean;
  failed(): void;
}

const spawned = vi.hoisted(() => [] as Spawned[]);
const spawn = vi.hoisted(() => (is: string) => () => {
  const worker = {
    ...{ is, isEnded: false, failed: () => undefined },
    terminate() {
      this.isEnded = true;
    },
    addEventListener(_: "error", failed: () => undefined) {
      this.failed = failed;
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

test("one that does not load is given to nobody", () => {
  const workers = new StreamWorkers();
  workers.start();
  spawned[1]?.failed();
  expect(workers.player()).toBe(spawned[2]);
  expect(standing()[1]).toBe("player ended");
});
