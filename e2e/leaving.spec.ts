import { apart } from "./stage/browser.ts";
import { expect, test } from "./stage/test.ts";

/** Who says goodbye is gone long before they count as vanished, also on a machine that is busy with other things. */
const GOODBYE = { timeout: 6_000 };
/** After ten heartbeats that did not come, and a commit. */
const VANISHED = { timeout: 40_000 };

test("who goes to another page or closes their tab is gone from everybody's screen at once, and nothing turns red", async ({
  server,
  person,
}) => {
  const [ada, ben, cleo] = [await person("Ada"), await person("Ben"), await person("Cleo")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  for (const one of [ada, ben]) await one.recordBadge();
  for (const go of [() => cleo.page.goto("about:blank"), () => cleo.page.close()]) {
    await cleo.open(link);
    await Promise.all([ada.seesMoving("Cleo"), ben.seesMoving("Cleo")]);
    await go();
    await Promise.all([ada, ben].map((one) => expect(one.tile("Cleo")).toHaveCount(0, GOODBYE)));
  }
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  for (const one of [ada, ben]) expect(await one.badges(), one.name).toEqual(["encrypted"]);
});

test("whose browser dies or whose cable is cut is gone, with no stale picture until then, and nothing turns red", async ({
  server,
  person,
}) => {
  test.slow();
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  for (const one of [ada, ben]) await one.recordBadge();
  for (const [name, fate] of [
    ["Cleo", "SIGKILL"],
    ["Dora", "SIGSTOP"],
  ] as const) {
    const { browser, signal } = await apart();
    const guest = await person(name, { browser });
    await guest.context.grantPermissions(["camera", "microphone"]);
    await guest.open(link);
    await Promise.all([ada, ben].map((one) => one.seesMoving(name)));
    signal(fate);
    await expect(ada.tile(name).getByText(/No signal|Reconnecting…/)).toBeVisible(VANISHED);
    await expect(ada.video(name), "what it shows is not what is now").toBeHidden();
    for (const one of [ada, ben]) await expect(one.tile(name)).toHaveCount(0, VANISHED);
    signal("SIGKILL");
    await expect.poll(() => guest.page.isClosed()).toBe(true);
  }
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  for (const one of [ada, ben]) expect(await one.badges(), one.name).toEqual(["encrypted"]);
});
