import type { Person } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

test("two people see the same safety code; who marks the other as verified knows them again after a reload", async ({
  server,
  person,
}) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await ada.seesMoving("Ben");
  const [seenByAda, seenByBen] = await Promise.all([code(ada, "Ben"), code(ben, "Ada")]);
  expect(seenByAda.digits).toMatch(/^(\d{5} ){5}\d{5}$/);
  expect(seenByAda).toEqual(seenByBen);

  await expect(ada.badge).toHaveText("encrypted");
  await ada.page.getByRole("button", { name: "Mark as verified" }).click();
  await expect(entry(ada, "Ben")).toContainText("verified");
  await ada.page.getByRole("button", { name: "Close" }).click();
  await expect(ada.badge).toHaveText("verified");
  await expect(ada.tile("Ben").getByRole("img", { name: "Verified" })).toBeVisible();
  await expect(ben.badge).toHaveText("encrypted");

  await ada.page.reload();
  await ada.join();
  await ada.seesMoving("Ben");
  await expect(ada.badge).toHaveText("verified");
});

test("somebody else under a verified person's name is an alarm, and has another code", async ({ server, person }) => {
  const [ada, ben, eve] = [await person("Ada"), await person("Ben"), await person("Ben")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  const known = await code(ada, "Ben");
  await ada.page.getByRole("button", { name: "Mark as verified" }).click();
  await ada.page.getByRole("button", { name: "Close" }).click();
  await ben.page.getByRole("button", { name: "Leave call" }).click();
  await expect(ada.tile("Ben")).toHaveCount(0);

  await eve.open(link);
  await expect(
    ada.page.getByRole("alert").filter({ hasText: "This is not the key of the Ben whom you verified" }),
  ).toBeVisible();
  await expect(ada.badge).toHaveText("encrypted");
  const strange = await code(ada, "Ben");
  expect(strange.digits).not.toBe(known.digits);
  expect(strange).toEqual(await code(eve, "Ada"));
});

function entry(person: Person, of: string) {
  return person.page.getByRole("dialog", { name: "People" }).getByRole("listitem", { name: of, exact: true });
}

/** Opens the people panel and reads the code with somebody. */
async function code(person: Person, of: string): Promise<{ digits: string; pictures: string }> {
  await person.page.getByRole("button", { name: "People" }).click();
  const digits = entry(person, of).getByRole("definition");
  await expect(digits).toBeVisible({ timeout: 30_000 });
  const pictures = entry(person, of).getByRole("list", { name: "The safety code in pictures" });
  return { digits: (await digits.textContent()) ?? "", pictures: (await pictures.textContent()) ?? "" };
}
