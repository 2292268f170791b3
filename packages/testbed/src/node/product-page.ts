import type { Page } from "@playwright/test";

/** Devices and keys take their time on a machine that is busy. */
const PATIENCE = { timeout: 30_000 };

/** From the home page to the lobby of a new call. Gives the link to invite others with. */
export async function openCall(page: Page, home: string, { twice = false } = {}): Promise<string> {
  await page.goto(home);
  if (twice) await page.getByRole("checkbox", { name: "Double encryption" }).check();
  await page.getByRole("button", { name: "Start a call" }).click();
  await page.waitForURL(/\/call\//);
  return page.url();
}

/** From the lobby into the call. */
export async function joinCall(page: Page, name: string): Promise<void> {
  await page.getByRole("textbox", { name: "Your name" }).fill(name);
  await page.getByRole("button", { name: "Join now" }).click();
  await page.getByRole("button", { name: "Leave call" }).waitFor(PATIENCE);
}

/** From the home page to a new live stream, which has not begun. */
export async function openStream(page: Page, home: string): Promise<void> {
  await page.goto(home);
  await page.getByRole("button", { name: "Go live" }).click();
  await page.waitForURL(/\/live\//);
}

/** From the host's page, which may have been reloaded. */
export async function goLive(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Go live" }).click();
  await page.getByRole("button", { name: "End stream" }).waitFor(PATIENCE);
}

/**
 * Presses a button of a call's or stream's bar, wherever it stands: in the bar itself, or in what "More" opens.
 * @param others what "More" is called, in another language.
 */
export async function pressControl(page: Page, name: string, others = "More"): Promise<void> {
  const control = page.getByRole("button", { name, exact: true });
  const more = page.getByRole("button", { name: others, exact: true });
  await control.or(more).first().waitFor(PATIENCE);
  if (!(await control.isVisible())) await more.click();
  await control.click();
}
