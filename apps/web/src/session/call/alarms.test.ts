import { expect, test } from "vitest";
import { suspectsOf } from "./alarms.ts";

test("nothing is sent to who is in another group, or claims a change and does not supply it, and to all others it is", () => {
  const suspects = suspectsOf([
    { what: "forked", leafKeyId: "ann" },
    { what: "withheld-here", ahead: ["ben", "cleo"] },
    { what: "withheld", leafKeyId: "dan" },
    { what: "silent", leafKeyId: "eve" },
  ]);
  expect([...suspects]).toEqual(["ann", "ben", "cleo"]);
  expect([...suspectsOf([])]).toEqual([]);
});
