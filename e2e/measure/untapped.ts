import type { Browser, BrowserContextOptions } from "@playwright/test";
import { keepConnections } from "@sealcast/testbed/page";
import { ChromiumPerson } from "../stage/person.ts";

/** Someone without the taps that tests put into workers, which cost time and keep what they see. */
export async function untapped(
  name: string,
  browser: Browser,
  options?: BrowserContextOptions,
): Promise<ChromiumPerson> {
  const context = await browser.newContext(options);
  await context.addInitScript(keepConnections);
  return new ChromiumPerson(name, context, await context.newPage());
}
