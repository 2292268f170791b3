import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type FirefoxPerson, noFirefox, test } from "./stage/firefox.ts";
import { importFiles, inEntry, setUpVault } from "./stage/firefox-vault.ts";
import { writeNoise } from "./stage/plain-video.ts";
import { picture, video } from "./stage/vault.ts";

test.skip(noFirefox !== null, noFirefox ?? "");
test.setTimeout(180_000);

test("in Firefox a vault is set up, files are imported, shown and exported, and recording says that it cannot", async ({
  server,
  person,
  firefoxPerson,
}) => {
  const folder = mkdtempSync(join(tmpdir(), "sealcast-files-"));
  const cora = await person("Cora");
  await cora.page.goto(server.url);
  const clip = (await video(cora, "Clip.webm")).buffer;
  const [image, sound, film] = ["Holiday.jpg", "Noise.wav", "Clip.webm"].map((name) => join(folder, name));
  if (!image || !sound || !film) throw new Error("unreachable");
  writeFileSync(image, picture("").buffer);
  writeNoise(sound, 120);
  writeFileSync(film, clip);

  const faye = await firefoxPerson("Faye");
  await faye.page.evaluateOnNewDocument(keepDownloads);
  await faye.page.goto(`${server.url}/vault`);
  await setUpVault(faye);

  await importFiles(faye, [image, sound, film]);
  expect(await faye.page.$eval('li[aria-label="Noise"]', ({ textContent }) => textContent)).toContain("2:00");
  await faye.page.waitForSelector('li[aria-label="Holiday"] img');

  await inEntry(faye, "Holiday", "Play");
  await expect.poll(() => look(faye, "dialog img", (of) => (of as HTMLImageElement).naturalWidth)).toBe(640);
  await faye.click("Close");
  await inEntry(faye, "Clip", "Play");
  const time = () => look(faye, "dialog video", (of) => (of as HTMLMediaElement).currentTime);
  await expect.poll(time, { timeout: 20_000 }).toBeGreaterThan(0.2);
  // Its media elements write what they read by ranges to the disk.
  expect(await look(faye, "dialog video", (of) => of.getAttribute("src"))).toMatch(/^blob:/);
  await faye.page.$eval("dialog video", (of) => void Object.assign(of, { currentTime: 2 }));
  await expect.poll(time, { timeout: 20_000 }).toBeGreaterThan(2.1);
  await faye.click("Close");

  await inEntry(faye, "Holiday", "Export");
  await faye.click("Save without encryption");
  await faye.reads("Saved without encryption.");
  const saved = await faye.page.evaluate(async () => {
    const { downloads } = globalThis as unknown as { downloads: File[] };
    const bytes = new Uint8Array((await downloads.at(-1)?.arrayBuffer()) ?? []);
    return Array.from(bytes);
  });
  expect(Buffer.from(saved).equals(readFileSync(image))).toBe(true);

  await faye.startCall(server.url);
  await faye.click("More");
  await faye.click("Record");
  await faye.reads("This browser cannot record calls.");
  rmSync(folder, { recursive: true, force: true });
});

/** What an element of the page says, null where it is not there. */
function look<R>(faye: FirefoxPerson, selector: string, what: (of: Element) => R): Promise<R | null> {
  return faye.page.$eval(selector, what).catch(() => null) as Promise<R | null>;
}

/** Runs in the page, before its own scripts: keeps what it has the browser save. */
function keepDownloads(): void {
  const downloads: Blob[] = [];
  Object.assign(globalThis, { downloads });
  const { createObjectURL } = URL;
  URL.createObjectURL = (of) => {
    if (of instanceof File) downloads.push(of);
    return createObjectURL(of);
  };
}
