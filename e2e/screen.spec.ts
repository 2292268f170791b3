import type { Locator } from "@playwright/test";
import { colouredSources, resize, sees, stopSharing } from "./stage/coloured.ts";
import { SHOWN } from "./stage/expect.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

test.setTimeout(180_000);

test("a screen is seen beside the camera, sealed; it goes when the sharing ends, and can be shared again", {
  tag: "@journey",
}, async ({ server, person }) => {
  const [ada, ben] = [await person("Ada", { before: colouredSources }), await person("Ben")];
  await ben.open(await ada.startCall(server.url));
  await sees(ben, "Ada", { middle: "red", corner: "red" });
  await share(ada).click();
  await expect(share(ada)).toHaveAttribute("aria-pressed", "true");
  await sees(ben, "Screen of Ada", { middle: "blue", corner: "blue", aspect: 1.6 });
  await sees(ben, "Ada", { middle: "red" });
  await ada.seesMoving("Ben");
  for (const one of [ada, ben]) await expect(one.badge).toHaveText("encrypted", SHOWN);
  // What was opened by then must have been sealed before.
  const opened = await screenFrames(ben, "open");
  expect(opened, "frames of the screen that were opened").toBeGreaterThan(0);
  expect(await screenFrames(ada, "seal"), "frames of the screen that were sealed").toBeGreaterThanOrEqual(opened);
  await resize(ada, "screen", 800, 1280);
  await sees(ben, "Screen of Ada", { middle: "blue", aspect: 0.6 });
  await share(ada).click();
  await expect(ben.video("Screen of Ada")).toHaveCount(0);
  await sees(ben, "Ada", { middle: "red" });
  await share(ada).click();
  await sees(ben, "Screen of Ada", { middle: "blue" });
  await stopSharing(ada);
  await expect(ben.video("Screen of Ada")).toHaveCount(0);
  await expect(share(ada)).toHaveAttribute("aria-pressed", "false");
  for (const one of [ada, ben]) await expect(one.badge).toHaveText("encrypted", SHOWN);
});

test("two share at the same moment; a third who comes later sees the screen, sealed once for both, and a camera that is turned", async ({
  server,
  person,
}) => {
  const options = { before: colouredSources };
  const [ada, ben, cleo] = [await person("Ada", options), await person("Ben", options), await person("Cleo")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await Promise.all([sees(ben, "Ada", { middle: "red" }), sees(ada, "Ben", { middle: "red" })]);
  await Promise.all([share(ada).click(), share(ben).click()]);
  await Promise.all([
    sees(ben, "Screen of Ada", { middle: "blue", corner: "blue" }),
    sees(ada, "Screen of Ben", { middle: "blue", corner: "blue" }),
  ]);
  await Promise.all([sees(ben, "Ada", { middle: "red" }), sees(ada, "Ben", { middle: "red" })]);
  for (const one of [ada, ben]) await expect(one.badge).toHaveText("encrypted", SHOWN);
  await share(ben).click();
  await expect(ada.video("Screen of Ben")).toHaveCount(0);

  await cleo.open(link);
  for (const other of [ben, cleo]) {
    await sees(other, "Screen of Ada", { middle: "blue", corner: "blue", aspect: 1.6 });
    await sees(other, "Ada", { middle: "red", corner: "red" });
  }
  await expect
    .poll(() => ada.sealedForSeveral("screen-picture"), { ...SHOWN, message: "frames of the screen that went to both" })
    .toBeGreaterThan(0);
  for (const [width, height, aspect] of [
    [360, 640, 0.6],
    [640, 360, 1.8],
  ] as const) {
    await resize(ada, "camera", width, height);
    await Promise.all([ben, cleo].map((other) => sees(other, "Ada", { middle: "red", corner: "red", aspect })));
  }
  for (const one of [ada, ben, cleo]) await expect(one.badge).toHaveText("encrypted", SHOWN);
  await share(ada).click();
  for (const other of [ben, cleo]) await expect(other.video("Screen of Ada")).toHaveCount(0);
  await share(ada).click();
  for (const other of [ben, cleo]) await sees(other, "Screen of Ada", { middle: "blue" });
  await cleo.page.getByRole("button", { name: "Leave call" }).click();
  await sees(ben, "Screen of Ada", { middle: "blue" });
  for (const one of [ada, ben]) await expect(one.badge).toHaveText("encrypted", SHOWN);
});

function share({ page }: ChromiumPerson): Locator {
  return page.getByRole("button", { name: "Screen share" });
}

/** How many frames of a screen that person's workers have written. */
async function screenFrames(person: ChromiumPerson, side: "seal" | "open"): Promise<number> {
  const screens = (await person.tapped()).filter((one) => one.side === side && one.source === "screen-picture");
  return screens.reduce((sum, { written }) => sum + written, 0);
}
