import { mkdirSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { type Browser, chromium as engine, type Page } from "@playwright/test";
import { camera, chromium, speakingFor } from "../stage/browser.ts";
import type { ChromiumPerson } from "../stage/person.ts";
import { expect, test } from "../stage/test.ts";
import { pass } from "./pass.ts";
import { untapped } from "./untapped.ts";

const NAMES = ["Ada", "Ben", "Cleo", "Dora", "Emil", "Fay"];
/** Six windows beside each other on one screen. */
const WINDOW = { width: 640, height: 600 };
/** Until links have found what they carry. */
const SETTLE_MS = 20_000;
const MEASURE_MS = 20_000;
const MESH = "http://localhost/mesh.html";

/** What the videos of six pages showed. `captured` is one's own picture: no other can have more. */
interface Shown {
  tiles: number;
  fpsLeast: number;
  fpsMean: number;
  captured: number;
  loadAverage: number | undefined;
}

for (const microphones of ["who speak in turns", "whose microphones all beep twice a second"] as const)
  test(`six: frames a second in every tile of a call of six ${microphones}, all on this computer, and of a plain mesh`, async ({
    server,
  }, { outputDir }) => {
    mkdirSync(outputDir, { recursive: true });
    const speaking = microphones === "who speak in turns" ? speakingFor(26 / NAMES.length, outputDir) : [];
    const browser = await engine.launch(chromium([...camera(720), ...speaking]).launchOptions);
    const sealed = await call(browser, server.url);
    const plain = await mesh(browser);
    await browser.close();
    console.log(JSON.stringify({ six: { microphones, sealed, plain, ratio: sealed.fpsMean / plain.fpsMean } }));
  });

async function call(browser: Browser, home: string) {
  const people: ChromiumPerson[] = [];
  for (const name of NAMES) {
    people.push(await untapped(name, browser, { viewport: WINDOW }));
  }
  const [ada, ...others] = people;
  const link = (await ada?.startCall(home)) ?? "";
  for (const other of others) await other.open(link);
  const shown = await measure(people.map(({ page }) => page));
  const [encoding] = (await ada?.encryptionDetails())?.match(/Your picture is encoded.*?(\d+p.*?)\./) ?? [];
  for (const { context } of people) await context.close();
  return { ...shown, encoding };
}

/** The same six pictures as small, with nothing of Sealcast in the page. */
async function mesh(browser: Browser): Promise<Shown> {
  const body = readFileSync(new URL("../pages/mesh.html", import.meta.url), "utf8");
  const context = await browser.newContext({ viewport: WINDOW });
  await context.route(MESH, (route) => route.fulfill({ contentType: "text/html", body }));
  const pages: Page[] = [];
  for (const _ of NAMES) {
    const page = await context.newPage();
    await page.goto(MESH);
    await expect(page.getByLabel("Mine")).toBeVisible();
    pages.push(page);
  }
  const shown = await measure(pages);
  await context.close();
  return shown;
}

async function measure(pages: Page[]): Promise<Shown> {
  for (const page of pages)
    await expect
      .poll(async () => (await page.evaluate(pictures)).others.length, { timeout: 60_000 })
      .toBe(NAMES.length - 1);
  await pass(SETTLE_MS);
  const [before, since] = [await Promise.all(pages.map((page) => page.evaluate(pictures))), Date.now()];
  await pass(MEASURE_MS);
  const after = await Promise.all(pages.map((page) => page.evaluate(pictures)));
  const perSecond = (now: number, then = 0) => (1_000 * (now - then)) / (Date.now() - since);
  const rates = after.flatMap(({ others }, who) => others.map((now, at) => perSecond(now, before[who]?.others[at])));
  const own = after.map((of, who) => perSecond(of.own, before[who]?.own));
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    tiles: rates.length,
    fpsLeast: Math.min(...rates),
    fpsMean: mean(rates),
    captured: mean(own),
    loadAverage: loadavg()[0],
  };
}

/** Runs in the page: how many pictures each video has shown. */
function pictures(): { own: number; others: number[] } {
  const videos = [...document.querySelectorAll("video")].filter(({ videoWidth }) => videoWidth > 0);
  const isOwn = (video: HTMLVideoElement) =>
    video.ariaLabel === "Mine" || video.closest('[aria-label$="(you)"]') !== null;
  const count = (video: HTMLVideoElement) => {
    const { totalVideoFrames, droppedVideoFrames } = video.getVideoPlaybackQuality();
    return totalVideoFrames - droppedVideoFrames;
  };
  const [own] = videos.filter(isOwn).map(count);
  return { own: own ?? 0, others: videos.filter((video) => !isOwn(video)).map(count) };
}
