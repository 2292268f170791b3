import type { BrowserContext } from "@playwright/test";

/** Has this run in every media worker of the product in these pages, before its own script. */
export async function beforeMediaWorkers(context: BrowserContext, script: string): Promise<void> {
  await context.route(/media[^/]*\.worker[^/]*\.js$/, async (route) => {
    try {
      const response = await route.fetch();
      await route.fulfill({ response, body: `${script}\n${await response.text()}` });
    } catch {
      // As without this: what the server refuses, to an address that floods it say, or what comes to a page that
      // was closed meanwhile, the page does not get.
      await route.abort().catch(() => undefined);
    }
  });
}
