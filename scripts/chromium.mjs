// Finds a Chromium for the tests, or installs one.
import { existsSync } from "node:fs";
import { chromium } from "@playwright/test";
import { fail, run, tool } from "./setup.mjs";

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
  if (process.env.CHROMIUM && !(await starts(process.env.CHROMIUM))) {
    fail(`CHROMIUM is "${process.env.CHROMIUM}", which does not start. Correct it, or leave it out.`);
  }
  const found = (await present()) ?? (await download()) ?? (await debian());
  return found ?? fail("No Chromium was found or could be installed. Install one and name it: CHROMIUM=/path npm test");
}

async function present() {
  for (const path of candidates) if (path && (await starts(path))) return path;
}

const starts = async (path) => existsSync(path) && (await run(path, ["--version"], { quiet: true })).code === 0;

async function download() {
  console.log("No Chromium here. Trying Playwright's download ...");
  await run(tool("playwright"), ["install", "chromium"], { timeout: 180_000 });
  return present();
}

async function debian() {
  if (!existsSync("/usr/bin/apt-get") || process.getuid?.() !== 0) return;
  console.log("Trying Debian's package ...");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await run("apt-get", ["update", "-qq"], { env });
  await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium"], { env });
  return present();
}
