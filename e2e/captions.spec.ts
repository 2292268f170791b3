import { readFileSync } from "node:fs";
import type { Server } from "@sealcast/testbed";
import { wordsOf, wordsWrong } from "@sealcast/testbed/reading";
import { expectAccessible, STILL } from "./stage/accessible.ts";
import { test as base, expect, noFirefox } from "./stage/firefox.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { type ReaderScene, reading } from "./stage/reader.ts";
import { found, seenByServer, sentMark } from "./stage/traces.ts";

/** Words, of the 70 that are read. */
const ENOUGH = 40;
const MOST_WRONG = 0.15;
/** Letters of a word that no message has by chance. */
const LONG = 7;
/** Loading, and as long as the reading takes on a busy machine. */
const TIMEOUT = 150_000;

const test = base.extend<ReaderScene>(reading);

test("captions: what someone says is read under their name, made by their device or by the reader's; no other origin is asked, and the server sees none of it", async ({
  server,
  person,
  reader,
}) => {
  test.setTimeout(2 * TIMEOUT);
  const ada = await person("Ada", { browser: reader, context: STILL, before: withoutCamera });
  const ben = await person("Ben", { context: STILL, before: withoutCamera });
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await ben.hears();

  await test.step("made by the speaker's device", async () => {
    await choose(ada, "Caption my speech for others");
    await expect(ada.page.getByText(/^Captions are made on this device/)).toBeVisible({ timeout: TIMEOUT });
    await expectAccessible(ada.page);
    await choose(ben, "Show captions");
    await close(ada, ben);
    await isRead(ben, "sent by the speaker");
    await expectAccessible(ben.page);
    expect(ben.requests.filter((url) => url.includes(".onnx"))).toEqual([]);
  });
  await test.step("made by the reader's device", async () => {
    await choose(ada, "Caption my speech for others");
    await close(ada);
    await isRead(ben, "made by the reader");
    expect(ben.requests.filter((url) => url.includes(".onnx"))).toHaveLength(2);
  });
  await test.step("a transcript is a file that the reader asks for; nobody else was asked for anything, and no byte that the server saw has a word of what was read; after the call nothing is left", async () => {
    await ben.press("Captions");
    const saved = ben.page.waitForEvent("download");
    await ben.page.getByRole("button", { name: "Save transcript" }).click();
    const transcript = readFileSync(await (await saved).path(), "utf8");
    const read = wordsOf(transcript.replace(/^.*? Ada: /gm, ""));
    expect(read.length).toBeGreaterThanOrEqual(2 * ENOUGH);
    sawNothing(server, [ada, ben], read);
    await close(ben);
    await ben.page.getByRole("button", { name: "Leave call" }).click();
    await expect(ben.page.getByText("You left the call")).toBeVisible();
    expect((await ben.page.content()).toLowerCase()).not.toContain("dashwood");
  });
});

test("captions: Firefox makes none and says so, and shows those that a speaker sends", async ({
  server,
  person,
  firefoxPerson,
  reader,
}) => {
  test.skip(noFirefox !== null, noFirefox ?? "");
  test.setTimeout(TIMEOUT);
  const faye = await firefoxPerson("Faye");
  const link = await faye.startCall(server.url);
  const ada = await person("Ada", { browser: reader, before: withoutCamera });
  await ada.open(link);
  await choose(ada, "Caption my speech for others");
  await faye.click("More");
  await faye.click("Captions");
  await faye.reads("This browser cannot make captions.");
  await faye.page.locator('dialog[open] input[type="checkbox"]:enabled').click();
  await faye.click("Close");
  const log = () =>
    faye.page.$eval('[role="log"][aria-label="Captions"]', ({ textContent }) => textContent).catch(() => "");
  await expect.poll(log, { timeout: TIMEOUT }).toMatch(/^Ada \w+ \w+/);
});

/** Of words that were read as captions, no longer one is in what the server saw or logged, and no other origin was asked. */
function sawNothing(server: Server, people: ChromiumPerson[], read: string[]): void {
  const long = [...new Set(read.filter(({ length }) => length >= LONG))];
  expect(long.length, "words that are looked for").toBeGreaterThan(4);
  const marks = long.flatMap((word) => [sentMark(word), sentMark(`${word.charAt(0).toUpperCase()}${word.slice(1)}`)]);
  const seen = seenByServer(people.flatMap(({ socket, requests }) => [...socket, ...requests]).concat(server.logged));
  expect(found(seen, marks)).toEqual([]);
  expect(['caption":', "captioning"].filter((word) => seen.includes(word))).toEqual([]);
  expect(people.flatMap(({ requests }) => requests.filter((url) => !url.startsWith(server.url)))).toEqual([]);
}

/** Video would only take processor time from what makes captions. Runs in the page. */
function withoutCamera(): void {
  // The empty page that comes first in some browsers is no secure one and has no devices.
  if (!globalThis.isSecureContext) return;
  const original = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = (constraints) =>
    constraints?.video ? Promise.reject(new DOMException("no camera", "NotFoundError")) : original(constraints);
}

/** Turns it on, or off. */
async function choose(person: ChromiumPerson, option: string): Promise<void> {
  const panel = person.page.getByRole("dialog", { name: "Captions" });
  if (!(await panel.isVisible())) await person.press("Captions");
  await panel.getByRole("checkbox", { name: option }).click();
}

async function close(...people: ChromiumPerson[]): Promise<void> {
  for (const { page } of people) await page.getByRole("button", { name: "Close" }).click();
}

/** Enough of the reading comes as captions under the speaker's name, from now on, with few words wrong. */
async function isRead(by: ChromiumPerson, how: string): Promise<void> {
  const log = by.page.getByRole("log", { name: "Captions" });
  const before = new Set(
    await log
      .locator("p")
      .allTextContents()
      .catch(() => []),
  );
  const lines: string[] = [];
  const heard = async () => {
    for (const line of await log.locator("p").allTextContents())
      if (!before.has(line) && lines.at(-1) !== line && !lines.slice(-3).includes(line)) lines.push(line);
    return wordsOf(lines.map((line) => line.replace(/^Ada /, "")).join(" ")).length;
  };
  await expect.poll(heard, { timeout: TIMEOUT, message: how }).toBeGreaterThan(ENOUGH);
  expect(lines.filter((line) => !line.startsWith("Ada "))).toEqual([]);
  // Each by itself: a machine that is too busy leaves whole ones out.
  const read = lines.map((line) => wordsOf(line.replace(/^Ada /, "")));
  const [wrong, of] = [sum(read.map(wordsWrong)), sum(read.map(({ length }) => length))];
  console.log(`captions, ${how}: ${wrong} of ${of} words wrong`);
  expect(wrong / of, `words wrong, ${how}: ${lines.join(" | ")}`).toBeLessThanOrEqual(MOST_WRONG);
}

const sum = (counts: number[]): number => counts.reduce((before, count) => before + count, 0);
