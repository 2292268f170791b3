import { defineConfig } from "@lingui/cli";

// After changing a text: npx lingui extract --clean, in this folder.
export default defineConfig({
  sourceLocale: "en",
  locales: ["en"],
  catalogs: [
    { path: "<rootDir>/src/ui/locales/{locale}", include: ["<rootDir>/src"], exclude: ["**/ui/vault/**"] },
    // Loaded with the page that shows them.
    { path: "<rootDir>/src/ui/vault/locales/{locale}", include: ["<rootDir>/src/ui/vault"] },
  ],
  orderBy: "origin",
});
