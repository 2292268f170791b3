import { expect as original } from "@playwright/test";

/** Milliseconds between two looks. The library's own grow to a second, half of which a test would wait for nothing on average. */
const INTERVALS = [100, 250];

type Poll = typeof original.poll;

const poll: Poll = (actual, options) =>
  original.poll(actual, { intervals: INTERVALS, ...(typeof options === "string" ? { message: options } : options) });

/** Playwright's own, but that `poll` looks again soon. */
export const expect = new Proxy(original, {
  get: (target, name) => (name === "poll" ? poll : Reflect.get(target, name)),
});

/** Badges and figures come once or twice a second, and dialogs open slowly on a machine that runs several browsers. */
export const SHOWN = { timeout: 30_000 };

/** Why a frame or message was refused, as the encryption details say it. */
export const AGAIN = "came a second time";
