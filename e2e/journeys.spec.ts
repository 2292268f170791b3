import type { Locator } from "@playwright/test";
import { expectAccessible, STILL } from "./stage/accessible.ts";
import { SHOWN } from "./stage/expect.ts";
import { pressWith, tabTo } from "./stage/keyboard.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

test.setTimeout(180_000);

const PHONE = { width: 390, height: 844 };
/** Other phones, upright and on their side. */
const PHONES = [{ width: 844, height: 390 }, { width: 320, height: 640 }, { width: 640, height: 320 }, PHONE];
const LARGEST = { width: 3840, height: 2160 };

test("a whole call, with the keyboard alone at one end and with a finger on a phone at the other: every control is in sight, large enough, and covers nobody", async ({
  server,
  person,
}) => {
  const ada = await person("Ada");
  const phone = { viewport: PHONE, hasTouch: true, isMobile: true, deviceScaleFactor: 0.5, ...STILL };
  const ben = await person("Ben", { context: phone });
  await ada.context.grantPermissions(["camera", "microphone", "clipboard-read", "clipboard-write"]);
  const link = await test.step("from the home page into the call, and the link for others", () =>
    startWithKeys(ada, server.url));

  await test.step("the phone comes by the link, and both see and hear each other", async () => {
    await ben.page.goto(link);
    await ben.page.getByRole("textbox", { name: "Your name" }).tap();
    await ben.page.keyboard.type("Ben");
    await ben.page.getByRole("button", { name: "Join now" }).tap();
    await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada"), ada.hears(), ben.hears()]);
  });

  await test.step("mute: with the space bar, and back with its key; the camera with a tap", async () => {
    const microphone = await pressWith(ada.page, "Space", "Microphone");
    await expect(microphone).toHaveAttribute("aria-pressed", "false");
    await expect(ben.tile("Ada").getByRole("img", { name: "Microphone off" })).toBeVisible(SHOWN);
    await ada.page.keyboard.press("m");
    await expect(microphone).toHaveAttribute("aria-pressed", "true");
    await expect(ben.tile("Ada").getByRole("img", { name: "Microphone off" })).toHaveCount(0, SHOWN);
    await tapped(ben, "Camera");
    await expect(ada.tile("Ben").getByRole("img", { name: "Camera off" })).toBeVisible(SHOWN);
    await tapped(ben, "Camera");
    await ada.seesMoving("Ben");
  });

  await test.step("chat, both ways", async () => {
    await pressWith(ada.page, "Enter", "Chat");
    await expect(ada.page.getByRole("textbox", { name: "Message" })).toBeFocused();
    await ada.page.keyboard.type("Where are you?");
    await ada.page.keyboard.press("Enter");
    await ben.page.getByRole("button", { name: "Chat 1 unread message" }).tap();
    await expect(ben.page.getByRole("log", { name: "Messages" })).toContainText("Where are you?");
    await ben.page.getByRole("textbox", { name: "Message" }).tap();
    await ben.page.keyboard.type("On a train.");
    await ben.page.getByRole("button", { name: "Send", exact: true }).tap();
    await expect(ada.page.getByRole("log", { name: "Messages" })).toContainText("On a train.");
    await expectAccessible(ben.page);
    await ben.page.getByRole("button", { name: "Close chat" }).tap();
    await ada.page.keyboard.press("Escape");
    await expect(ada.page.getByRole("button", { name: "Chat", exact: true })).toBeFocused();
  });

  await test.step("hands", async () => {
    await pressWith(ada.page, "Enter", "Raise hand");
    await expect(ben.tile("Ada").getByRole("img", { name: "Hand raised, number 1" })).toBeVisible(SHOWN);
    await tapped(ben, "Raise hand");
    await expect(ada.tile("Ben").getByRole("img", { name: "Hand raised, number 2" })).toBeVisible(SHOWN);
  });

  await test.step("people: who can join is chosen with arrow keys; what More opens with a finger", async () => {
    await pressWith(ada.page, "Enter", "People");
    await expect(ada.page.getByRole("dialog", { name: "People" })).toContainText("Ben");
    await tabTo(ada.page, "radio", "Anyone with the link");
    await ada.page.keyboard.press("ArrowDown");
    await expect(ada.page.getByRole("radio", { name: "People you approve" })).toBeChecked();
    await ada.page.keyboard.press("Escape");
    await expect(ada.page.getByRole("button", { name: "People", exact: true })).toBeFocused();
    await expect(ben.page.getByRole("status", { name: "Who can join" })).toHaveText("approval needed", SHOWN);
    await tapped(ben, "More");
    await tapped(ben, "People");
    await expect(ben.page.getByRole("dialog", { name: "People" })).toContainText("Ada");
    await expectAccessible(ben.page);
    await tapped(ben, "Close");
  });

  await test.step("phones turned and of other sizes, and a very large screen", async () => {
    for (const size of PHONES) await expectInSight(ben, "Ada", size);
    await expectInSight(ada, "Ben", LARGEST);
    await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  });

  await test.step("left with Enter, and with a tap", async () => {
    await pressWith(ada.page, "Enter", "Leave call");
    await expect(ada.page.getByText("You left the call")).toBeVisible();
    await expect(ben.tile("Ada")).toHaveCount(0, SHOWN);
    await tapped(ben, "Leave call");
    await expect(ben.page.getByText("You left the call")).toBeVisible();
  });
});

/** Starts a call and copies its link, with nothing but keys. @returns the link */
async function startWithKeys({ page, name }: ChromiumPerson, home: string): Promise<string> {
  await page.goto(home);
  await pressWith(page, "Enter", "Start a call");
  await expect(page.getByRole("button", { name: "Join now" })).toBeEnabled();
  await tabTo(page, "textbox", "Your name");
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Leave call" })).toBeVisible(SHOWN);
  await pressWith(page, "Enter", "Copy invite link");
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("/call/");
  return page.evaluate(() => navigator.clipboard.readText());
}

function tapped({ page }: ChromiumPerson, name: string): Promise<void> {
  return page.getByRole("button", { name, exact: true }).tap();
}

/** On a screen of that size. */
async function expectInSight(person: ChromiumPerson, other: string, viewport: typeof PHONE): Promise<void> {
  const { page, name } = person;
  await page.setViewportSize(viewport);
  const where = `at ${viewport.width} x ${viewport.height}`;
  const bar = ["Microphone", "Camera", "More", "Leave call"].map((button) =>
    page.getByRole("button", { name: button, exact: true }),
  );
  await expect(async () => {
    const controls = await Promise.all(bar.map(boxOf));
    const pictures = await Promise.all([person.tile(other), person.tile(`${name} (you)`)].map(boxOf));
    for (const { x, y, width, height } of controls) {
      expect(Math.min(width, height), where).toBeGreaterThanOrEqual(44);
      expect(Math.min(x, y), where).toBeGreaterThanOrEqual(0);
      expect(x + width, where).toBeLessThanOrEqual(viewport.width);
      expect(y + height, where).toBeLessThanOrEqual(viewport.height);
      for (const picture of pictures) expect(picture.y + picture.height, where).toBeLessThanOrEqual(y);
    }
    const [content, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    expect(content, where).toBeLessThanOrEqual(screen ?? 0);
  }).toPass(SHOWN);
}

async function boxOf(of: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await of.boundingBox();
  if (box === null) throw new Error("It is not on the page.");
  return box;
}
