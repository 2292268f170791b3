import type { Locator, Page } from "@playwright/test";
import { expect } from "./expect.ts";

/** More than any page has. */
const STOPS = 60;

/** Moves the focus there with Tab, as a person would; fails where it cannot be reached, or where nobody could see that it is there. */
export async function tabTo(page: Page, role: "button" | "textbox" | "radio", name: string): Promise<Locator> {
  const target = page.getByRole(role, { name, exact: true });
  await expect(target).toBeVisible();
  for (let presses = 0; presses < STOPS; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) {
      expect(await target.evaluate(unseen), `the focus on ${name}`).toBe("");
      return target;
    }
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never reaches ${name}.`);
}

/** Reaches a button with Tab and presses that key. */
export async function pressWith(page: Page, key: "Enter" | "Space", name: string): Promise<Locator> {
  const target = await tabTo(page, "button", name);
  await page.keyboard.press(key);
  return target;
}

/** Runs in the page: why the focus on this element is not to be seen; "" where it is. WCAG 2.2, 2.4.7 and 2.4.11. */
function unseen(element: Element): string {
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  if (outlineStyle === "none" || Number.parseFloat(outlineWidth) < 2) return "has no outline";
  const { left, top, width, height } = element.getBoundingClientRect();
  const front = document.elementFromPoint(left + width / 2, top + height / 2);
  return front !== null && (element.contains(front) || front.contains(element)) ? "" : "is covered";
}
