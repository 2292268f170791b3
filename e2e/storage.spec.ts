import type { Locator, Page } from "@playwright/test";
import { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";
import { PASSPHRASE, VaultPage } from "./stage/vault.ts";

test.setTimeout(180_000);

const SECONDS = 4;
/** What a recording that ends by itself may lack: the muxer holds a second. */
const LOST_SECONDS = 2;

test("two tabs of one browser that record at once both keep all of it", async ({ server, person }) => {
  const ada = await person("Ada");
  await VaultPage.setUp(ada, server.url);
  const other = new ChromiumPerson("Bea", ada.context, await ada.context.newPage());
  const tabs = [ada, other];
  for (const tab of tabs) await tab.startCall(server.url);
  for (const tab of tabs) await tab.press("Record");
  for (const { page } of tabs)
    await expect.poll(() => recorded(page), { timeout: 60_000 }).toBeGreaterThanOrEqual(SECONDS);
  const shown: number[] = [];
  for (const { page } of tabs) {
    shown.push(await recorded(page));
    await page.getByRole("button", { name: "Stop recording" }).click();
    await expect(own(page)).toContainText("The recording is saved in your vault.", { timeout: 20_000 });
  }
  await other.page.close();

  const entries = await library(ada, server.url);
  await expect(entries).toHaveCount(2);
  for (const [i, name] of ["Bea", "Ada"].entries()) {
    const entry = entries.filter({ hasText: name });
    await expect(entry).toContainText("Signed by you");
    expect(await played(ada.page, entry), `seconds of ${name}'s`).toBeGreaterThan((shown[1 - i] ?? 0) - 0.5);
  }
});

test("where the storage is full a recording ends with a word, and what was written plays", async ({
  server,
  person,
}, info) => {
  const ada = await person("Ada");
  await VaultPage.setUp(ada, server.url);
  await ada.startCall(server.url);
  const devtools = await ada.context.newCDPSession(ada.page);
  const { usage = 0 } = await ada.page.evaluate(() => navigator.storage.estimate());
  const quotaSize = usage + 3 * 1024 * 1024;
  await devtools.send("Storage.overrideQuotaForOrigin", { origin: server.url, quotaSize });
  await ada.press("Record");
  await expect.poll(() => recorded(ada.page), { timeout: 30_000 }).toBeGreaterThan(2);
  let shown = 0;
  await expect(async () => {
    shown = Math.max(shown, await recorded(ada.page));
    await expect(own(ada.page)).toContainText("The storage is full, so nothing more is recorded.", { timeout: 200 });
  }).toPass({ timeout: 90_000, intervals: [200] });
  await expect(ada.page.getByRole("button", { name: "Leave call" })).toBeVisible();

  const [entry] = await (await library(ada, server.url)).all();
  if (entry === undefined) throw new Error("Nothing was kept.");
  await expect(entry).toContainText("Signed by you");
  const seconds = await played(ada.page, entry);
  info.annotations.push({ type: "full", description: `${shown} s shown, ${seconds.toFixed(2)} s kept` });
  expect(seconds).toBeGreaterThan(shown - LOST_SECONDS);
});

function own(page: Page): Locator {
  return page.getByRole("group", { name: "Your recording" });
}

/** Seconds that a page says it has recorded. */
async function recorded(page: Page): Promise<number> {
  const timer = page.getByRole("timer", { name: "Recorded" });
  if ((await timer.count()) === 0) return 0;
  const text = await timer.textContent({ timeout: 1_000 }).catch(() => null);
  const [seconds = 0, minutes = 0] = (text ?? "0").split(":").reverse().map(Number);
  return 60 * minutes + seconds;
}

/** What is in the vault, unlocked in the page. */
async function library(person: ChromiumPerson, home: string): Promise<Locator> {
  await person.page.goto(`${home}/vault`);
  await new VaultPage(person).unlock(PASSPHRASE);
  const list = person.page.getByRole("list", { name: "Recordings" });
  await expect(list).toBeVisible();
  return list.getByRole("listitem").filter({ has: person.page.getByRole("button", { name: "Play" }) });
}

/** Plays the end of a recording; gives how long all of it plays, in seconds. */
async function played(page: Page, entry: Locator): Promise<number> {
  await entry.getByRole("button", { name: "Play" }).click();
  const video = page.getByLabel("Recording", { exact: true });
  await expect.poll(() => video.evaluate((of: HTMLVideoElement) => of.currentTime)).toBeGreaterThan(0.1);
  const seconds = await video.evaluate((of: HTMLVideoElement) => {
    of.currentTime = of.duration - 0.5;
    return of.duration;
  });
  await expect.poll(() => video.evaluate((of: HTMLVideoElement) => of.ended), { timeout: 20_000 }).toBe(true);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  return seconds;
}
