/** The Chromium that tests run in. `CHROMIUM` names another one. */
export const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Quiet and alone: no sandbox (tests run as root in containers), no GPU, nothing asked of the network by itself. */
export const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
  "--allow-loopback-in-peer-connection",
];

/** Flags besides, for a camera that plays this file, a microphone that beeps, and consent to both. */
export const fakeDevices = (file: string): string[] => [
  "--use-fake-ui-for-media-stream",
  "--use-fake-device-for-media-stream",
  `--use-file-for-fake-video-capture=${file}`,
];
