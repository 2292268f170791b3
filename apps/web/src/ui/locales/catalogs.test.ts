import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { LOCALES, type Locale } from "../language/locale.ts";

const UI = fileURLToPath(new URL("..", import.meta.url));
const CATALOGS = ["locales", "vault/locales", "about/locales", "live/locales", "dashboard/locales", "effects/locales", "call/captions/locales"];
/** Of Unicode's plural rules, those that a language tells apart in whole numbers. */
const PLURALS: Readonly<Record<Locale, readonly string[]>> = {
  en: ["one", "other"],
  de: ["one", "other"],
  ar: ["zero", "one", "two", "few", "many", "other"],
};

/** Translations by the English text, and by what tells apart two meanings of it. */
function read(folder: string, locale: Locale): ReadonlyMap<string, string> {
  const blocks = readFileSync(`${UI}${folder}/${locale}.po`, "utf8").split(/\n{2,}/);
  return new Map(
    blocks.map((block) => [textOf(block, "msgctxt") + textOf(block, "msgid"), textOf(block, "msgstr")] as const),
  );
}

/** One field of an entry, which may go over several lines. */
function textOf(block: string, field: string): string {
  const [, lines = ""] = new RegExp(`^${field} ((?:".*"\\n?)+)`, "m").exec(block) ?? [];
  return [...lines.matchAll(/^".*"$/gm)].map(([line]) => JSON.parse(line) as string).join("");
}

/** Values and elements in a text, each once: those of a plural's forms may come in each. A form can be one word. */
function partsOf(text: string): string[] {
  const parts = text.match(/<\/?\d+\/?>|\{\w+(?=, plural)|(?<!(?:zero|one|two|few|many|other|=\d+) )\{\w+(?=\})/g);
  return [...new Set(parts)].sort();
}

const translated = CATALOGS.flatMap((folder) =>
  LOCALES.filter((locale) => locale !== "en").map((locale) => ({ folder, locale })),
);

it.each(translated)("$folder of $locale: every text is there, with the values and elements of the English one", ({ folder, locale }) => {
  const [english, other] = [read(folder, "en"), read(folder, locale)];
  expect([...other.keys()].sort()).toEqual([...english.keys()].sort());
  const texts = [...other].filter(([id]) => id !== "");
  expect(texts.filter(([, text]) => text === "").map(([id]) => id)).toEqual([]);
  for (const [id, text] of texts) expect(partsOf(text), text).toEqual(partsOf(id));
});

it.each(translated)("$folder of $locale: every form is there that the language counts in", ({ folder, locale }) => {
  for (const text of read(folder, locale).values())
    for (const [, forms = ""] of text.matchAll(/, plural,((?: *(?:=\d+|\w+) \{[^{}]*\})+)\}/g))
      expect(PLURALS[locale].filter((form) => !new RegExp(`\\b${form} \\{`).test(forms)), text).toEqual([]);
});

it.each(LOCALES)("one text has one translation in %s, since all catalogs are loaded into one: two meanings have contexts", (locale) => {
  const seen = new Map<string, string>();
  for (const folder of CATALOGS)
    for (const [id, text] of read(folder, locale)) {
      if (id !== "") expect(text, id).toBe(seen.get(id) ?? text);
      seen.set(id, text);
    }
});
