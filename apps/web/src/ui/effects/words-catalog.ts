import type { Catalog } from "../language/language.ts";

/** Words of backgrounds and noise suppression, which come with them. */
export const effectsWords: Catalog = {
  en: () => import("./locales/en.po"),
  de: () => import("./locales/de.po"),
  ar: () => import("./locales/ar.po"),
};
