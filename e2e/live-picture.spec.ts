import type { Locator } from "@playwright/test";
import { colouredSources, sees, stopSharing } from "./stage/coloured.ts";
import type { Person } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

test.setTimeout(180_000);

for (const count of [1, 2]) {
  test(`${count === 1 ? "a viewer sees" : "two viewers see"} the camera, the screen, both, and the camera again`, async ({
    server,
    person,
  }) => {
    const host = await person("Host", { before: colouredSources });
    const link = await host.goLive(server.url);
    const viewers: Person[] = [];
    for (let at = 0; at < count; at++) {
      const viewer = await person(`Viewer ${at + 1}`);
      await viewer.page.goto(link);
      viewers.push(viewer);
    }
    const all = (expected: Parameters<typeof sees>[2]) =>
      Promise.all(viewers.map((viewer) => sees(viewer, "the stream", expected)));
    await all({ middle: "red", corner: "red", width: 640, height: 360 });
    await source(host, "Screen").check();
    await all({ middle: "blue", corner: "blue", width: 1280, height: 800 });
    await expect(host.page.getByText("Viewers hear your microphone and what you share.")).toBeVisible();
    await source(host, "Screen and camera").check();
    await all({ middle: "blue", corner: "red", width: 1280, height: 800 });
    await host.page.getByRole("button", { name: "Camera", exact: true }).click();
    await all({ middle: "blue", corner: "blue", width: 1280, height: 800 });
    await host.page.getByRole("button", { name: "Camera", exact: true }).click();
    await all({ middle: "blue", corner: "red" });
    await stopSharing(host);
    await all({ middle: "red", corner: "red", width: 640, height: 360 });
    await expect(source(host, "Camera")).toBeChecked();
    for (const one of [host, ...viewers]) await expect(one.badge).toHaveText("encrypted", { timeout: 30_000 });
  });
}

function source({ page }: Person, name: string): Locator {
  return page.getByRole("group", { name: "Viewers see" }).getByRole("radio", { name, exact: true });
}
