import type { Catalog } from "../language/language.ts";

/** Words of the pages about Sealcast, which come with them. */
export const aboutWords: Catalog = {
  en: () => import("./locales/en.po"),
  de: () => import("./locales/de.po"),
  ar: () => import("./locales/ar.po"),
};
