import { expect, test } from "./stage/test.ts";

test("a browser that cannot seal is told what it lacks, before a device opens or the server hears of it", {
  tag: "@journey",
}, async ({ server, person }) => {
  const ada = await person("Ada");
  const ben = await person("Ben", { before: withoutTransformsAndDevices });
  const link = await ada.startCall(server.url);
  await ben.page.goto(link);
  await expect(ben.page.getByRole("heading", { name: "This browser cannot seal a call" })).toBeVisible();
  await expect(ben.page.getByRole("listitem")).toHaveText([
    "sealed media (RTCRtpScriptTransform)",
    "access to cameras and microphones",
  ]);
  await expect(ben.page.getByRole("button", { name: "Join now" })).toHaveCount(0);
  expect(ben.socket).toEqual([]);
});

/** Runs in the page, before its own scripts. */
function withoutTransformsAndDevices(): void {
  Reflect.deleteProperty(globalThis, "RTCRtpScriptTransform");
  Reflect.deleteProperty(Navigator.prototype, "mediaDevices");
}
