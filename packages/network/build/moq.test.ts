import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { moq } from "./moq.ts";

const READER = join(dirname(createRequire(import.meta.url).resolve("@moq/net")), "lite/subscriber.js");

function transformed(code: string, id: string) {
  const error = (message: string) => {
    throw new Error(message);
  };
  const { transform } = moq();
  if (typeof transform !== "function") return expect.unreachable();
  return transform.call({ error } as never, code, id) as { code: string } | null;
}

test("a group's reader waits for the end of its track once, and takes that back with the group", () => {
  const before = readFileSync(READER, "utf8");
  const { code } = transformed(before, READER) ?? expect.unreachable();
  expect(before.match(/track\.closed, producer\.closed\]/g)).toHaveLength(1);
  expect(code).not.toContain("track.closed, producer.closed]");
  expect(code.match(/track\.closed\.changed\(over\.resolve\)/g)).toHaveLength(1);
});

test("nothing else is changed, and a reader that is not known is said", () => {
  expect(transformed("for (;;) {}", "/somewhere/subscriber.js")).toBeNull();
  expect(() => transformed("for (;;) {}", READER)).toThrow("is not what it was");
});
