import { rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "@playwright/test";
import { jpegs } from "../src/shared/jpegs.ts";
import type { LabPage } from "../src/shared/lab.ts";
import { asker } from "./ask.ts";
import { PAGE, visit } from "./site.ts";

/** Some seconds of film: JPEGs one after another. */
const CLIP = join(import.meta.dirname, "../../../../e2e/media/bunny-1280x720-25fps.mjpeg");

/** The same pictures, decoded: what cameras show, from `makeRawClip` on until this command ends. */
export const RAW_CLIP = join(import.meta.dirname, `clip-${process.pid}.y4m`);

/** The clip's pictures. */
export async function film(): Promise<Uint8Array<ArrayBuffer>[]> {
  return jpegs(new Uint8Array(await readFile(CLIP)));
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
