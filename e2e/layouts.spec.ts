import type { Locator, Page } from "@playwright/test";
import { expectAccessible, STILL } from "./stage/accessible.ts";
import { colouredSources, sees } from "./stage/coloured.ts";
import { SHOWN } from "./stage/expect.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

test.setTimeout(180_000);

test("a shared screen takes the stage and gives it back; who shares sees what they share, and can stop it", {
  tag: "@journey",
}, async ({ server, person }) => {
  const [ada, ben] = [await person("Ada", { before: colouredSources }), await person("Ben", { context: STILL })];
  await ben.open(await ada.startCall(server.url));
  await sees(ben, "Ada", { middle: "red" });
  await expect.poll(() => widthOf(ben.tile("Ada"))).toBeGreaterThan(500);
  await ada.page.getByRole("button", { name: "Screen share" }).click();
  await sees(ben, "Screen of Ada", { middle: "blue" });
  await expect.poll(() => widthOf(screenTile(ben))).toBeGreaterThan(900);
  await expect.poll(() => widthOf(ben.tile("Ada"))).toBeLessThan(300);
  await expectAccessible(ben.page);

  await test.step("it can be enlarged, scrolled with keys, and made smaller", async () => {
    const screen = screenTile(ben);
    const before = await widthOf(screen.locator("video"));
    await screen.getByRole("button", { name: "Zoom in" }).click();
    await expect.poll(() => widthOf(screen.locator("video"))).toBeGreaterThan(1.4 * before);
    const enlarged = screen.getByRole("region", { name: "Enlarged screen of Ada" });
    await enlarged.focus();
    await ben.page.keyboard.press("ArrowDown");
    await expect.poll(() => enlarged.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0);
    await screen.getByRole("button", { name: "Zoom out" }).click();
    await expect.poll(() => widthOf(screen.locator("video"))).toBe(before);
    await choose(ben, "the screen of Ada", "Make smaller");
    await expect.poll(() => widthOf(screen)).toBeLessThan(700);
  });

  const own = ada.page.getByRole("status").filter({ hasText: "You are sharing your screen." });
  await expect(own.locator("video")).toBeVisible();
  await expectAccessible(ada.page);
  await own.getByRole("button", { name: "Stop sharing" }).click();
  await expect(own).toBeHidden();
  await expect(ada.page.getByRole("button", { name: "More", exact: true })).toBeFocused();
  await expect(screenTile(ben)).toHaveCount(0, SHOWN);
  await expect.poll(() => widthOf(ben.tile("Ada"))).toBeGreaterThan(500);
});

test("who speaks is marked and takes the stage where that is chosen; two stay pinned at full size and frame rate; oneself can be hidden", async ({
  server,
  person,
}) => {
  const [ada, ben, cleo] = [await person("Ada", { context: STILL }), await person("Ben"), await person("Cleo")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await cleo.open(link);
  await Promise.all([ada.seesMoving("Ben"), ada.seesMoving("Cleo")]);
  const { page } = ada;

  await test.step("the speaker is the one who is heard", async () => {
    await more(ada);
    await page.getByRole("radio", { name: "Speaker" }).check();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("button", { name: "More", exact: true })).toBeFocused();
    for (const [quiet, loud] of [
      [ben, cleo],
      [cleo, ben],
    ] as const) {
      if (await isOn(loud)) await microphone(quiet).click();
      else await Promise.all([microphone(quiet).click(), microphone(loud).click()]);
      await expect(ada.tile(loud.name).getByText("speaking")).toBeAttached(SHOWN);
      await expect(ada.tile(quiet.name).getByText("speaking")).toHaveCount(0, SHOWN);
      await expect.poll(() => widthOf(ada.tile(loud.name)), SHOWN).toBeGreaterThan(700);
      await expect.poll(() => widthOf(ada.tile(quiet.name))).toBeLessThan(300);
    }
  });

  await test.step("two are pinned, with the keyboard, and asked for as such", async () => {
    for (const name of ["Ben", "Cleo"]) {
      await page.getByRole("button", { name: `Options for ${name}` }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Pin", exact: true }).focus();
      await page.keyboard.press("Enter");
      await expect(page.getByRole("button", { name: `Options for ${name}` })).toBeFocused();
    }
    for (const name of ["Ben", "Cleo"]) await expect.poll(() => widthOf(ada.tile(name))).toBeGreaterThan(400);
    expect(await widthOf(ada.tile("Ben"))).toBe(await widthOf(ada.tile("Cleo")));
    await expectAccessible(page);
    await choose(ada, "Ben", "Unpin");
    await choose(ada, "Cleo", "Unpin");
  });

  await test.step("each has a volume of their own, and their connection has a word", async () => {
    await options(ada, "Ben").click();
    const menu = page.getByRole("group", { name: "Options for Ben" });
    await expect(menu.getByText(/(Good|Fair|Poor) connection/)).toBeVisible();
    await menu.getByRole("slider", { name: "Volume of Ben" }).fill("0.25");
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect(options(ada, "Ben")).toBeFocused();
    const volumes = await Promise.all(["Ben", "Cleo"].map((name) => ada.video(name).evaluate(volumeOf)));
    expect(volumes).toEqual([0.25, 1]);
  });

  await test.step("oneself is hidden, and shown again; layout and that are kept", async () => {
    await choose(ada, "your own video", "Hide from me");
    await expect(ada.tile("Ada (you)")).toBeHidden();
    await ben.seesMoving("Ada");
    await page.getByRole("button", { name: "Leave call" }).click();
    await page.goto(link);
    await ada.join();
    await ada.seesMoving("Ben");
    await expect(ada.tile("Ada (you)")).toBeHidden();
    await more(ada);
    await expect(page.getByRole("radio", { name: "Speaker" })).toBeChecked();
    await expectAccessible(page);
    await page.getByRole("checkbox", { name: "Show my own video" }).check();
    await expect(ada.tile("Ada (you)")).toBeVisible();
    await page.getByRole("radio", { name: "Grid" }).check();
    await page.keyboard.press("Escape");
  });

  await test.step("where there is no room for all they stand on pages; who is not seen is heard, and who speaks comes back", async () => {
    await page.setViewportSize({ width: 400, height: 290 });
    const pages = page.getByRole("navigation", { name: "Pages of people" });
    await expect(pages).toContainText("Page 1 of 2");
    await expect(ada.tile("Ben")).toBeVisible();
    await expect(ada.tile("Ada (you)")).toBeHidden();
    await expectAccessible(page);
    await pages.getByRole("button", { name: "Next page" }).click();
    await expect(pages).toContainText("Page 2 of 2");
    await expect(ada.tile("Ada (you)")).toBeVisible();
    await expect(ada.tile("Cleo")).toBeHidden();
    await ada.hears();
    await expect(ada.tile("Ben"), "who speaks").toBeVisible(SHOWN);
  });
});

test("the call goes on in a window of its own, in which one can mute and leave", async ({ server, person }) => {
  const [ada, ben] = [await person("Ada"), await person("Ben", { before: withoutWindows })];
  await ben.open(await ada.startCall(server.url));
  await ada.seesMoving("Ben");
  await ben.press("Picture-in-picture");
  const inElement = () => ben.page.evaluate(() => document.pictureInPictureElement !== null);
  await expect.poll(inElement, "where a browser takes only a video out of the page").toBe(true);
  const opened = ada.context.waitForEvent("page");
  await ada.press("Picture-in-picture");
  const window = await opened;
  await expect(window.getByText("Ben", { exact: true })).toBeVisible();
  await expect(window.getByRole("status", { name: "Encryption" })).toHaveText("encrypted", SHOWN);
  await expect.poll(() => window.locator("video").evaluate(pictures)).toBeGreaterThan(3);
  await expect(window.getByRole("main"), "in the page's own styles").toHaveCSS("color-scheme", "dark");
  await expect(window.getByRole("main")).not.toHaveCSS("background-color", "rgba(0, 0, 0, 0)");
  for (const name of ["Microphone", "Leave call"])
    await expect(window.getByRole("button", { name }), name).toBeInViewport({ ratio: 1 });
  await expectAccessible(window);
  await window.getByRole("button", { name: "Microphone" }).click();
  await expect(microphone(ada)).toHaveAttribute("aria-pressed", "false");
  await expect(ben.tile("Ada").getByRole("img", { name: "Microphone off" })).toBeVisible(SHOWN);
  await window.getByRole("button", { name: "Leave call" }).click();
  await expect(ben.tile("Ada")).toHaveCount(0, SHOWN);
  await expect.poll(() => window.isClosed()).toBe(true);
});

function more(person: ChromiumPerson): Promise<void> {
  return person.page.getByRole("button", { name: "More", exact: true }).click();
}

function options({ page }: ChromiumPerson, of: string): Locator {
  return page.getByRole("button", { name: `Options for ${of}` });
}

/** From the menu of a tile. */
async function choose(person: ChromiumPerson, of: string, name: string): Promise<void> {
  await options(person, of).click();
  await person.page.getByRole("button", { name, exact: true }).click();
}

function microphone({ page }: { page: Page }): Locator {
  return page.getByRole("button", { name: "Microphone", exact: true });
}

async function isOn(person: ChromiumPerson): Promise<boolean> {
  return (await microphone(person).getAttribute("aria-pressed")) === "true";
}

function screenTile({ page }: ChromiumPerson): Locator {
  return page.getByRole("group", { name: "Screen of Ada", exact: true });
}

async function widthOf(of: Locator): Promise<number> {
  return (await of.boundingBox())?.width ?? 0;
}

/** Runs in the page, before its own scripts: it has no windows of its own. */
function withoutWindows(): void {
  Object.defineProperty(globalThis, "documentPictureInPicture", { value: undefined });
}

/** Runs in the page. */
function volumeOf(video: Element): number {
  return video instanceof HTMLVideoElement ? video.volume : Number.NaN;
}

/** Runs in the page. */
function pictures(video: Element): number {
  return video instanceof HTMLVideoElement ? video.getVideoPlaybackQuality().totalVideoFrames : 0;
}
