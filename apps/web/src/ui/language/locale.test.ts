import { describe, expect, it } from "vitest";
import { DIRECTIONS, formatsOf, LOCALES, localeFor } from "./locale.ts";

describe("the language of the screens", () => {
  it.each([
    ["", ["de-AT", "en"], "de"],
    ["", ["fr-FR", "ar-EG", "de"], "ar"],
    ["", ["AR"], "ar"],
    ["", ["arn", "den-CA"], "en"],
    ["", ["fr"], "en"],
    ["", [], "en"],
    ["ar", ["de", "en"], "ar"],
    ["en", ["de"], "en"],
    ["__proto__", ["de"], "de"],
    ["tlh", ["fr"], "en"],
  ] as const)("chosen %j, wanted %j: %s", (chosen, wanted, locale) => {
    expect(localeFor(chosen, wanted)).toBe(locale);
  });

  it("is written from right to left where Unicode says so", () => {
    const rightToLeft = LOCALES.filter((locale) => DIRECTIONS[locale] === "rtl");
    expect(rightToLeft).toEqual(["ar"]);
  });
});

describe("dates and numbers", () => {
  it.each([
    ["en", ["de", "en-GB"], "en-GB-u-nu-latn"],
    ["de", ["en-GB"], "de-u-nu-latn"],
    ["ar", ["ar-EG", "ar"], "ar-EG-u-nu-latn"],
    ["ar", ["ar-u-nu-arab"], "ar-u-nu-latn"],
  ] as const)("in %s, of %j, are written as in %s", (locale, wanted, formats) => {
    expect(formatsOf(locale, wanted)).toBe(formats);
  });

  it("have the digits of safety codes in every language", () => {
    for (const locale of LOCALES)
      expect(
        new Intl.NumberFormat(formatsOf(locale, [`${locale}-EG`]), { useGrouping: false }).format(1234567890),
      ).toBe("1234567890");
  });
});
