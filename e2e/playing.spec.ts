import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { inTheClear, kill } from "./stage/disk.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { writeNoise, writePlainVideo } from "./stage/plain-video.ts";
import { expect, test } from "./stage/test.ts";
import { VaultPage, video } from "./stage/vault.ts";

const MIB = 1024 * 1024;
/** What is not read as a whole where it cannot be read in parts. */
const LARGE_BYTES = 256 * MIB;

test.setTimeout(300_000);

test("a large video and a large sound that are no recordings play and seek, are read where they play, and leave nothing on the disk", async ({
  server,
  person,
  expectedErrors,
}) => {
  // What the element asked for in the moment in which it was closed is gone.
  expectedErrors.push(/status of 404/);
  const profile = mkdtempSync(join(tmpdir(), "sealcast-profile-"));
  const folder = mkdtempSync(join(tmpdir(), "sealcast-files-"));
  const ada = await person("Ada", { profile, before: countReads });
  const vault = await VaultPage.setUp(ada, server.url);
  const [film, noise] = [join(folder, "Film.mp4"), join(folder, "Noise.wav")];
  const clip = (await video(ada, "Clip.mp4")).buffer;
  await writePlainVideo(film, clip, { seconds: 300, paddingBytes: 256 * 1024 });
  writeNoise(noise, 1_500);
  for (const file of [film, noise]) expect(statSync(file).size).toBeGreaterThan(LARGE_BYTES);
  await vault.choosing(film, noise);
  for (const title of ["Film", "Noise"]) await expect(vault.entry(title)).toBeVisible({ timeout: 120_000 });

  for (const [title, seconds] of [
    ["Film", 300],
    ["Noise", 1_500],
  ] as const)
    await test.step(title, async () => {
      const before = await read(ada);
      await vault.entry(title).getByRole("button", { name: "Play" }).click();
      await expect.poll(() => time(element(vault))).toBeGreaterThan(0.2);
      expect(await element(vault).evaluate((of: HTMLMediaElement) => of.duration)).toBeCloseTo(seconds, -1);
      for (const part of [0.9, 0.5, 0.1]) await seek(element(vault), seconds * part);
      await vault.close();
      expect((await read(ada)) - before).toBeLessThan(LARGE_BYTES / 2);
    });

  kill(profile);
  await ada.context.close().catch(() => undefined);
  expect(inTheClear(profile, film), "files of the profile that hold a part of the video").toEqual([]);
  expect(inTheClear(profile, noise), "files of the profile that hold a part of the sound").toEqual([]);
  for (const path of [profile, folder]) rmSync(path, { recursive: true, force: true });
});

test("a plain video's address is its own page's, until it is closed; at a part that was changed it stops, and says so", async ({
  server,
  person,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 404/);
  const folder = mkdtempSync(join(tmpdir(), "sealcast-files-"));
  const ada = await person("Ada");
  const vault = await VaultPage.setUp(ada, server.url);
  const film = join(folder, "Film.mp4");
  // The element reads at least ten seconds ahead: its middle, which is changed, is not read before it is gone to.
  await writePlainVideo(film, (await video(ada, "Clip.mp4")).buffer, { seconds: 120, paddingBytes: 128 * 1024 });
  await vault.import("Film", film);
  const play = vault.entry("Film").getByRole("button", { name: "Play" });
  await play.click();
  await expect.poll(() => time(element(vault))).toBeGreaterThan(0.2);
  const url = (await element(vault).getAttribute("src")) ?? "";
  expect(url).toMatch(/^\/vault\/opened\/[\w-]{22}$/);

  await test.step("nothing keeps what is given there, and another tab is given nothing", async () => {
    expect(await statusOf(ada.page, url)).toEqual({ status: 206, cached: "no-store" });
    const other = await ada.context.newPage();
    await other.goto(`${server.url}/vault`);
    await expect(other.getByRole("heading", { name: "The vault is locked" })).toBeVisible();
    expect((await statusOf(other, url)).status).toBe(404);
    expect((await other.goto(server.url + url))?.status()).toBe(404);
    await other.close();
  });

  await vault.close();
  expect((await statusOf(ada.page, url)).status).toBe(404);
  expect(await ada.page.evaluate(() => caches.keys())).toEqual([]);

  await changePayload(ada.page);
  await play.click();
  await expect.poll(() => time(element(vault))).toBeGreaterThan(0.2);
  await element(vault).evaluate((of: HTMLVideoElement) => {
    of.currentTime = of.duration / 2;
  });
  await expect(vault.dialog.getByRole("alert")).toContainText("Playback stopped", { timeout: 20_000 });
  await expect(element(vault)).toHaveCount(0);
  rmSync(folder, { recursive: true, force: true });
});

test("without service workers what is small plays, and of what is large it is said why not", async ({
  server,
  person,
}) => {
  const folder = mkdtempSync(join(tmpdir(), "sealcast-files-"));
  const ada = await person("Ada", { before: withoutServiceWorkers });
  const vault = await VaultPage.setUp(ada, server.url);
  const [short, long] = [join(folder, "Short.wav"), join(folder, "Long.wav")];
  writeNoise(short, 10);
  writeNoise(long, 1_500);
  expect(statSync(long).size).toBeGreaterThan(LARGE_BYTES);
  await vault.choosing(short, long);
  await vault.entry("Short").getByRole("button", { name: "Play" }).click();
  await expect.poll(() => time(element(vault))).toBeGreaterThan(0.2);
  await vault.close();
  await expect(vault.entry("Long")).toBeVisible({ timeout: 120_000 });
  await vault.entry("Long").getByRole("button", { name: "Play" }).click();
  await expect(vault.dialog.getByRole("alert")).toContainText("too large for this browser to show");
  await expect(element(vault)).toHaveCount(0);
  rmSync(folder, { recursive: true, force: true });
});

/** The element that plays. */
function element(vault: VaultPage): Locator {
  return vault.dialog.getByLabel("Recording", { exact: true });
}

function time(of: Locator): Promise<number> {
  return of.evaluate(({ currentTime }: HTMLMediaElement) => currentTime);
}

/** Goes there, and plays on from there. */
async function seek(of: Locator, seconds: number): Promise<void> {
  await of.evaluate((media: HTMLMediaElement, seconds) => {
    media.currentTime = seconds;
  }, seconds);
  await expect.poll(() => time(of), { timeout: 20_000 }).toBeGreaterThan(seconds + 0.1);
}

/** Runs in the page, before its own scripts: counts the bytes that the vault's worker opened for it. */
function countReads(): void {
  const Original = Worker;
  class Counted extends Original {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      this.addEventListener("message", ({ data }) => {
        const of = globalThis as unknown as { readBytes?: number };
        if (data?.value instanceof Uint8Array) of.readBytes = (of.readBytes ?? 0) + data.value.length;
      });
    }
  }
  Object.assign(globalThis, { Worker: Counted });
}

function read({ page }: ChromiumPerson): Promise<number> {
  return page.evaluate(() => (globalThis as unknown as { readBytes?: number }).readBytes ?? 0);
}

/** What a page's own script is answered at an address. */
function statusOf(page: Page, url: string): Promise<{ status: number; cached: string | null }> {
  return page.evaluate(async (url) => {
    const { status, headers } = await fetch(url, { headers: { Range: "bytes=0-9" } });
    return { status, cached: headers.get("Cache-Control") };
  }, url);
}

/** Flips a bit in the middle of the only file that is in the vault. */
function changePayload(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("vault");
    for await (const directory of root.values()) {
      if (directory.kind !== "directory") continue;
      const version = await (directory as FileSystemDirectoryHandle).getDirectoryHandle("0");
      const handle = await version.getFileHandle("payload");
      const file = await handle.getFile();
      const position = file.size >> 1;
      const byte = new Uint8Array(await file.slice(position, position + 1).arrayBuffer())[0] ?? 0;
      const writable = await handle.createWritable({ keepExistingData: true });
      await writable.write({ type: "write", position, data: Uint8Array.of(byte ^ 1) });
      await writable.close();
    }
  });
}

/** Runs in the page, before its own scripts. */
function withoutServiceWorkers(): void {
  Object.defineProperty(navigator, "serviceWorker", { value: undefined });
}
