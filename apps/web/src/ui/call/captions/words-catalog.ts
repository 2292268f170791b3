import type { Catalog } from "../../language/language.ts";

/** Words of captions, which come with them. */
export const captionsWords: Catalog = {
  en: () => import("./locales/en.po"),
  de: () => import("./locales/de.po"),
  ar: () => import("./locales/ar.po"),
};
