import { chromium } from "@playwright/test";
import { executablePath, flags } from "@sealcast/testbed";
import { expect, test } from "./stage/test.ts";

test("without permission for the camera the page says so and the call goes on", { tag: "@journey" }, async ({
  server,
  person,
}) => {
  const browser = await chromium.launch({ executablePath, args: [...flags, "--use-fake-device-for-media-stream"] });
  const ada = await person("Ada", { browser, context: { permissions: ["microphone"] } });
  const ben = await person("Ben");
  await ada.page.goto(server.url);
  await ada.page.getByRole("button", { name: "Start a call" }).click();
  await expect(ada.page.getByText(/camera.*(blocked|denied|not allowed|permission)/i).first()).toBeVisible();
  await ada.page.waitForURL(/\/call\//);
  const link = ada.page.url();
  await ada.join();
  await ben.open(link);
  await ada.seesMoving("Ben");
  await ben.hears();
  await expect(ben.tile("Ada")).toBeVisible();
  await expect(ben.video("Ada")).toBeHidden();
  await browser.close();
});

test("a person whose network drops for a while is back without a reload", async ({
  server,
  person,
  expectedErrors,
}) => {
  expectedErrors.push(/WebSocket|ERR_INTERNET_DISCONNECTED/);
  const ada = await person("Ada");
  const ben = await person("Ben");
  await ben.open(await ada.startCall(server.url));
  await ada.seesMoving("Ben");
  await ben.context.setOffline(true);
  await expect(ben.page.getByText("Reconnecting to the server. Your call goes on.")).toBeVisible({ timeout: 20_000 });
  await ben.context.setOffline(false);
  await expect(ben.page.getByText("Reconnecting to the server. Your call goes on.")).toBeHidden({ timeout: 20_000 });
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
});
