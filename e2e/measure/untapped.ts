import type { Browser, BrowserContextOptions } from "@playwright/test";
import { keepConnections, Person } from "../stage/person.ts";

/** Somebody without the taps that tests put into workers, which cost time and keep what they see. */
export async function untapped(name: string, browser: Browser, options?: BrowserContextOptions): Promise<Person> {
  const context = await browser.newContext(options);
  await context.addInitScript(keepConnections);
  return new Person(name, context, await context.newPage());
}
