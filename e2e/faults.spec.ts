import { chromium, type Page } from "@playwright/test";
import { executablePath, flags, Relay } from "@sealcast/testbed";
import { expectAccessible, STILL } from "./stage/accessible.ts";
import { apart } from "./stage/browser.ts";
import { SHOWN } from "./stage/expect.ts";
import { expect, test } from "./stage/test.ts";
import { throughPort } from "./stage/through-relay.ts";

const FREE = { delayMs: 0, lossPercent: 0 };
const OUTAGE_MS = 10_000;

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

test("a camera and a microphone that are lost during a call, and ten seconds without a network: each says what to do or comes back, at both ends, without a reload", async ({
  server,
  person,
  expectedErrors,
}) => {
  test.setTimeout(180_000);
  expectedErrors.push(/WebSocket|ERR_INTERNET_DISCONNECTED/);
  const relay = await Relay.open(FREE);
  const computer = await apart();
  const ada = await person("Ada", {
    browser: computer.browser,
    context: STILL,
    before: throughPort(relay.portFor("near")),
  });
  const ben = await person("Ben", { context: STILL, before: throughPort(relay.portFor("far")) });
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

  await test.step("ten seconds without a network", async () => {
    relay.trouble = { ...FREE, lossPercent: 100 };
    const lost = performance.now();
    await ben.context.setOffline(true);
    await Promise.all([
      expect(ben.page.getByText("Your network is gone. Your call goes on by itself when it is back.")).toBeVisible(
        SHOWN,
      ),
      expect(ada.tile("Ben").getByText(/No signal|Reconnecting…/)).toBeVisible(SHOWN),
    ]);
    await expect(ada.video("Ben"), "what it shows is not what is now").toBeHidden();
    await ben.page.waitForTimeout(Math.max(0, OUTAGE_MS - (performance.now() - lost)));
    relay.trouble = FREE;
    const back = performance.now();
    await ben.context.setOffline(false);
    await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada"), ada.hears(), ben.hears()]);
    test.info().annotations.push({ type: "network-to-picture-ms", description: `${performance.now() - back}` });
    for (const one of [ada, ben]) await expect(one.badge).toHaveText("encrypted", SHOWN);
  });
  expect(
    loads.map((count) => count()),
    "pages that were loaded again",
  ).toEqual([0, 0]);
  relay.close();
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
