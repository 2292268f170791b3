import type { Page } from "@playwright/test";
import { expectAccessible, STILL } from "./stage/accessible.ts";
import { drawnCamera, hold, qrCode } from "./stage/drawn-camera.ts";
import { expect, test } from "./stage/test.ts";
import { PASSPHRASE, picture, sound, VaultPage } from "./stage/vault.ts";

test("home, lobby and call have no accessibility fault in either theme", { tag: "@journey" }, async ({
  server,
  person,
}) => {
  const ada = await person("Ada", { context: STILL });
  await ada.page.goto(server.url);
  await expect(ada.page.getByRole("button", { name: "Start a call" })).toBeVisible();
  await expectAccessible(ada.page);
  await ada.page.getByRole("button", { name: "Start a call" }).click();
  await expect(ada.page.getByRole("combobox", { name: "Camera" })).toBeVisible();
  await expectAccessible(ada.page);
  await ada.join();
  await expectAccessible(ada.page);
});

test("people, safety code and scan have no accessibility fault in either theme", async ({ server, person }) => {
  const [ada, ben] = [await person("Ada", { context: STILL, before: drawnCamera }), await person("Ben")];
  await ben.open(await ada.startCall(server.url));
  await ada.page.getByRole("button", { name: "People" }).click();
  const entry = ada.page.getByRole("listitem", { name: "Ben", exact: true });
  await expect(entry.getByRole("img", { name: "QR code" })).toBeVisible({ timeout: 30_000 });
  await expectAccessible(ada.page);
  await entry.getByRole("button", { name: "Remove from call" }).click();
  await expectAccessible(ada.page);
  await entry.getByRole("button", { name: "Cancel" }).click();
  const digits = ((await entry.getByRole("definition").textContent()) ?? "").replaceAll(" ", "");
  await entry.getByRole("button", { name: "Scan their code" }).click();
  await expect(entry.getByRole("status")).toContainText("Point your camera");
  await expectAccessible(ada.page);
  await hold(ada, qrCode(`SEALCAST:1:${digits.replace(/./g, "0")}`));
  await expect(entry.getByRole("alert")).toContainText("The codes are different.");
  await expectAccessible(ada.page);
  await hold(ada, qrCode(`SEALCAST:1:${digits}`));
  await entry.getByRole("button", { name: "Scan again" }).click();
  await expect(entry.getByRole("alert")).toContainText("The codes are the same.");
  await expectAccessible(ada.page);
});

test("the dialogs of a call, its dashboard and the page after it have no accessibility fault in either theme", async ({
  server,
  person,
}) => {
  test.slow();
  const [ada, ben] = [await person("Ada", { context: STILL }), await person("Ben")];
  const link = await ada.startCall(server.url);
  for (const name of ["Devices", "Keyboard shortcuts", "Encryption details"]) {
    await ada.press(name);
    await expect(ada.page.getByRole("dialog")).toBeVisible();
    await expectAccessible(ada.page);
    await ada.page.keyboard.press("Escape");
  }
  await ada.press("People");
  await ada.page.getByRole("radio", { name: "People you approve" }).click();
  await expect(ada.page.getByRole("status", { name: "Who can join" })).toHaveText("approval needed");
  await ada.page.keyboard.press("Escape");
  await ben.page.goto(link);
  await ben.page.getByRole("textbox", { name: "Your name" }).fill("Ben");
  await ben.page.getByRole("button", { name: "Join now" }).click();
  await expect(ada.page.getByRole("button", { name: "Let in" })).toBeVisible();
  await expectAccessible(ada.page);
  await ada.page.getByRole("button", { name: "Let in" }).click();
  await expect(ben.page.getByRole("button", { name: "Leave call" })).toBeVisible();
  for (const name of ["Microphone", "Camera"]) await ben.page.getByRole("button", { name, exact: true }).click();
  await expect(ada.tile("Ben").getByRole("img", { name: "Camera off" })).toBeVisible();
  await ada.page.getByRole("button", { name: "Encryption details" }).click();
  await expectAccessible(ada.page);
  await ada.page.keyboard.press("Escape");
  await ada.press("Dashboard");
  await expect(ada.page.getByRole("complementary", { name: "Dashboard" }).getByRole("table").first()).toBeVisible();
  await expectAccessible(ada.page);
  await ada.page.keyboard.press("Escape");
  await ada.page.getByRole("button", { name: "Leave call" }).click();
  await expect(ada.page.getByText("You left the call")).toBeVisible();
  await expectAccessible(ada.page);
});

test("a live stream has no accessibility fault at either end in either theme", async ({ server, person }) => {
  test.slow();
  const [host, viewer] = [await person("Host", { context: STILL }), await person("Viewer", { context: STILL })];
  await host.page.goto(server.url);
  await host.page.getByRole("button", { name: "Go live" }).click();
  await expect(host.page.getByRole("heading", { name: "Ready to go live?" })).toBeVisible();
  const link = await host.viewersLink();
  await expectAccessible(host.page);
  await viewer.page.goto(link);
  await expect(viewer.page.getByRole("heading", { name: "The stream has not started" })).toBeVisible();
  await expectAccessible(viewer.page);
  await host.start();
  await viewer.seesMoving("the stream");
  await expectAccessible(viewer.page);
  await viewer.page.getByRole("button", { name: "Turn sound on" }).click();
  await viewer.page.getByRole("button", { name: "Ask" }).click();
  await viewer.page.getByRole("textbox", { name: "Your question" }).fill("Why?");
  await viewer.page.getByRole("button", { name: "Send question" }).click();
  await expectAccessible(viewer.page);
  await viewer.page.getByRole("button", { name: "Close" }).click();
  await host.page.getByRole("button", { name: "Show QR code" }).click();
  await host.page.getByRole("listitem", { name: "Viewer 1" }).getByRole("button", { name: "Remove" }).click();
  await expect(host.page.getByRole("region", { name: "Questions" })).toContainText("Why?");
  await host.page.getByRole("button", { name: "Answer the question of viewer 1" }).click();
  await host.page.getByRole("textbox", { name: "Your answer to viewer 1" }).fill("So.");
  await expectAccessible(host.page);
  await host.page.getByRole("button", { name: "Show to all viewers" }).click();
  await expect(viewer.page.getByRole("log")).toContainText("So.");
  await expectAccessible(viewer.page);
  await host.page.getByRole("button", { name: "End stream" }).click();
  await expectAccessible(host.page);
});

test("the vault has no accessibility fault in either theme", async ({ server, person, expectedErrors }) => {
  // What a player asked for in the moment in which it was closed is gone.
  expectedErrors.push(/status of 404/);
  const ada = await person("Ada", { context: STILL });
  const vault = new VaultPage(ada);
  await ada.page.goto(`${server.url}/vault`);
  await expect(vault.heading("Set up your vault")).toBeVisible();
  await expectAccessible(ada.page);
  await vault.choose(PASSPHRASE);
  await expect(vault.heading("Keep your recovery key")).toBeVisible();
  await expectAccessible(ada.page);
  const key = await vault.keepKey();
  await vault.tryOut(key, "not the passphrase");
  await expect(ada.page.getByRole("alert")).toContainText("do not belong together");
  await expectAccessible(ada.page);
  await vault.tryOut(key, PASSPHRASE);
  const text = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("hello") };
  await vault.choosing(picture("Holiday.jpg"), sound("Reading.wav"), text);
  await expect(ada.page.getByRole("button", { name: "Dismiss" })).toBeVisible();
  await expectAccessible(ada.page);
  await vault.entry("Reading").getByRole("button", { name: "Rename" }).click();
  await expectAccessible(ada.page);
  for (const [title, name] of [
    ["Reading", "Play"],
    ["Holiday", "Play"],
    ["Holiday", "Share"],
    ["Holiday", "Export"],
    ["Holiday", "Delete"],
  ] as const) {
    await vault.entry(title).getByRole("button", { name }).click();
    await expectAccessible(ada.page);
    await vault.close();
  }
  await vault.button("Your recipient").click();
  await expectAccessible(ada.page);
  await vault.close();
  await vault.button("Lock").click();
  await vault.unlock("not the passphrase");
  await expect(ada.page.getByRole("alert")).toContainText("does not open this vault");
  await expectAccessible(ada.page);
});

test("a call can be joined and left with the keyboard alone", { tag: "@journey" }, async ({ server, person }) => {
  const ada = await person("Ada");
  await ada.page.goto(server.url);
  await press(ada.page, "button", "Start a call");
  await expect(ada.page.getByRole("button", { name: "Join now" })).toBeEnabled();
  await focus(ada.page, "textbox", "Your name");
  await ada.page.keyboard.type("Ada");
  await ada.page.keyboard.press("Enter");
  await expect(ada.page.getByRole("button", { name: "Leave call" })).toBeVisible();
  await press(ada.page, "button", "Microphone");
  await expect(ada.page.getByRole("button", { name: "Microphone" })).toHaveAttribute("aria-pressed", "false");
  await press(ada.page, "button", "Leave call");
  await expect(ada.page.getByRole("button", { name: "Leave call" })).toHaveCount(0);
});

/** Moves the focus there with Tab, as a person would; fails when it cannot be reached. */
async function focus(page: Page, role: "button" | "textbox", name: string): Promise<void> {
  const target = page.getByRole(role, { name });
  await expect(target).toBeVisible();
  for (let presses = 0; presses < 40; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never reaches ${name}.`);
}

async function press(page: Page, role: "button", name: string): Promise<void> {
  await focus(page, role, name);
  await page.keyboard.press("Enter");
}
