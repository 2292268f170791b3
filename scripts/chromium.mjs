// Finds a Chromium for the tests, or installs one.
import { chromium } from "@playwright/test";
import { fail, installPackage, run, tool, versionOf } from "./setup.mjs";

const candidates = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  chromium.executablePath(),
];

/** Path of a Chromium that starts. Ends the command when there is none and none can be installed. */
export async function findChromium() {
  if (process.env.CHROMIUM && !(await versionOf(process.env.CHROMIUM))) {
    fail(`CHROMIUM is "${process.env.CHROMIUM}", which does not start. Correct it, or leave it out.`);
  }
  const found = (await present()) ?? (await download()) ?? (await debian());
  return found ?? fail("No Chromium was found or could be installed. Install one and name it: CHROMIUM=/path npm test");
}

async function present() {
  for (const path of candidates) if (path && (await versionOf(path))) return path;
}

async function download() {
  console.log("No Chromium here. Trying Playwright's download ...");
  await run(tool("playwright"), ["install", "chromium"], { timeout: 180_000 });
  return present();
}

async function debian() {
  await installPackage("chromium");
  return present();
}
