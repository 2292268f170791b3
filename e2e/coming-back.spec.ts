import { SHOWN } from "./stage/expect.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

test.setTimeout(180_000);

test("who loads the page again in a call is back by themselves, and who left or was sent away with one click, each muted as before", async ({
  server,
  person,
}) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  await ben.open(await ada.startCall(server.url));
  const shows = (what: string) =>
    expect(ben.tile("Ada").getByRole("img", { name: what }), `${what}, as Ben sees it`).toBeVisible(SHOWN);
  const isInCall = () => expect(ada.page.getByRole("button", { name: "Leave call" })).toBeVisible(SHOWN);
  await toggle(ada, "Microphone").click();
  await shows("Microphone off");

  await ada.page.reload();
  await isInCall();
  await expect(toggle(ada, "Microphone")).toHaveAttribute("aria-pressed", "false");
  await expect(toggle(ada, "Camera")).toHaveAttribute("aria-pressed", "true", SHOWN);
  await shows("Microphone off");
  await toggle(ada, "Camera").click();
  await shows("Camera off");

  await ada.page.getByRole("button", { name: "Leave call" }).click();
  await ada.page.getByRole("button", { name: "Rejoin" }).click();
  await isInCall();
  for (const name of ["Microphone", "Camera"]) {
    await expect(toggle(ada, name)).toHaveAttribute("aria-pressed", "false");
    await shows(`${name} off`);
    await expect(ada.tile("Ada (you)").getByRole("img", { name: `${name} off` })).toBeVisible();
  }
  await toggle(ada, "Camera").click();
  await ben.seesMoving("Ada");

  await ada.page.getByRole("button", { name: "Leave call" }).click();
  await expect(ada.page.getByText("You left the call")).toBeVisible();
  await ada.page.reload();
  await expect(
    ada.page.getByRole("heading", { level: 1 }),
    "who has left does not come back by a reload",
  ).toBeVisible();
  await expect(ada.page.getByRole("button", { name: "Leave call" })).toHaveCount(0);
  await expect(ben.tile("Ada")).toHaveCount(0);
});

test("what had the focus and goes away leaves it near: notices, sound, the dashboard that Escape closes", async ({
  server,
  person,
}) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  const link = await ada.startCall(server.url);
  await ada.press("People");
  await ada.page.getByRole("radio", { name: "People you approve" }).click();
  await expect(ada.page.getByRole("status", { name: "Who can join" })).toHaveText("approval needed", SHOWN);
  await ada.page.keyboard.press("Escape");
  await ben.page.goto(link);
  await ben.page.getByRole("textbox", { name: "Your name" }).fill("Ben");
  await ben.page.getByRole("button", { name: "Join now" }).click();
  await ada.page.getByRole("button", { name: "Let in" }).focus();
  await ada.page.keyboard.press("Enter");
  await expect(ada.tile("Ben")).toBeVisible(SHOWN);
  expect(await focused(ada), "after what was answered").not.toBe("BODY");
  await ada.page.keyboard.press("Tab");
  expect(await focused(ada)).toBe("BUTTON");

  await ada.press("Dashboard");
  const dashboard = ada.page.getByRole("complementary", { name: "Dashboard" });
  await expect(dashboard.getByRole("heading", { name: "Dashboard" })).toBeFocused();
  await ada.page.keyboard.press("Escape");
  await expect(dashboard).toHaveCount(0);
  await expect(ada.page.getByRole("button", { name: "More", exact: true })).toBeFocused();
});

function toggle({ page }: ChromiumPerson, name: string) {
  return page.getByRole("button", { name, exact: true });
}

function focused({ page }: ChromiumPerson): Promise<string | undefined> {
  return page.evaluate(() => document.activeElement?.tagName);
}
