import { beforeEach, expect, it } from "vitest";
import { MeetingCode } from "./meeting-code.ts";

let asked: (readonly string[])[];
let code: MeetingCode;

beforeEach(() => {
  asked = [];
  code = new MeetingCode((identities) => asked.push(identities));
});

const digits = () => code.view(new Map()).digits;

it("is computed only while someone looks, and not for one who is alone", () => {
  code.enter(["a", "b"]);
  expect(asked).toEqual([]);
  code.show(true);
  expect(asked).toEqual([["a", "b"]]);
  code.computed(["a", "b"], "1");
  code.enter(["a"]);
  code.show(false);
  code.enter(["a", "c"]);
  expect(asked).toHaveLength(1);
});

it("is computed once for one set of people, whatever their order and number of tabs", () => {
  code.show(true);
  code.enter(["b", "a"]);
  code.computed(["a", "b"], "1");
  code.enter(["a", "b", "b"]);
  code.show(false);
  code.show(true);
  expect(asked).toEqual([["a", "b"]]);
  expect(digits()).toBe("1");
});

it("of those who come and go while one is computed, only the latest set is, and no other's digits are shown", () => {
  code.show(true);
  code.enter(["a", "b"]);
  for (const newcomer of ["c", "d", "e", "f"]) code.enter(["a", "b", newcomer]);
  expect(asked).toHaveLength(1);
  code.computed(["a", "b"], "1");
  expect(digits()).toBeNull();
  expect(asked).toEqual([
    ["a", "b"],
    ["a", "b", "f"],
  ]);
  code.computed(["a", "b", "f"], "2");
  expect(digits()).toBe("2");
});

it("stands with the number of people and the others' names, each person once", () => {
  code.enter(["me", "b", "c", "b", "d"]);
  const names = new Map([
    ["b", "Ben"],
    ["c", "Cleo"],
    ["gone", "Dora"],
  ]);
  expect(code.view(names)).toEqual({ digits: null, people: 4, names: ["Ben", "Cleo"] });
});
