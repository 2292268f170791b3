import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../../../", import.meta.url));
/** The browser's own, which gives the sound to its maker whatever the page's policy says. In two pieces: this file has it, too. */
const RECOGNITION = ["Speech", "Recognition"].join("");

function sources(): string[] {
  return ["apps", "packages", "server/src"].flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: "utf8" })
      .map((file) => `${folder}/${file}`)
      .filter((file) => /\.(tsx?|js|html)$/.test(file) && !/\/(node_modules|dist)\//.test(file)),
  );
}

test("no source of the product names the browser's speech recognition", () => {
  const files = sources();
  expect(files).toContain("packages/captions/src/worker/moonshine.ts");
  expect(files.filter((file) => readFileSync(root + file, "utf8").includes(RECOGNITION))).toEqual([]);
});
