import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inTheClear, kill } from "./stage/disk.ts";
import { expect, test } from "./stage/test.ts";
import { PASSPHRASE, VaultPage, withoutPicker } from "./stage/vault.ts";

/** How often the browser is killed; CRASHES has more of them. */
const CRASHES = Number(process.env.CRASHES ?? 1);
/** A recording that ends early lacks no more than this of what it said it had. */
const LOST_SECONDS = 2;

test("a browser that is killed while it records loses two seconds at most, and its profile holds nothing in the clear", async ({
  server,
  person,
}, info) => {
  test.setTimeout(60_000 + CRASHES * 90_000);
  const profile = mkdtempSync(join(tmpdir(), "sealcast-profile-"));
  const first = await person("Ada", { profile });
  await VaultPage.setUp(first, server.url);
  await first.context.close();
  for (let crash = 0; crash < CRASHES; crash++) {
    const ada = await person("Ada", { profile });
    await ada.startCall(server.url);
    await ada.press("Record");
    const time = ada.page.getByRole("group", { name: "Your recording" });
    const shown = async () => Number(/0:(\d\d)/.exec((await time.textContent()) ?? "")?.[1] ?? 0);
    await expect.poll(shown, { timeout: 40_000 }).toBeGreaterThanOrEqual(3 + Math.floor(Math.random() * 8));
    const seconds = await shown();
    kill(profile);
    await ada.context.close().catch(() => undefined);

    const again = await person("Ada", { profile, before: withoutPicker });
    const vault = new VaultPage(again);
    await again.page.goto(`${server.url}/vault`);
    await vault.unlock(PASSPHRASE);
    const entry = again.page.getByRole("list", { name: "Recordings" }).getByRole("listitem").first();
    await entry.getByRole("button", { name: "Recover" }).click();
    await expect(entry).toContainText(/0:\d\d/, { timeout: 20_000 });
    await entry.getByRole("button", { name: "Play" }).click({ timeout: 20_000 });
    const video = again.page.getByLabel("Recording", { exact: true });
    const played = () => video.evaluate(({ duration }: HTMLVideoElement) => duration || 0);
    await expect.poll(played).toBeGreaterThan(seconds - LOST_SECONDS);
    info.annotations.push({
      type: "crash",
      description: `${seconds} s shown, ${(await played()).toFixed(2)} s recovered`,
    });
    await vault.close();

    await entry.getByRole("button", { name: "Export" }).click();
    const plain = await vault.saved("Save without encryption");
    kill(profile);
    await again.context.close().catch(() => undefined);
    expect(inTheClear(profile, plain), "files of the profile that hold a part of the recording").toEqual([]);
  }
  rmSync(profile, { recursive: true, force: true });
});
