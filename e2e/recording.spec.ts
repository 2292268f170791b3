import type { Locator, Page } from "@playwright/test";
import { expectAccessible, STILL } from "./stage/accessible.ts";
import { keepStatements, repeatStatement } from "./stage/changed-client.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";
import { PASSPHRASE, playNewest, VaultPage } from "./stage/vault.ts";

test.setTimeout(300_000);
/** A page tells others of a change at once; a dialog opens slowly on a machine that runs several browsers. */
const SHOWN = { timeout: 20_000 };

test("everybody is asked; who says yes is in the recording, who says no or takes their yes back is not", {
  tag: "@journey",
}, async ({ server, person }) => {
  const [ada, ben, cleo] = [await person("Ada", { context: STILL }), await person("Ben"), await person("Cleo")];
  await VaultPage.setUp(ada, server.url);
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  await ada.press("Record");
  await expect(own(ada)).toContainText("Only you are in it. Left out: Ben.", SHOWN);
  await expect(ada.tile("Ada (you)").getByRole("img", { name: "Recording" })).toBeVisible();

  // The answer that is nearest is none.
  await expect(asked(ben)).toContainText("Ada wants to record this call.", SHOWN);
  await expect(ben.page.getByRole("button", { name: "Close" })).toBeFocused();
  await expectAccessible(ben.page);
  await asked(ben).getByRole("button", { name: "Allow Ada to record you" }).click();
  await expect(asked(ben)).toHaveCount(0);
  await expect(own(ada)).toContainText("In it: you, Ben.", SHOWN);

  // Who comes later is asked too.
  await cleo.open(link);
  await expect(asked(cleo)).toContainText("Ada wants to record this call.", SHOWN);
  await expect(own(ada)).toContainText("In it: you, Ben. Left out: Cleo.", SHOWN);
  await asked(cleo).getByRole("button", { name: "Leave me out of what Ada records" }).click();
  await expect(banner(ben)).toContainText("Ada is recording. You are in the recording.");
  await expect(banner(cleo)).toContainText("Ada is recording. You are left out.");
  for (const other of [ben, cleo]) {
    await expect(other.tile("Ada").getByRole("img", { name: "Recording" })).toBeVisible();
    await expect(other.badge).toHaveText("encrypted", SHOWN);
  }
  await inPeople(ben, "Ada", "is recording");
  await inPeople(ada, "Ben", "in your recording");
  await inPeople(ada, "Cleo", "left out of your recording");
  await expectAccessible(ada.page);

  await control(ada, "Pause recording").click();
  for (const other of [ben, cleo]) await expect(banner(other)).toContainText("Ada has paused recording.", SHOWN);
  await control(ada, "Resume recording").click();
  for (const other of [ben, cleo]) await expect(banner(other)).toContainText("Ada is recording.", SHOWN);

  await control(ben, "Leave me out of what Ada records").click();
  await expect(banner(ben)).toContainText("You are left out.");
  await expect(own(ada)).toContainText("Only you are in it.", SHOWN);

  await control(ada, "Stop recording").click();
  for (const other of [ben, cleo]) {
    await expect(banner(other)).toHaveCount(0, SHOWN);
    await expect(other.tile("Ada").getByRole("img", { name: "Recording" })).toHaveCount(0);
  }
  await expect(own(ada)).toContainText("The recording is saved in your vault.", SHOWN);

  // What was recorded plays from the vault, and is signed.
  const { library, entry } = await playNewest(ada, server.url);
  await expect(entry).toContainText("Signed by you");
  await library.close();

  // A no stays one, and opens no other dialog.
  await ada.press("Record");
  await expect(banner(cleo)).toContainText("Ada is recording. You are left out.", SHOWN);
  await expect(banner(ben)).toContainText("Ada is recording. You are left out.", SHOWN);
  for (const other of [ben, cleo]) await expect(asked(other)).toHaveCount(0);

  // A person who records and closes the page records no more.
  await ada.page.close();
  for (const other of [ben, cleo]) await expect(banner(other)).toHaveCount(0, SHOWN);
});

test("a member that asks again and again under other ids gets one dialog, is in no recording by made-up answers, and is cut off", async ({
  server,
  person,
}) => {
  const [ada, eve] = [await person("Ada"), await person("Eve", { before: keepStatements })];
  const ben = await person("Ben");
  await VaultPage.setUp(ada, server.url);
  const link = await ada.startCall(server.url);
  await eve.open(link);
  await ben.open(link);
  await Promise.all([ada.seesMoving("Ben"), ada.seesMoving("Eve"), eve.seesMoving("Ada")]);
  await repeatStatement(eve, { times: 4, recording: true });
  await expect(asked(ada)).toContainText("Eve wants to record this call.", SHOWN);
  await asked(ada).getByRole("button", { name: "Leave me out of what Eve records" }).click();
  await repeatStatement(eve, { times: 4, recording: true });
  await expect(banner(ada)).toContainText("You are left out.");
  await expect(asked(ada)).toHaveCount(0);

  await ada.press("Record");
  await expect(own(ada)).toContainText("Only you are in it. Left out:", SHOWN);
  await repeatStatement(eve, { times: 2, recording: false });
  await expect(own(ada)).toContainText("Only you are in it. Left out:");

  await repeatStatement(eve, { times: 200, recording: true });
  await expect(ada.page.getByText("The connection to Eve was closed: their app sends too much.")).toBeVisible(SHOWN);
  await expect(banner(ada)).toHaveCount(0);
  await ada.seesMoving("Ben");
});

test("a stream's viewers see that the host records, and record themselves only where the host lets them", async ({
  server,
  person,
}) => {
  const [host, vera] = [await person("Host", { context: STILL }), await person("Vera", { context: STILL })];
  for (const one of [host, vera]) await VaultPage.setUp(one, server.url);
  await vera.page.goto(await host.goLive(server.url));
  await vera.seesMoving("the stream");
  await host.press("Record");
  await expect(vera.page.getByText("The host is recording.")).toBeVisible(SHOWN);
  await expectAccessible(host.page);
  await expectAccessible(vera.page);
  await control(host, "Stop recording").click();
  await expect(vera.page.getByText("The host is recording.")).toHaveCount(0, SHOWN);

  await expect(control(vera, "Record")).toHaveCount(0);
  await host.page.getByText("Devices and quality").click();
  await host.page.getByRole("checkbox", { name: "Let viewers record" }).check();
  await control(vera, "Record").click(SHOWN);
  await expect(own(vera)).toContainText("The host sees that you record.", SHOWN);
  await expect(host.page.getByRole("listitem", { name: "Viewer 1" })).toContainText("recording", SHOWN);
  await expectAccessible(vera.page);
  await host.page.getByRole("checkbox", { name: "Let viewers record" }).uncheck();
  await expect(control(vera, "Stop recording")).toHaveCount(0, SHOWN);
  await expect(control(vera, "Record")).toHaveCount(0);
  await expect(vera.page.getByText("The host no longer allows recording.")).toBeVisible(SHOWN);
});

test("with the keyboard alone a call is recorded, and the recording found and played", async ({ server, person }) => {
  const ada = await person("Ada", { context: STILL });
  await VaultPage.setUp(ada, server.url);
  await ada.page.goto(server.url);
  await press(ada.page, ada.page.getByRole("button", { name: "Start a call" }));
  const name = ada.page.getByRole("textbox", { name: "Your name" });
  await expect(name).toBeVisible();
  await tabTo(ada.page, name);
  await ada.page.keyboard.type("Ada");
  await ada.page.keyboard.press("Enter");
  await press(ada.page, control(ada, "More"));
  await press(ada.page, control(ada, "Record"));
  await expect(own(ada)).toContainText(/0:(0[3-9]|[1-5]\d)/, SHOWN);
  await press(ada.page, control(ada, "Stop recording"));
  await expect(own(ada)).toContainText("The recording is saved in your vault.", SHOWN);
  const opened = ada.context.waitForEvent("page");
  await press(ada.page, own(ada).getByRole("link", { name: "Open the vault" }));

  const library = await opened;
  await expect(library.getByLabel("Passphrase")).toBeFocused();
  await library.keyboard.type(PASSPHRASE);
  await library.keyboard.press("Enter");
  const entry = library.getByRole("list", { name: "Recordings" }).getByRole("listitem").first();
  await expect(entry).toContainText("Ada");
  await expectAccessible(library);
  const play = entry.getByRole("button", { name: "Play" });
  await press(library, play);
  const video = library.getByLabel("Recording", { exact: true });
  const time = () => video.evaluate(({ currentTime }: HTMLVideoElement) => currentTime);
  await expect.poll(time).toBeGreaterThan(0.5);
  await expectAccessible(library);
  await tabTo(library, video);
  await library.keyboard.press("Space");
  await expect.poll(() => video.evaluate(({ paused }: HTMLVideoElement) => paused)).toBe(true);
  await library.keyboard.press("Escape");
  await expect(play).toBeFocused();
});

/** Goes there by Tab, as who has no pointer does. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible(SHOWN);
  for (let presses = 0; presses < 40; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error("Tab never reaches it.");
}

async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press("Enter");
}

function control({ page }: ChromiumPerson, name: string): Locator {
  return page.getByRole("button", { name, exact: true });
}

/** What a page says of its own recording. */
function own({ page }: ChromiumPerson): Locator {
  return page.getByRole("group", { name: "Your recording" });
}

/** What a page says of others' recordings. */
function banner({ page }: ChromiumPerson): Locator {
  return page.getByRole("status").locator("[data-recording]");
}

function asked({ page }: ChromiumPerson): Locator {
  return page.getByRole("dialog", { name: "May you be recorded?" });
}

/** What the list of people says of one of them. */
async function inPeople({ page }: ChromiumPerson, name: string, words: string): Promise<void> {
  await page.getByRole("button", { name: "People" }).click();
  await expect(page.getByRole("listitem", { name, exact: true })).toContainText(words, SHOWN);
  await page.getByRole("button", { name: "Close" }).click();
}
