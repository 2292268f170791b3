import { mkdtempSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { executablePath, flags } from "@sealcast/testbed";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { writePlainVideo } from "../stage/plain-video.ts";
import { expect, test } from "../stage/test.ts";
import { PASSPHRASE, VaultPage, video } from "../stage/vault.ts";
import { memoryDuring } from "./memory.ts";

/** What each picture is made longer by: some 4 MB a second. */
const PADDING_BYTES = 360 * 1024;
const SECONDS_A_GB = 260;
const PATIENCE_MS = 300_000;

test.setTimeout(1_200_000);

for (const gigabytes of [0.5, 1, 2])
  for (const inFragments of [true, false])
    test(`memory: a video of ${gigabytes} GB, ${inFragments ? "in fragments" : "plain"}`, async ({
      server,
      person,
    }) => {
      const profile = mkdtempSync(join(tmpdir(), "sealcast-profile-"));
      const film = join(profile, "Film.mp4");
      const ada = await person("Ada", { profile });
      const vault = await VaultPage.setUp(ada, server.url);
      const seconds = gigabytes * SECONDS_A_GB;
      const clip = (await video(ada, "Clip.mp4")).buffer;
      await writePlainVideo(film, clip, { seconds, paddingBytes: PADDING_BYTES, inFragments });
      const { size: bytes } = statSync(film);
      const measure = async (what: string, work: () => Promise<void>) => {
        const grown = await memoryDuring(profile, work);
        console.log(JSON.stringify({ what, inFragments, bytes, ...grown, loadAverage: loadavg()[0] }));
      };
      await measure("import", async () => {
        await vault.choosing(film);
        await expect(vault.entry("Film")).toBeVisible({ timeout: PATIENCE_MS });
      });
      await ada.context.close();
      rmSync(film);

      const browser = await launch(profile);
      const page = await unlocked(browser, `${server.url}/vault`);
      await measure("play and seek through", () => playThrough(page));
      await measure("save a sealed copy", () => save(page, "Save sealed copy"));
      await measure("save without encryption", () => save(page, "Save without encryption"));
      await page.evaluate(() => Object.assign(globalThis, { showSaveFilePicker: undefined }));
      await measure("download a sealed copy", () => save(page, "Save sealed copy"));
      await measure("download without encryption", () => save(page, "Save without encryption"));
      await browser.close();
      rmSync(profile, { recursive: true, force: true });
    });

/** Playwright would have the browser keep up to 200 MB of what it loads, for a debugger. */
function launch(userDataDir: string): Promise<Browser> {
  const args = [...flags, "--autoplay-policy=no-user-gesture-required"];
  const downloadBehavior = { policy: "allow", downloadPath: userDataDir } as const;
  return puppeteer.launch({
    ...{ executablePath, args, userDataDir, downloadBehavior },
    ...{ networkEnabled: false, protocolTimeout: PATIENCE_MS },
  });
}

async function unlocked(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.evaluateOnNewDocument(pickPrivateFiles);
  await page.goto(url);
  await page.locator("::-p-aria(Passphrase)").fill(PASSPHRASE);
  await click(page, "Unlock");
  return page;
}

/** Every part of it is read, in steps that are smaller than what is read ahead. */
async function playThrough(page: Page): Promise<void> {
  await click(page, "Play");
  const video = await page.locator("video").waitHandle();
  await video.evaluate(async (video) => {
    if (video.readyState < video.HAVE_CURRENT_DATA)
      await new Promise((done) => video.addEventListener("loadeddata", done, { once: true }));
    video.pause();
    for (let at = 0; at < video.duration - 1; at += 4) {
      const seeked = new Promise((done) => video.addEventListener("seeked", done, { once: true }));
      video.currentTime = at;
      await seeked;
    }
  });
  await click(page, "Close");
}

async function save(page: Page, what: string): Promise<void> {
  await click(page, "Export");
  await click(page, what);
  await page.waitForFunction(() => /saved/i.test(document.querySelector("dialog output")?.textContent ?? ""));
  await click(page, "Close");
}

async function click(page: Page, name: string): Promise<void> {
  await page.locator(`::-p-aria([name="${name}"][role="button"])`).click();
}

/** Runs in the page, before its own scripts: what is saved goes to a file of the origin, since no test can answer the browser's dialog. */
function pickPrivateFiles(): void {
  const showSaveFilePicker = async ({ suggestedName }: { suggestedName: string }) =>
    (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
  Object.assign(globalThis, { showSaveFilePicker });
}
