import { expect, test } from "vitest";
import { appendOnly } from "./append-only.ts";

const at = (position: number, length: number) => ({ type: "write" as const, position, data: new Uint8Array(length) });

test("gives on what is written at the end", async () => {
  const appended: number[] = [];
  const writer = appendOnly(({ length }) => appended.push(length)).getWriter();
  await writer.write(at(0, 10));
  await writer.write(at(10, 5));
  expect(appended).toEqual([10, 5]);
});

test.each([0, 9, 11])("refuses a write at %i of ten bytes, and all after it", async (position) => {
  const appended: number[] = [];
  const writer = appendOnly(({ length }) => appended.push(length)).getWriter();
  writer.closed.catch(() => undefined);
  await writer.write(at(0, 10));
  await expect(writer.write(at(position, 1))).rejects.toThrow(`A write at ${position} of a recording that ends at 10.`);
  await expect(writer.write(at(10, 1))).rejects.toThrow();
  expect(appended).toEqual([10]);
});
