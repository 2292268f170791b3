import { expect, test } from "vitest";
import { LiveWatchers } from "./watchers.ts";

const [ann, ben] = [Uint8Array.of(1), Uint8Array.of(2)];

test("who is in another session too is found by the resume id, if that session has the key", () => {
  const watchers = new LiveWatchers();
  watchers.set("first", { resumeId: ann, hasKeys: true });
  expect(watchers.isElsewhere("first", ann), "not by its own session").toBe(false);
  watchers.set("second", { resumeId: ann, hasKeys: false });
  expect(watchers.isElsewhere("first", ann)).toBe(false);
  watchers.set("second", { resumeId: ann, hasKeys: true });
  expect(watchers.isElsewhere("first", ann)).toBe(true);
  expect(watchers.isElsewhere("first", ben)).toBe(false);
});

test("a session has one resume id, and none once it is deleted", () => {
  const watchers = new LiveWatchers();
  watchers.set("first", { resumeId: ann, hasKeys: true });
  watchers.set("first", { resumeId: ben, hasKeys: true });
  expect([ann, ben].map((id) => watchers.isElsewhere("second", id))).toEqual([false, true]);
  watchers.set("second", { resumeId: ben, hasKeys: true });
  expect([watchers.delete("first"), watchers.delete("first")]).toEqual([true, false]);
  expect(watchers.isElsewhere("third", ben), "the second is still there").toBe(true);
  watchers.delete("second");
  expect(watchers.isElsewhere("third", ben)).toBe(false);
});

test("when two thousand leave at once, each is looked at a few times", () => {
  let looks = 0;
  const watchers = new LiveWatchers();
  const ids = Array.from({ length: 2_000 }, (_, i) => Uint8Array.of(i >> 8, i));
  for (const [i, resumeId] of ids.entries()) {
    const watcher = {
      get resumeId() {
        looks += 1;
        return resumeId;
      },
      hasKeys: true,
    };
    watchers.set(`${i}`, watcher);
  }
  for (const [i, resumeId] of ids.entries()) {
    expect(watchers.isElsewhere(`${i}`, resumeId)).toBe(false);
    watchers.delete(`${i}`);
  }
  expect(looks).toBeLessThan(5 * ids.length);
});
