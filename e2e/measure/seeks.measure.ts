import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext } from "@playwright/test";
import { type FirefoxPerson, noFirefox, test } from "../stage/firefox.ts";
import { importFiles, inEntry, setUpVault } from "../stage/firefox-vault.ts";
import { writeLongRecording } from "../stage/long-recording.ts";
import type { ChromiumPerson } from "../stage/person.ts";
import { expect } from "../stage/test.ts";
import { PASSPHRASE, VaultPage, withoutPicker } from "../stage/vault.ts";
import { pass } from "./pass.ts";

const BYTES = 1e9;
const RECORD_MS = 12_000;
const SEEKS = 100;
/** Between two seeks, in which what follows is read. */
const PLAYED_SECONDS = 0.5;
const PATIENCE_MS = 600_000;

test.skip(noFirefox !== null, noFirefox ?? "");
test.setTimeout(1_200_000);

test("seeks: in a recording of 1 GB that plays in Firefox, from setting the time to the first picture of it", async ({
  server,
  person,
  firefoxPerson,
}) => {
  const folder = mkdtempSync(join(tmpdir(), "sealcast-files-"));
  const long = join(folder, "Long.mp4");
  const faye = await firefoxPerson("Faye");
  await faye.page.goto(`${server.url}/vault`);
  const codec = (await faye.page.evaluate(playsH264)) ? "avc" : "vp9";
  const ada = await person("Ada", { lines: 720, before: withoutPicker });
  if (codec === "vp9") await encodeNoH264(ada.context);
  const seconds = await writeLongRecording(long, await recorded(ada, server.url), BYTES);
  await ada.context.close();
  const { size: bytes } = statSync(long);

  await setUpVault(faye);
  await importFiles(faye, [long], PATIENCE_MS);
  rmSync(folder, { recursive: true });
  await inEntry(faye, "Long", "Play");
  const times = await seeks(faye, seconds);
  console.log(JSON.stringify({ seeks: { codec, bytes, seconds, ...figures(times), loadAverage: loadavg()[0] } }));
});

/** Runs in the page: where no codecs are installed, Firefox has H.264 in calls alone. */
function playsH264(): boolean {
  return MediaSource.isTypeSupported('video/mp4; codecs="avc1.64001f,opus"');
}

/** Has the recorder of this person's pages take the next codec. */
async function encodeNoH264(context: BrowserContext): Promise<void> {
  await context.route(/recorder[^/]*\.worker[^/]*\.js$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `(${refuseH264})();\n${await response.text()}` });
  });
}

/** Runs in the recorder's worker, before its own script. */
function refuseH264(): void {
  const isConfigSupported = VideoEncoder.isConfigSupported.bind(VideoEncoder);
  VideoEncoder.isConfigSupported = async (config) =>
    config.codec.startsWith("avc1") ? { config, supported: false } : isConfigSupported(config);
}

/** Some seconds of a call, as the product records it. */
async function recorded(ada: ChromiumPerson, home: string): Promise<Buffer> {
  await VaultPage.setUp(ada, home);
  await ada.startCall(home);
  await ada.press("Record");
  const stop = ada.page.getByRole("button", { name: "Stop recording", exact: true });
  await expect(stop).toBeVisible();
  await pass(RECORD_MS);
  await stop.click();
  await expect(ada.page.getByText("The recording is saved in your vault.")).toBeVisible();
  await ada.page.goto(`${home}/vault`);
  const vault = new VaultPage(ada);
  await vault.unlock(PASSPHRASE);
  await vault.button("Export").click();
  return readFileSync(await vault.saved("Save without encryption"));
}

/** Milliseconds of each seek: all over the file, in no order. */
async function seeks(faye: FirefoxPerson, seconds: number): Promise<number[]> {
  await faye.page.waitForFunction(isPlaying);
  const times = Array.from({ length: SEEKS }, (_, n) => (((n + 1) * 0.618_034) % 1) * (seconds - 10));
  const milliseconds: number[] = [];
  for (const time of times) {
    milliseconds.push(await faye.page.$eval("dialog video", seek, time));
    await faye.page.$eval("dialog video", playOn, time + PLAYED_SECONDS);
  }
  return milliseconds;
}

/** Runs in the page. */
function isPlaying(): boolean {
  const video = document.querySelector<HTMLVideoElement>("dialog video");
  return video !== null && video.currentTime > 0.2 && !video.paused;
}

/** Runs in the page: milliseconds from setting the time until a frame of it is presented. */
function seek(element: Element, to: number): Promise<number> {
  const video = element as HTMLVideoElement;
  return new Promise((done) => {
    const since = performance.now();
    const look: VideoFrameRequestCallback = (_, { mediaTime }) => {
      if (mediaTime > to - 0.1 && mediaTime < to + 2) done(performance.now() - since);
      else video.requestVideoFrameCallback(look);
    };
    video.requestVideoFrameCallback(look);
    video.currentTime = to;
  });
}

/** Runs in the page. */
function playOn(element: Element, to: number): Promise<void> {
  const video = element as HTMLVideoElement;
  return new Promise((done) => {
    const look = () => (video.currentTime > to ? done() : video.requestVideoFrameCallback(look));
    look();
  });
}

function figures(times: number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN);
  return { count: times.length, p50Ms: at(0.5), p95Ms: at(0.95), mostMs: at(1) };
}
