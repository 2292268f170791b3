import { apart } from "./stage/browser.ts";
import type { Person } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

/** Who says goodbye is gone long before they count as vanished, also on a machine that is busy with other things. */
const GOODBYE = { timeout: 6_000 };
/** After ten heartbeats that did not come, and a commit. */
const VANISHED = { timeout: 40_000 };

test("who closes their tab or goes to another page is gone from everybody's screen at once, and nothing turns red", async ({
  server,
  person,
}) => {
  const [ada, ben, cleo, dora] = [await person("Ada"), await person("Ben"), await person("Cleo"), await person("Dora")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  for (const one of [ada, ben]) await one.recordBadge();
  const goes = async (guest: Person, go: () => Promise<unknown>) => {
    await guest.open(link);
    await Promise.all([ada.seesMoving(guest.name), ben.seesMoving(guest.name)]);
    await go();
    await Promise.all([ada, ben].map((one) => expect(one.tile(guest.name)).toHaveCount(0, GOODBYE)));
  };
  await goes(cleo, () => cleo.page.close());
  await goes(dora, () => dora.page.goto("about:blank"));
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  for (const one of [ada, ben]) expect(await one.badges(), one.name).toEqual(["encrypted"]);
});

for (const [what, signal] of [
  ["browser dies", "SIGKILL"],
  ["cable is cut", "SIGSTOP"],
] as const)
  test(`whose ${what} is gone, with no stale picture until then, and nothing turns red`, async ({ server, person }) => {
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
    await expect(ada.tile("Cleo").getByText(/No signal|Reconnecting…/)).toBeVisible(VANISHED);
    await expect(ada.video("Cleo"), "what it shows is not what is now").toBeHidden();
    for (const one of [ada, ben]) await expect(one.tile("Cleo")).toHaveCount(0, VANISHED);
    await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
    for (const one of [ada, ben]) expect(await one.badges(), one.name).toEqual(["encrypted"]);
    cleos.signal("SIGKILL");
    await expect.poll(() => cleo.page.isClosed()).toBe(true);
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
  await expect(ada.tile("Ben").getByText("Away")).toBeVisible(GOODBYE);
  await expect(ada.badge).toHaveText("no media");
  await ben.join();
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  await expect(ada.tile("Ben").getByText("Away")).toHaveCount(0);
});

test("alone, and when the other has gone, no media is what the badge says", { tag: "@journey" }, async ({
  server,
  person,
}) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  const link = await ada.startCall(server.url);
  await expect(ada.badge).toHaveText("no media");
  await ben.open(link);
  await ada.seesMoving("Ben");
  await expect(ada.badge).toHaveText("encrypted");
  await ben.page.close();
  await expect(ada.badge).toHaveText("no media", { timeout: 5_000 });
});
