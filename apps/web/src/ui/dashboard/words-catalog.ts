import type { Catalog } from "../language/language.ts";

/** Words of the dashboard, which come with it. */
export const dashboardWords: Catalog = {
  en: () => import("./locales/en.po"),
  de: () => import("./locales/de.po"),
  ar: () => import("./locales/ar.po"),
};
