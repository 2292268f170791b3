import { defineConfig } from "@lingui/cli";

// After changing a text: npx lingui extract --clean, in this folder, and its translations.
export default defineConfig({
  sourceLocale: "en",
  locales: ["en", "de", "ar"],
  catalogs: [
    {
      path: "<rootDir>/src/ui/locales/{locale}",
      include: ["<rootDir>/src"],
      exclude: ["**/ui/vault/**", "**/ui/about/**"],
    },
    // Loaded with the pages that show them.
    { path: "<rootDir>/src/ui/vault/locales/{locale}", include: ["<rootDir>/src/ui/vault"] },
    { path: "<rootDir>/src/ui/about/locales/{locale}", include: ["<rootDir>/src/ui/about"] },
  ],
  orderBy: "origin",
});
