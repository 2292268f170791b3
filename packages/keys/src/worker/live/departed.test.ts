import { expect, test } from "vitest";
import { LiveDeparted } from "./departed.ts";

test("one session of each resume id is kept, the last", () => {
  const departed = new LiveDeparted();
  expect([departed.add("a", "01"), departed.add("b", "02"), departed.add("c", "01")]).toEqual([null, null, "a"]);
  expect(["a", "b", "c"].map((session) => departed.resumeIdOf(session))).toEqual([null, "02", "01"]);
  departed.forget("01");
  expect([departed.sessionOf("01"), departed.sessionOf("02")]).toEqual([null, "b"]);
});

test("with another key who left is forgotten, but for who came back as another session", () => {
  const departed = new LiveDeparted();
  for (const [session, resumeId] of [
    ["a", "01"],
    ["b", "02"],
  ] as const)
    departed.add(session, resumeId);
  expect(departed.outlive(new Set(["02"]))).toEqual(["a"]);
  expect([departed.sessionOf("01"), departed.sessionOf("02")]).toEqual([null, "b"]);
});

test("it is full with 512 who are not here any more", () => {
  const departed = new LiveDeparted();
  for (let each = 0; each < 511; each++) departed.add(`session ${each}`, `${each}`);
  expect(departed.isFull(0)).toBe(false);
  departed.add("one more", "ff");
  expect([departed.isFull(0), departed.isFull(1)]).toEqual([true, false]);
});
