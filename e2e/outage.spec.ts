import type { Page } from "@playwright/test";
import { Relay } from "@sealcast/testbed";
import { SHOWN } from "./stage/expect.ts";
import { digestOf, fileOf, filesOf, madeFile, savedFile, sendFiles, withFolder } from "./stage/files.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { test as base, expect } from "./stage/test.ts";
import { throughPort } from "./stage/through-relay.ts";
import { withoutPicker } from "./stage/vault.ts";

const MB = 1_000_000;
const FILE_BYTES = 200 * MB;
const FREE = { delayMs: 0, lossPercent: 0 };
const OUTAGE_MS = 10_000;

const test = base.extend<{ folder: string }>(withFolder);

test("ten seconds without a network, in the middle of a talk and of 200 MB: both pages say so and come back without a reload, what was written meanwhile is there once and in order, the file byte for byte", async ({
  server,
  person,
  folder,
  expectedErrors,
}) => {
  test.setTimeout(300_000);
  expectedErrors.push(/WebSocket|ERR_INTERNET_DISCONNECTED/);
  const relay = await Relay.open(FREE);
  const ada = await person("Ada", { before: throughPort(relay.portFor("near")) });
  const ben = await person("Ben", { before: throughPort(relay.portFor("far")) });
  await ben.page.addInitScript(withoutPicker);
  await ben.open(await ada.startCall(server.url));
  const loads = [ada, ben].map(({ page }) => countLoads(page));
  await meetAgain(ada, ben);

  const path = madeFile(folder, "film.mkv", FILE_BYTES);
  await sendFiles(ada, [path], "Ben");
  const offer = ben.page.getByRole("status").filter({ hasText: "wants to send film.mkv" });
  await expect(offer).toBeVisible(SHOWN);
  const arrived = savedFile(ben, "film.mkv", 280_000);
  await expect(offer).toHaveCount(0, SHOWN);
  const [sent, received] = [await fileOf(ada, "film.mkv"), await fileOf(ben, "film.mkv")];
  const progress = () => received.getByRole("progressbar").evaluate((bar) => (bar as HTMLProgressElement).value);
  await expect.poll(progress, SHOWN).toBeGreaterThan(5 * MB);

  await test.step("the file is paused by who receives, then by who sends", async () => {
    await received.getByRole("button", { name: "Pause film.mkv" }).click();
    await expect(sent).toContainText("Paused by them", SHOWN);
    await received.getByRole("button", { name: "Resume film.mkv" }).click();
    await sent.getByRole("button", { name: "Pause film.mkv" }).click();
    await expect(received).toContainText("Paused by them", SHOWN);
  });

  await test.step("they write to each other", async () => {
    for (const { page } of [ada, ben]) {
      await page.getByRole("dialog", { name: "Files" }).getByRole("button", { name: "Close" }).click();
      await page.getByRole("button", { name: /^Chat/ }).click();
    }
    await write(ada, "Ada 1");
    await expect(said(ben)).toContainText(["Ada 1"], SHOWN);
  });

  let back = 0;
  await test.step("the network goes; both write on, and the file waits", async () => {
    await (await fileOf(ada, "film.mkv")).getByRole("button", { name: "Resume film.mkv" }).click();
    await closeFiles(ada);
    relay.trouble = { ...FREE, lossPercent: 100 };
    const lost = performance.now();
    await ben.context.setOffline(true);
    await Promise.all([
      expect(ben.page.getByText("Your network is gone. Your call goes on by itself when it is back.")).toBeVisible(
        SHOWN,
      ),
      expect(ada.tile("Ben").getByText(/No signal|Reconnecting…/)).toBeVisible(SHOWN),
      ...[ada, ben].map(async (one) => {
        for (const number of [2, 3, 4]) await write(one, `${one.name} ${number}`);
      }),
    ]);
    await expect(await fileOf(ben, "film.mkv")).toContainText("The connection is lost.", SHOWN);
    await expect(ada.video("Ben"), "what it shows is not what is now").toBeHidden();
    expect(await progress()).toBeLessThan(FILE_BYTES);
    await ben.page.waitForTimeout(Math.max(0, OUTAGE_MS - (performance.now() - lost)));
    relay.trouble = FREE;
    back = performance.now();
    await ben.context.setOffline(false);
  });

  await test.step("it is back", async () => {
    await meetAgain(ada, ben);
    test.info().annotations.push({ type: "network-to-picture-ms", description: `${performance.now() - back}` });
    await closeFiles(ben);
    for (const one of [ada, ben]) {
      await expect(one.badge).toHaveText("encrypted", SHOWN);
      await expect.poll(() => saidBy(one, "Ada"), SHOWN).toEqual(["Ada 1", "Ada 2", "Ada 3", "Ada 4"]);
      await expect.poll(() => saidBy(one, "Ben"), SHOWN).toEqual(["Ben 2", "Ben 3", "Ben 4"]);
      await expect(said(one).filter({ hasText: "Not delivered" })).toHaveCount(0, SHOWN);
    }
    expect(await digestOf(await arrived)).toBe(await digestOf(path));
    await expect(await fileOf(ada, "film.mkv")).toContainText("Received", SHOWN);
    await closeFiles(ada);
    await write(ada, "Ada 5");
    await expect.poll(() => saidBy(ben, "Ada"), SHOWN).toEqual(["Ada 1", "Ada 2", "Ada 3", "Ada 4", "Ada 5"]);
    await meetAgain(ada, ben);
  });
  expect(
    loads.map((count) => count()),
    "pages that were loaded again",
  ).toEqual([0, 0]);
  relay.close();
});

/** Each sees and hears the other. */
async function meetAgain(one: ChromiumPerson, other: ChromiumPerson): Promise<void> {
  await Promise.all([one.seesMoving(other.name), other.seesMoving(one.name), one.hears(), other.hears()]);
}

async function closeFiles(person: ChromiumPerson): Promise<void> {
  await (await filesOf(person)).getByRole("button", { name: "Close" }).click();
}

async function write({ page }: ChromiumPerson, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
}

/** The messages that a person has. */
const said = ({ page }: ChromiumPerson) => page.getByRole("log", { name: "Messages" }).getByRole("listitem");

/** What that one has written, as this person reads it, in order. */
async function saidBy(reader: ChromiumPerson, name: string): Promise<string[]> {
  const texts = await said(reader).allTextContents();
  return texts.flatMap((text) => text.match(new RegExp(`${name} \\d`)) ?? []);
}

/** From now on. */
function countLoads(page: Page): () => number {
  let loads = 0;
  page.on("load", () => loads++);
  return () => loads;
}
