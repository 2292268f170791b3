/** The languages of the screens. The first stands in where a browser wants none of them. */
export const LOCALES = ["en", "de", "ar"] as const;

export type Locale = (typeof LOCALES)[number];

/** What each language calls itself: people look for their own, whatever the page speaks. */
export const OWN_NAMES: Readonly<Record<Locale, string>> = { en: "English", de: "Deutsch", ar: "العربية" };

/** Which way it is written. */
export const DIRECTIONS: Readonly<Record<Locale, "ltr" | "rtl">> = { en: "ltr", de: "ltr", ar: "rtl" };

/**
 * The language that was chosen here, or else the first that the browser wants.
 * @param chosen "" where nobody has chosen one.
 * @param wanted BCP 47 tags, the most wanted first.
 */
export function localeFor(chosen: string, wanted: readonly string[]): Locale {
  const primaries = [chosen, ...wanted].map(primaryOf);
  return primaries.find(isLocale) ?? LOCALES[0];
}

/**
 * How dates and numbers are written in a language: as in the region that the browser names with it. Digits are the same in
 * all of them, since people read figures and codes to each other.
 */
export function formatsOf(locale: Locale, wanted: readonly string[]): string {
  const regional = wanted.find((tag) => primaryOf(tag) === locale) ?? locale;
  return new Intl.Locale(regional, { numberingSystem: "latn" }).toString();
}

function primaryOf(tag: string): string {
  return tag.split("-", 1)[0]?.toLowerCase() ?? "";
}

export function isLocale(text: string): text is Locale {
  return LOCALES.some((locale) => locale === text);
}
