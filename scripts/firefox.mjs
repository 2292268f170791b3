// Finds a Firefox for the tests, or installs Debian's.
import { installPackage, versionOf } from "./setup.mjs";

/** The oldest that calls were tried with. */
const OLDEST = 153;

const candidates = [
  process.env.FIREFOX,
  "/usr/bin/firefox-esr",
  "/usr/bin/firefox",
  "/Applications/Firefox.app/Contents/MacOS/firefox",
];

/** Path of a Firefox that starts and is not too old; null when there is none and none can be installed. */
export async function findFirefox() {
  const found = await present();
  if (found) return found;
  await installPackage("firefox-esr");
  return (await present()) ?? null;
}

async function present() {
  for (const path of candidates) {
    const [, major] = /Firefox (\d+)/.exec(path ? await versionOf(path) : "") ?? [];
    if (Number(major) >= OLDEST) return path;
  }
}
