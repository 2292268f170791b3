import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { largeOf, OWN, openLayout, screenOf } from "./layout-store.ts";

const kept = new Map<string, string>();

beforeEach(() => {
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
});
afterEach(() => {
  kept.clear();
  vi.unstubAllGlobals();
});

const ALL = { people: ["ada", "ben", "cleo"], sharing: [] as string[], speaker: null as string | null };

function opened() {
  const { store, actions } = openLayout();
  return { actions, large: (present = ALL) => largeOf(store.getState(), present), state: store.getState };
}

test("in the grid nobody is large, and in the speaker's layout who speaks is, or the first as long as nobody has", () => {
  const { actions, large } = opened();
  expect(large()).toEqual([]);
  actions.choose("speaker");
  expect(large()).toEqual(["ada"]);
  expect(large({ ...ALL, speaker: "cleo" })).toEqual(["cleo"]);
  expect(large({ people: [], sharing: [], speaker: null })).toEqual([]);
});

test("a shared screen takes the stage by itself and gives it back", () => {
  const { large } = opened();
  expect(large({ ...ALL, sharing: ["ben"] })).toEqual([screenOf("ben")]);
  expect(large()).toEqual([]);
});

test("two can be pinned; a third takes the place of the first, and a screen comes beside one that is pinned", () => {
  const { actions, large } = opened();
  actions.pin("ada", true);
  expect(large({ ...ALL, sharing: ["ben"] })).toEqual(["ada", screenOf("ben")]);
  actions.pin("cleo", true);
  expect(large({ ...ALL, sharing: ["ben"] })).toEqual(["ada", "cleo"]);
  actions.pin("ben", true);
  expect(large()).toEqual(["cleo", "ben"]);
  actions.pin("cleo", false);
  expect(large()).toEqual(["ben"]);
});

test("a screen that was made smaller stays small, though it is shared again, until it is pinned or its sharer leaves", () => {
  const { actions, large } = opened();
  const shared = { ...ALL, sharing: ["ben"] };
  actions.shrink(screenOf("ben"));
  expect(large(shared)).toEqual([]);
  actions.keep(ALL);
  expect(large(shared)).toEqual([]);
  actions.keep({ people: ["ada"], sharing: [] });
  expect(large(shared)).toEqual([screenOf("ben")]);
  actions.shrink(screenOf("ben"));
  actions.pin(screenOf("ben"), true);
  expect(large(shared)).toEqual([screenOf("ben")]);
});

test("who leaves is pinned no more, and does not take the place of another", () => {
  const { actions, large, state } = opened();
  actions.pin("ada", true);
  actions.pin(OWN, true);
  expect(large({ ...ALL, people: ["ben"] })).toEqual([OWN]);
  actions.keep({ people: ["ben"], sharing: [] });
  expect(state().pins).toEqual([OWN]);
});

test("the layout, and whether one sees oneself, are there in the next call; pins and volumes are not", () => {
  const first = opened();
  first.actions.choose("speaker");
  first.actions.hideOwn(true);
  first.actions.pin("ada", true);
  first.actions.setVolume("someone", 0.3);
  expect(first.state().volumes.someone).toBe(0.3);
  expect(opened().state()).toMatchObject({ layout: "speaker", hidesOwn: true, pins: [], volumes: {} });
  first.actions.choose("grid");
  first.actions.hideOwn(false);
  expect(opened().state()).toMatchObject({ layout: "grid", hidesOwn: false });
});
