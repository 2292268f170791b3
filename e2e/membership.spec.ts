import type { Person } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

test("the creator removes somebody: gone within seconds, and their link admits nobody any more", async ({
  server,
  person,
}) => {
  const [ada, ben, cleo] = [await person("Ada"), await person("Ben"), await person("Cleo")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await cleo.open(link);
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada"), cleo.seesMoving("Ada"), ben.seesMoving("Cleo")]);

  await ben.page.getByRole("button", { name: "People" }).click();
  await expect(ben.page.getByRole("button", { name: "Remove from call" })).toHaveCount(0);
  await ben.page.getByRole("button", { name: "Close" }).click();

  await ada.page.getByRole("button", { name: "People" }).click();
  const entry = ada.page.getByRole("dialog").getByRole("listitem", { name: "Ben", exact: true });
  await entry.getByRole("button", { name: "Remove from call" }).click();
  await entry.getByRole("button", { name: "Remove Ben" }).click();
  await expect(ben.page.getByText("You were removed from the call")).toBeVisible({ timeout: 5_000 });
  await ada.page.getByRole("button", { name: "Close" }).click();
  await expect(cleo.tile("Ben")).toHaveCount(0);
  await Promise.all([ada.seesMoving("Cleo"), cleo.seesMoving("Ada")]);

  const dan = await person("Dan", { context: { permissions: ["clipboard-read", "clipboard-write"] } });
  await cleo.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await cleo.page.bringToFront();
  await cleo.page.getByRole("button", { name: "Copy invite link" }).click();
  const fresh = await cleo.page.evaluate(() => navigator.clipboard.readText());
  expect(fresh).not.toBe(link);
  await dan.open(fresh);
  await Promise.all([dan.seesMoving("Ada"), ada.seesMoving("Dan")]);

  const eve = await person("Eve");
  await eve.page.goto(link);
  await eve.page.getByRole("textbox", { name: "Your name" }).fill("Eve");
  await eve.page.getByRole("button", { name: "Join now" }).click();
  await expect(eve.page.getByText("Nobody let you in")).toBeVisible({ timeout: 40_000 });
  await expect(ada.tile("Eve")).toHaveCount(0);
});

test("a waiting room: the creator sees who knocks, lets one in and turns another away", async ({ server, person }) => {
  const [ada, ben, cleo, dan] = [await person("Ada"), await person("Ben"), await person("Cleo"), await person("Dan")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await ada.seesMoving("Ben");
  await mode(ada, "Only whom you let in");

  for (const one of [cleo, dan]) {
    await one.page.goto(link);
    await one.page.getByRole("textbox", { name: "Your name" }).fill(one.name);
    await one.page.getByRole("button", { name: "Join now" }).click();
    await expect(one.page.getByText("has been told that you are here")).toBeVisible();
  }
  await expect(ben.page.getByText("would like to come in")).toHaveCount(0);
  const knock = (name: string) => ada.page.getByRole("paragraph").filter({ hasText: `${name} would like to come in` });
  await knock("Dan").getByRole("button", { name: "Turn away" }).click();
  await expect(dan.page.getByText("You were not let in")).toBeVisible();
  await knock("Cleo").getByRole("button", { name: "Let in" }).click();
  await Promise.all([cleo.seesMoving("Ada"), ben.seesMoving("Cleo")]);
});

test("a locked call lets nobody in", async ({ server, person }) => {
  const [ada, eve] = [await person("Ada"), await person("Eve")];
  const link = await ada.startCall(server.url);
  await mode(ada, "Nobody");
  await eve.page.goto(link);
  await eve.page.getByRole("textbox", { name: "Your name" }).fill("Eve");
  await eve.page.getByRole("button", { name: "Join now" }).click();
  await expect(eve.page.getByText("You were not let in")).toBeVisible();
  await expect(ada.tile("Eve")).toHaveCount(0);
});

async function mode(person: Person, what: string): Promise<void> {
  await person.page.getByRole("button", { name: "People" }).click();
  const radio = person.page.getByRole("radio", { name: what });
  await radio.click();
  await expect(radio).toBeChecked();
  await person.page.getByRole("button", { name: "Close" }).click();
}
