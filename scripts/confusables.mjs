// Makes packages/keys/src/page/confusables.ts from Unicode's confusables.txt (UTS 39): node scripts/confusables.mjs FILE
// Left out is what never reaches the table, since NFKD changes it or names are compared without it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup.mjs";

const text = readFileSync(process.argv[2], "utf8");
const version = /^# Version: ([\d.]+)/m.exec(text)?.[1];
if (version === undefined) throw new Error("This is not Unicode's confusables.txt.");

const sources = new Map();
for (const line of text.split("\n")) {
  const [source, prototype] = line.replace(/#.*/, "").split(";").slice(0, 2).map(characters);
  if (!source || !prototype || source.normalize("NFKD") !== source || /[\p{DI}\s]/u.test(source)) continue;
  sources.set(prototype, (sources.get(prototype) ?? "") + source);
}
const table = [...sources].map(([prototype, sources]) => `${prototype} ${sources}`).join("\n");
writeFileSync(
  join(root, "packages/keys/src/page/confusables.ts"),
  `/**
 * Unicode ${version}, confusables.txt (UTS 39), made by scripts/confusables.mjs. A line a prototype: it, a space, the characters
 * that look like it. Copyright Unicode, Inc., under the Unicode License v3.
 */
export const CONFUSABLES = ${escaped(table)};
`,
);

function characters(codes) {
  const numbers = codes.trim().split(/\s+/).filter(Boolean);
  return String.fromCodePoint(...numbers.map((code) => Number.parseInt(code, 16)));
}

/** Marks without a letter and text from right to left are not legible in a source file: all but ASCII is escaped. */
function escaped(text) {
  return JSON.stringify(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
