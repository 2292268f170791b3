import type { Page } from "@playwright/test";
import { expectAccessible, STILL } from "./stage/accessible.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

const log = (page: Page) => page.getByRole("log", { name: "Messages" });
const chatButton = (page: Page) => page.getByRole("button", { name: /^Chat/ });
const tile = (one: ChromiumPerson, of: string) => one.page.getByRole("group", { name: `Participant ${of}` });

async function write(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
}

test("two people write to each other: what came is counted and said, links lead out, an answer leads to its question, a reaction shows; what was said is saved once they ask", {
  tag: "@journey",
}, async ({ server, person }) => {
  const ada = await person("Ada", { context: STILL });
  const ben = await person("Ben");
  await ben.open(await ada.startCall(server.url));
  await expect(tile(ada, "Ben")).toBeVisible();

  await chatButton(ben.page).click();
  await expect(ben.page.getByRole("textbox", { name: "Message" })).toBeFocused();
  await write(ben.page, "Look at https://example.org/a?b=c.");
  await expect(chatButton(ada.page)).toHaveAccessibleName("Chat 1 unread message");
  await expect(ada.page.getByRole("status").filter({ hasText: "Look at https://example.org/a?b=c." })).toBeVisible();
  await ada.page.keyboard.press("c");
  await expect(chatButton(ada.page)).toHaveAccessibleName("Chat");
  const link = log(ada.page).getByRole("link");
  await expect(link).toHaveText("https://example.org/a?b=c");
  await expect(link).toHaveAttribute("rel", "noopener noreferrer");
  expect(ada.requests.filter((address) => address.includes("example.org"))).toEqual([]);

  await log(ada.page).getByRole("button", { name: "Reply to Ben" }).click();
  await ada.page.keyboard.type("I have it");
  await ada.page.keyboard.press("Shift+Enter");
  await ada.page.keyboard.type("in two lines");
  await ada.page.getByRole("button", { name: "Send", exact: true }).click();
  const answer = log(ben.page).getByRole("listitem").filter({ hasText: "I have it" });
  await expect(answer).toContainText("I have it\nin two lines");
  await answer.getByRole("button", { name: /^Go to the message of Ben/ }).click();
  await expect(log(ben.page).getByRole("listitem").first()).toBeFocused();
  await expect(log(ada.page)).not.toContainText("Not delivered");
  await expectAccessible(ada.page);
  const saving = ada.page.waitForEvent("download");
  await ada.page.getByRole("button", { name: "Save chat" }).click();
  expect((await saving).suggestedFilename()).toBe("sealcast-chat.txt");
  await ada.page.keyboard.press("Escape");
  await expect(chatButton(ada.page)).toBeFocused();

  await ben.page.getByRole("button", { name: "Reactions" }).click();
  await ben.page.getByRole("button", { name: "Applause" }).click();
  await expect(tile(ada, "Ben").getByRole("img", { name: "Applause" })).toBeVisible();
  await expect(tile(ben, "Ben (you)").getByRole("img", { name: "Applause" })).toBeVisible();
  await expect(tile(ada, "Ben").getByRole("img", { name: "Applause" })).toHaveCount(0);
});

test("three people: hands stand in one order everywhere, a host lowers one and asks for silence; who comes later sees the hands, and nothing that was said before", async ({
  server,
  person,
}) => {
  const [ada, ben, cleo] = [await person("Ada", { context: STILL }), await person("Ben"), await person("Cleo")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await expect(tile(ada, "Ben")).toBeVisible();
  await ben.page.keyboard.press("h");
  await expect(tile(ada, "Ben").getByRole("img", { name: "Hand raised, number 1" })).toBeVisible();
  await ada.page.getByRole("button", { name: "Raise hand" }).click();
  await expect(tile(ben, "Ada").getByRole("img", { name: "Hand raised, number 2" })).toBeVisible();
  await chatButton(ada.page).click();
  await write(ada.page, "before Cleo");
  await chatButton(ben.page).click();
  await expect(log(ben.page)).toContainText("before Cleo");

  await cleo.open(link);
  await expect(tile(cleo, "Ben").getByRole("img", { name: "Hand raised, number 1" })).toBeVisible();
  await expect(tile(cleo, "Ada").getByRole("img", { name: "Hand raised, number 2" })).toBeVisible();
  await cleo.page.getByRole("button", { name: "Raise hand" }).click();
  for (const one of [ada, ben])
    await expect(tile(one, "Cleo").getByRole("img", { name: "Hand raised, number 3" })).toBeVisible();
  await expect(tile(ada, "Cleo")).toBeVisible();
  await write(ada.page, "with Cleo");
  await chatButton(cleo.page).click();
  await expect(log(cleo.page)).toContainText("with Cleo");
  await expect(log(cleo.page)).not.toContainText("before Cleo");
  await expect(log(cleo.page)).toContainText("who joins later does not see what was said before");

  await ada.page.getByRole("button", { name: "People" }).click();
  const dialog = ada.page.getByRole("dialog", { name: "People" });
  const hands = dialog.getByRole("list").first();
  await expect(hands.getByRole("listitem")).toContainText(["Ben", "You", "Cleo"]);
  await expectAccessible(ada.page);
  // A phone that is turned: the button moves to "More", what it opened stays as it is.
  const size = ada.page.viewportSize() ?? { width: 1280, height: 720 };
  await dialog.getByRole("textbox", { name: "Your name" }).fill("Ada of the sea");
  for (const viewport of [{ width: 390, height: 844 }, { width: 844, height: 390 }, size]) {
    await ada.page.setViewportSize(viewport);
    await expect(ada.page.locator("[data-more]")).toBeInViewport();
    await expect(dialog.getByRole("textbox", { name: "Your name" })).toHaveValue("Ada of the sea");
  }
  await hands.getByRole("button", { name: "Lower the hand of Ben" }).click();
  for (const one of [ada, ben, cleo])
    await expect(
      one.page.getByRole("group", { name: /^Participant Cleo/ }).getByRole("img", { name: "Hand raised, number 2" }),
    ).toBeVisible();
  await expect(ben.page.getByRole("button", { name: "Raise hand" })).toHaveAttribute("aria-pressed", "false");

  await dialog.getByRole("listitem", { name: "Ben", exact: true }).getByRole("button", { name: "Ask to mute" }).click();
  await expect(dialog.getByText("They decide: nobody is muted by force.")).toBeVisible();
  await expect(ben.page.getByText("Ada, a host, asks you to mute your microphone.")).toBeVisible();
  await expect(ben.page.getByRole("button", { name: "Microphone" })).toHaveAttribute("aria-pressed", "true");
  await ben.page.getByRole("button", { name: "Mute", exact: true }).click();
  await expect(ben.page.getByRole("button", { name: "Microphone" })).toHaveAttribute("aria-pressed", "false");
  await expect(tile(ada, "Ben").getByRole("img", { name: "Microphone off" })).toBeVisible();

  // Closed where its button is none any more, it gives the focus to "More".
  await ada.page.setViewportSize({ width: 390, height: 844 });
  await expect(ada.page.getByRole("button", { name: "People" })).toBeHidden();
  await ada.page.keyboard.press("Escape");
  await expect(ada.page.locator("[data-more]")).toBeFocused();
  await ada.page.keyboard.press("Enter");
  await ada.page.getByRole("button", { name: "Reactions" }).click();
  await ada.page.setViewportSize(size);
  await ada.page.getByRole("button", { name: "Applause" }).click();
  await expect(tile(ben, "Ada").getByRole("img", { name: "Applause" })).toBeVisible();
});
