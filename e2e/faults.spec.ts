import { chromium, type Page } from "@playwright/test";
import { executablePath, flags } from "@sealcast/testbed";
import { expectAccessible, STILL } from "./stage/accessible.ts";
import { apart } from "./stage/browser.ts";
import { SHOWN } from "./stage/expect.ts";
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

test("a camera and a microphone that are lost during a call: each says what to do or comes back, at both ends, without a reload", async ({
  server,
  person,
}) => {
  test.setTimeout(180_000);
  const computer = await apart();
  const ada = await person("Ada", { browser: computer.browser, context: STILL });
  const ben = await person("Ben", { context: STILL });
  await ben.open(await ada.startCall(server.url));
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada"), ben.hears()]);
  const loads = [ada, ben].map(({ page }) => countLoads(page));
  const camera = ada.page.getByRole("button", { name: "Camera", exact: true });
  const gone = ada.page.getByText("The camera was unplugged. Plug it in again, or choose another one under Devices.");

  await test.step("the camera is unplugged: its person reads what to do, the other sees that it is off and hears on", async () => {
    computer.unplug("camera");
    await expect(gone).toBeVisible(SHOWN);
    await expect(camera).toHaveAttribute("aria-pressed", "false");
    await expect(ben.tile("Ada").getByRole("img", { name: "Camera off" })).toBeVisible(SHOWN);
    await expect(ben.video("Ada"), "its last picture").toBeHidden();
    await ben.hears();
    await expectAccessible(ada.page);
  });

  await test.step("plugged in, it is back by itself; unplugged again, with one press", async () => {
    await plugIn(ada.page);
    await expect(ada.page.getByText("The camera is in use again:")).toBeVisible(SHOWN);
    await ben.seesMoving("Ada");
    computer.unplug("camera");
    await expect(gone).toBeVisible(SHOWN);
    await camera.click();
    await ben.seesMoving("Ada");
    await expect(gone).toBeHidden();
  });

  await test.step("the microphone is unplugged: another goes on at once, on, and the page says which", async () => {
    computer.unplug("sound");
    await expect(ada.page.getByText("The microphone was unplugged. Another one is in use now:")).toBeVisible(SHOWN);
    await expect(ada.page.getByRole("button", { name: "Microphone", exact: true })).toHaveAttribute(
      "aria-pressed",
      "true",
    );
    await ben.hears();
  });

  expect(
    loads.map((count) => count()),
    "pages that were loaded again",
  ).toEqual([0, 0]);
});

/** From now on. */
function countLoads(page: Page): () => number {
  let loads = 0;
  page.on("load", () => loads++);
  return () => loads;
}

/** The browser has its devices again by now; it says so of real ones only. */
function plugIn(page: Page): Promise<void> {
  return page.evaluate(() => void navigator.mediaDevices.dispatchEvent(new Event("devicechange")));
}
