import { parse } from "node:path";
import { expect, type FirefoxPerson } from "./firefox.ts";
import { PASSPHRASE } from "./vault.ts";

/** A fresh vault, with its recovery tried, on the page that this person has open. */
export async function setUpVault(faye: FirefoxPerson): Promise<void> {
  const { page } = faye;
  const type = async (passphrases: number) => {
    await expect.poll(async () => (await page.$$('input[type="password"]')).length).toBe(passphrases);
    for (const field of await page.$$('input[type="password"]')) await field.type(PASSPHRASE);
  };
  await type(2);
  await faye.click("Set up vault");
  await faye.reads("Keep your recovery key");
  await faye.reads("SEALCAST-VAULT-2.");
  const key = await page.$eval("code", ({ textContent }) => textContent);
  await faye.click("Continue");
  await type(1);
  await (await page.waitForSelector("textarea"))?.type(key);
  await faye.click("Finish");
  await faye.reads("Nothing is in the vault yet");
}

/** Imports files under their names without extensions. */
export async function importFiles(faye: FirefoxPerson, paths: string[], timeout = 60_000): Promise<void> {
  const chooser = await faye.page.waitForSelector('input[type="file"][multiple]');
  await (chooser as unknown as { uploadFile(...paths: string[]): Promise<void> }).uploadFile(...paths);
  for (const path of paths) {
    const { name } = parse(path);
    await faye.page.waitForSelector(`li[aria-label="${name}"]`, { timeout });
  }
}

export async function inEntry(faye: FirefoxPerson, title: string, button: string): Promise<void> {
  const entry = await faye.page.waitForSelector(`li[aria-label="${title}"]`);
  await (await entry?.$(`::-p-aria([name="${button}"][role="button"])`))?.click();
}
