import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { root, Server } from "@sealcast/testbed";
import { expectAccessible, STILL } from "./stage/accessible.ts";
import { expect, test } from "./stage/test.ts";

const LAB_DIR = join(root, "apps/lab/dist/page");
/** Some seconds of film are recorded, and sealed sixteen times over. */
const SHORT = "Signed frames";
/** Five rounds, with its first values in the first. */
const LONG = "Parallel chunks";
const MEASURED = { timeout: 120_000 };

test.describe.configure({ timeout: 240_000 });

let server: Server;
test.beforeAll(async () => {
  server = await Server.start({ environment: { LAB_DIR } });
});
test.afterAll(() => server.stop());

test("an experiment of the lab can be cancelled, runs again, and its results are shown and exported", async ({
  page,
}) => {
  const errors: string[] = [];
  page.on("pageerror", ({ message }) => errors.push(message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(`${server.url}/lab`);
  const [long, of] = [LONG, SHORT].map((name) => page.getByRole("region", { name })) as [Locator, Locator];
  for (let time = 0; time < 2; time++) {
    await long.getByRole("button", { name: `Run ${LONG}` }).click();
    await expect(long.getByRole("listitem").first()).toContainText(/\d/, MEASURED);
    await expect(page.locator("iframe")).toHaveCount(1);
    // Not a click: it would wait until the button may be pressed.
    await of.getByRole("button", { name: `Run ${SHORT}` }).press("Enter");
    await expect(of).toContainText("Another experiment is running.");
    await long.getByRole("button", { name: `Cancel ${LONG}` }).click();
    await expect(long).toContainText("Cancelled. Nothing was kept.");
    await expect(page.locator("iframe")).toHaveCount(0);
  }
  await of.getByRole("button", { name: `Run ${SHORT}` }).click();
  await expect(of).toContainText("Done after", MEASURED);
  await expect(page.locator("iframe")).toHaveCount(0);
  await expect(of.getByRole("row", { name: /^sealExtraUs/ })).toContainText(/\d/);
  expect(await exported(page, "CSV")).toMatch(/^arm,sealUs,.*\r\nsigned,\d/);
  expect(await exported(page, "SVG")).toContain('xmlns="http://www.w3.org/2000/svg"');
  const file = JSON.parse(await exported(page, "JSON"));
  expect(file).toMatchObject({ experiment: "signatures", quick: true, runs: 1, machine: { cpu: null } });
  expect(file.summary.signUs).toBeGreaterThan(0);
  expect(errors).toEqual([]);
});

test("the lab is usable with the keyboard alone on a phone, and has no accessibility fault in either theme", async ({
  browser,
}, info) => {
  info.annotations.push({ type: "page" });
  const context = await browser.newContext({ ...STILL, viewport: { width: 390, height: 844 }, deviceScaleFactor: 1 });
  const page = await context.newPage();
  await page.goto(`${server.url}/lab/`);
  await expect(page.getByRole("heading", { name: "Lab", level: 1 })).toBeVisible();
  await expectAccessible(page);
  const long = page.getByRole("region", { name: LONG });
  await press(page, `Run ${LONG}`);
  await expect(long.getByRole("listitem").first()).toContainText(/\d/, MEASURED);
  await expectAccessible(page);
  // The button that ran it keeps the focus.
  await page.keyboard.press("Enter");
  await expect(long).toContainText("Cancelled. Nothing was kept.");
  await press(page, `Run ${SHORT}`);
  await expect(page.getByRole("region", { name: SHORT })).toContainText("Done after", MEASURED);
  await expectAccessible(page);
  for (const summary of await page.locator("summary").all()) await summary.press("Enter");
  await expect(page.getByRole("table").first()).toContainText("Ours ÷ paper’s");
  await expectAccessible(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(wide, "pixels that the page is wider than the phone").toBeLessThanOrEqual(0);
  await press(page, "Export JSON");
  await context.close();
});

test("experiments that no page can run name their command, and broken ciphers are called broken", async ({ page }) => {
  await page.goto(`${server.url}/lab/`);
  await expect(page.getByText("npm run lab -- signalling-load")).toBeVisible();
  for (const summary of await page.locator("summary").all()) await summary.click();
  const words = await page.locator("li, th, td, p").allTextContents();
  const broken = words.filter((text) => /\b(DES|RC4|Blowfish|ECB)\b/.test(text));
  expect(broken.length).toBeGreaterThan(10);
  for (const text of broken) expect(text).toContain("broken");
});

/** What a button has the browser save. */
async function exported(page: Page, format: string): Promise<string> {
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: `Export ${format}` }).click();
  return readFile(await (await saved).path(), "utf8");
}

/** Goes to a button with Tab, as a person would, and presses it. */
async function press(page: Page, name: string): Promise<void> {
  const target = page.getByRole("button", { name, exact: true });
  for (let presses = 0; presses < 80; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never reaches ${name}.`);
}
