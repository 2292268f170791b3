import { fileURLToPath } from "node:url";
import { mergeTests, type Page } from "@playwright/test";
import { type Latency, test as measuring } from "@sealcast/latency/playwright";
import { Dashboard } from "./stage/dashboard.ts";
import { expect, test as staging } from "./stage/test.ts";

const test = mergeTests(staging, measuring);
const SECONDS = 4;
/** What the dashboard's figures are over. */
const WINDOW_SECONDS = 5;
/** Whichever is more: the dashboard's buckets are up to 3 % off, and its five seconds are not quite the code's. */
const AGREE_MS = 15;
const AGREE_SHARE = 0.1;
const LOOPBACK = "http://localhost/loopback.html";

test("glass to glass: a page with a plain WebRTC call and nothing of Sealcast in it", async ({ page, latency }) => {
  await serveLoopback(page);
  await page.goto(LOOPBACK);
  await page.getByRole("button", { name: "Call" }).click();
  expectMeasured(await latency.of(page.getByLabel("Received"), { seconds: SECONDS }));
});

test("glass to glass: a call between two people, sealed", async ({ server, person, latency }) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  for (const { context } of [ada, ben]) await latency.stampCameras(context);
  await ben.open(await ada.startCall(server.url));
  expectMeasured(await latency.of(ben.video("Ada"), { seconds: SECONDS }));
  expectMeasured(await latency.of(ada.video("Ben"), { seconds: SECONDS }));
  await expect(ben.badge).toHaveText("encrypted");
});

test("the dashboard and the block code agree on what passes between camera and screen", async ({
  server,
  person,
  latency,
}) => {
  test.slow();
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  for (const { context } of [ada, ben]) await latency.stampCameras(context);
  await ben.open(await ada.startCall(server.url));
  const dashboard = await Dashboard.open(ben);
  await dashboard.follow("Picture, from Ada");
  const blockCode = () => latency.of(ben.video("Ada"), { seconds: WINDOW_SECONDS });
  const rounds = await dashboard.besideBlockCode(blockCode, 3);
  const over = rounds
    .map((round) => Math.abs(round.differenceMs) / allowed(round.blockCodeP50Ms))
    .sort((a, b) => a - b);
  expect(over[1], JSON.stringify(rounds)).toBeLessThan(1);
});

test("what cannot be measured is no figure but an error", async ({ page, browser, latency }) => {
  const terms = { seconds: SECONDS, firstWithinSeconds: 0.5 };
  await serveLoopback(page);
  await page.goto(LOOPBACK);
  await expect(latency.of(page.getByLabel("Received"), terms)).rejects.toThrow("None of the 0 pictures");
  await expect(latency.of(page.getByRole("button"), terms)).rejects.toThrow("Only of a <video>");

  await page.evaluate(
    (src) => document.body.append(Object.assign(document.createElement("iframe"), { src })),
    LOOPBACK,
  );
  const inside = page.frameLocator("iframe").getByLabel("Received");
  await expect(latency.of(inside, terms)).rejects.toThrow("within an iframe");

  const unstamped = await browser.newPage();
  await unstamped.setContent("<video aria-label=Received></video>");
  await expect(latency.of(unstamped.getByLabel("Received"), terms)).rejects.toThrow("before its context");
  await unstamped.close();
});

/** That is all: how fast is not for a test to say. */
function allowed(blockCodeMs: number): number {
  return Math.max(AGREE_MS, AGREE_SHARE * blockCodeMs);
}

function expectMeasured(latency: Latency): void {
  const { p50, p95, p99, frames, readFailures } = latency;
  test.info().annotations.push({ type: "latency", description: JSON.stringify(latency) });
  expect(frames).toBeGreaterThan(SECONDS);
  expect(readFailures / (frames + readFailures)).toBeLessThan(0.05);
  expect(p50).toBeGreaterThan(0);
  expect(p95).toBeGreaterThanOrEqual(p50);
  expect(p99).toBeGreaterThanOrEqual(p95);
}

async function serveLoopback(page: Page): Promise<void> {
  const path = fileURLToPath(new URL("pages/loopback.html", import.meta.url));
  const headers = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
  await page.route(LOOPBACK, (route) => route.fulfill({ path, contentType: "text/html", headers }));
}
