import type { Page } from "@playwright/test";
import type { AskPage, Callable } from "../src/shared/ask.ts";

/** `of`: the object's name among the page's globals. Its types are the caller's word. */
export function asker<Of extends Callable<Of>>(page: Page, of: string): AskPage<Of> {
  return (name, ...argument) => {
    const call = ([of, name, argument]: [string, string, unknown[]]) => {
      const page = globalThis as unknown as Record<string, Record<string, (...of: unknown[]) => unknown>>;
      return page[of]?.[name]?.(...argument);
    };
    return page.evaluate(call, [of, String(name), argument] as [string, string, unknown[]]) as never;
  };
}
