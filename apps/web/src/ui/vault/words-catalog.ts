import type { Catalog } from "../language/language.ts";

/** Words of the vault's screens, which come with its page. */
export const vaultWords: Catalog = {
  en: () => import("./locales/en.po"),
  de: () => import("./locales/de.po"),
  ar: () => import("./locales/ar.po"),
};
