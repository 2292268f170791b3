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
