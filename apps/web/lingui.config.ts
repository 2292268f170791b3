import { defineConfig } from "@lingui/cli";

/** Folders of `ui` whose words the join route does not carry. */
const apart = ["vault", "about", "live", "dashboard", "effects", "call/captions"];

// After changing a text: npx lingui extract --clean, in this folder, and its translations.
export default defineConfig({
  sourceLocale: "en",
  locales: ["en", "de", "ar"],
  catalogs: [
    {
      path: "<rootDir>/src/ui/locales/{locale}",
      include: ["<rootDir>/src"],
      exclude: apart.map((folder) => `**/ui/${folder}/**`),
    },
    // Loaded with the pages that show them.
    ...apart.map((folder) => ({
      path: `<rootDir>/src/ui/${folder}/locales/{locale}`,
      include: [`<rootDir>/src/ui/${folder}`],
    })),
  ],
  orderBy: "origin",
});
