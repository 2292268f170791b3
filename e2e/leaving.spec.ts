import { apart } from "./stage/browser.ts";
import type { Person } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

/** Whose page goes is gone from the others' screens within this; who vanishes without a word, within that. */
const GOODBYE_MS = 2_000;
const VANISHED_MS = 15_000;

for (const [how, go] of [
  ["closes their tab", ({ page }: Person) => page.close()],
  ["goes to another page", async ({ page }: Person) => void (await page.goto("about:blank"))],
] as const)
  test(`who ${how} is gone from everybody's screen within 2 s, and nothing turns red`, async ({ server, person }) => {
    const [ada, ben, cleo] = [await person("Ada"), await person("Ben"), await person("Cleo")];
    const link = await ada.startCall(server.url);
    await ben.open(link);
    await cleo.open(link);
    await Promise.all([ada.seesMoving("Cleo"), ben.seesMoving("Cleo"), ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
    for (const one of [ada, ben]) await one.recordBadge();
    await go(cleo);
    await Promise.all([ada, ben].map((one) => expect(one.tile("Cleo")).toHaveCount(0, { timeout: GOODBYE_MS })));
    await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
    for (const one of [ada, ben]) expect(await one.badges(), one.name).toEqual(["encrypted"]);
  });

for (const [what, signal] of [
  ["browser dies", "SIGKILL"],
  ["cable is cut", "SIGSTOP"],
] as const)
  test(`whose ${what} is gone within 15 s, with no stale picture until then, and nothing turns red`, async ({
    server,
    person,
  }) => {
    test.slow();
    const [ada, ben] = [await person("Ada"), await person("Ben")];
    const cleos = await apart();
    const cleo = await person("Cleo", { browser: cleos.browser });
    const link = await ada.startCall(server.url);
    await ben.open(link);
    await cleo.context.grantPermissions(["camera", "microphone"]);
    await cleo.open(link);
    await Promise.all([ada.seesMoving("Cleo"), ben.seesMoving("Cleo"), ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
    for (const one of [ada, ben]) await one.recordBadge();
    cleos.signal(signal);
    const began = Date.now();
    await expect(ada.tile("Cleo").getByText(/No signal|Reconnecting…/)).toBeVisible({ timeout: 8_000 });
    await expect(ada.video("Cleo"), "what it shows is not what is now").toBeHidden();
    for (const one of [ada, ben])
      await expect(one.tile("Cleo")).toHaveCount(0, { timeout: VANISHED_MS - (Date.now() - began) });
    await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
    for (const one of [ada, ben]) expect(await one.badges(), one.name).toEqual(["encrypted"]);
    cleos.signal("SIGKILL");
  });

test("in a locked call the place of who loads their page again is kept: away, and then back", async ({
  server,
  person,
}) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  await ben.open(await ada.startCall(server.url));
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  await ada.page.getByRole("button", { name: "People" }).click();
  const locked = ada.page.getByRole("radio", { name: "No one (locked)" });
  await locked.click();
  await expect(locked).toBeChecked();
  await ada.page.getByRole("button", { name: "Close" }).click();
  await ben.page.reload();
  await expect(ada.tile("Ben").getByText("Away")).toBeVisible({ timeout: GOODBYE_MS });
  await expect(ada.badge).toHaveText("no media");
  await ben.join();
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  await expect(ada.tile("Ben").getByText("Away")).toHaveCount(0);
});

test("alone, and when the other has gone, no media is what the badge says", async ({ server, person }) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  const link = await ada.startCall(server.url);
  await expect(ada.badge).toHaveText("no media");
  await ben.open(link);
  await ada.seesMoving("Ben");
  await expect(ada.badge).toHaveText("encrypted");
  await ben.page.close();
  await expect(ada.badge).toHaveText("no media", { timeout: 5_000 });
});
