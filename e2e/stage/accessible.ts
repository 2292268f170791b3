import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "./expect.ts";

/** Context of a page whose colours are where they lead at once. */
export const STILL = { reducedMotion: "reduce" } as const;

const EVERYTHING = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] } as const;
/** All that another theme can break. */
const COLOURS = { type: "rule", values: ["color-contrast", "link-in-text-block"] } as const;

/** In the light theme, and by its colours in the dark one. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const [colorScheme, rules] of [["light", EVERYTHING] as const, ["dark", COLOURS] as const]) {
    await page.emulateMedia({ colorScheme });
    // Without it a page is opened for every result, only to put those of frames from other sites together: there are none.
    const axe = new AxeBuilder({ page }).setLegacyMode();
    const { violations } = await axe.options({ runOnly: { type: rules.type, values: [...rules.values] } }).analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
    expect(found, `in the ${colorScheme} theme`).toEqual([]);
  }
}
