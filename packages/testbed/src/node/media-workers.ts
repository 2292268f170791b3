import type { BrowserContext } from "@playwright/test";

/** Has this run in every media worker of the product in these pages, before its own script. */
export async function beforeMediaWorkers(context: BrowserContext, script: string): Promise<void> {
  await context.route(/media[^/]*\.worker[^/]*\.js$/, async (route) => {
    const response = await route.fetch().catch(() => null);
    // As without this: what the server refuses, to an address that floods it say, the page does not get.
    if (response === null) return route.abort();
    await route.fulfill({ response, body: `${script}\n${await response.text()}` });
  });
}
