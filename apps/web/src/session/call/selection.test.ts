import type { Policy } from "@sealcast/frame";
import { beforeEach, expect, test } from "vitest";
import { Selection } from "./selection.ts";

const KEY_FRAMES: Policy = { mode: "key-frames" };
const EVERYTHING: Policy = { mode: "everything" };

let done: string[];
/** By announcement: everybody has it. */
let delivered: (() => void)[];
let selection: Selection;
beforeEach(() => {
  done = [];
  delivered = [];
  selection = new Selection(
    { pool: { follow: (source, epoch, { mode }) => void done.push(`follow ${source} ${epoch} ${mode}`) } },
    ({ epoch, policy }, all) => done.push(`tell ${delivered.push(all)}: ${epoch} ${policy.mode}`),
  );
});

function since(): string[] {
  return done.splice(0);
}

test("to leave frames readable is announced, and done once all have heard", () => {
  selection.entered(3);
  selection.choose(KEY_FRAMES);
  expect(since()).toEqual(["tell 1: 3 key-frames"]);
  delivered[0]!();
  expect(since()).toEqual(["follow camera 3 key-frames"]);
});

test("to seal everything is done before it is told", () => {
  selection.entered(3);
  selection.choose(KEY_FRAMES);
  delivered[0]!();
  since();
  selection.choose(EVERYTHING);
  expect(since()).toEqual(["follow camera 3 everything", "tell 2: 3 everything"]);
});

test("a choice that another one has overtaken is never done", () => {
  selection.entered(3);
  selection.choose(KEY_FRAMES);
  selection.choose(EVERYTHING);
  since();
  delivered[0]!();
  expect(since()).toEqual([]);
});

test("every epoch hears it again, and only then it is done there", () => {
  selection.choose(KEY_FRAMES);
  expect(since()).toEqual([]);
  selection.entered(3);
  selection.entered(4);
  expect(since()).toEqual(["tell 1: 3 key-frames", "tell 2: 4 key-frames"]);
  delivered[0]!();
  expect(since()).toEqual([]);
  delivered[1]!();
  expect(since()).toEqual(["follow camera 4 key-frames"]);
});

test("with everything sealed, a new epoch needs no word", () => {
  selection.entered(3);
  selection.entered(4);
  expect(since()).toEqual([]);
});
