import { defineConfig } from "@lingui/cli";

// After changing a text: npx lingui extract --clean, in this folder.
export default defineConfig({
  sourceLocale: "en",
  locales: ["en"],
  catalogs: [{ path: "<rootDir>/src/ui/locales/{locale}", include: ["<rootDir>/src/ui"] }],
  orderBy: "origin",
});
