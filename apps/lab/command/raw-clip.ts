import { rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "@playwright/test";
import { media } from "@sealcast/testbed";
import { jpegs } from "../src/shared/jpegs.ts";
import type { LabPage } from "../src/shared/lab.ts";
import { asker } from "./ask.ts";
import { PAGE, visit } from "./site.ts";

/** The clip's pictures, decoded: what cameras show, from `makeRawClip` on until this command ends. */
export const RAW_CLIP = join(import.meta.dirname, `clip-${process.pid}.y4m`);

/** The clip's pictures. */
export async function film(): Promise<Uint8Array<ArrayBuffer>[]> {
  return jpegs(new Uint8Array(await readFile(media.film720)));
}

/** Once, in a browser, so that no camera has to decode them over and over: a real one gives pictures as they are. */
export async function makeRawClip(browser: Browser): Promise<void> {
  process.once("exit", () => rmSync(RAW_CLIP, { force: true }));
  const page = await browser.newPage();
  await visit(page, PAGE);
  const saved = page.waitForEvent("download");
  await asker<LabPage>(page, "lab")("saveRaw", await film());
  await (await saved).saveAs(RAW_CLIP);
  await page.close();
}
