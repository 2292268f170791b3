import type { Catalog } from "../language/language.ts";

/** Words of live streams, which come with their pages. */
export const liveWords: Catalog = {
  en: () => import("./locales/en.po"),
  de: () => import("./locales/de.po"),
  ar: () => import("./locales/ar.po"),
};
