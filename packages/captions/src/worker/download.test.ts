import { afterEach, expect, it, vi } from "vitest";
import { download } from "./download.ts";

afterEach(() => vi.unstubAllGlobals());

function serve(answers: Record<string, Response>): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: string) => {
    asked.push(url);
    return Promise.resolve(answers[url] ?? new Response(null, { status: 404 }));
  });
  return asked;
}

const response = (...parts: number[][]) =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(Uint8Array.from(part));
        controller.close();
      },
    }),
  );

it("gives the files, and tells how far it is", async () => {
  const asked = serve({ "/a": response([1, 2], [3]), "/b": response([4]) });
  const told: number[] = [];
  const files = await download({ a: { url: "/a", bytes: 3 }, b: { url: "/b", bytes: 1 } }, (share) => told.push(share));
  expect(files).toEqual({ a: Uint8Array.of(1, 2, 3), b: Uint8Array.of(4) });
  expect(asked).toEqual(["/a", "/b"]);
  expect(told.at(-1)).toBe(1);
  expect(told).toEqual(told.toSorted());
});

it.each([
  ["is missing", {}],
  ["is longer", { "/a": response([1, 2], [3, 4]) }],
  ["is shorter", { "/a": response([1, 2]) }],
])("a file that %s is not taken", async (_, answers) => {
  serve(answers);
  await expect(download({ a: { url: "/a", bytes: 3 } }, () => {})).rejects.toThrow("/a");
});
