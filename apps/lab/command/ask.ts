import type { Page } from "@playwright/test";

/** Calls a function of an object in a page. What goes in and out is copied as by `structuredClone`. */
export type Ask<Of extends Asked<Of>> = <Name extends keyof Of>(
  name: Name,
  ...argument: Parameters<Of[Name]>
) => Promise<Awaited<ReturnType<Of[Name]>>>;

type Asked<Of> = { readonly [Name in keyof Of]: (...argument: never[]) => unknown };

/** `of`: the object's name among the page's globals. Its types are the caller's word. */
export function asker<Of extends Asked<Of>>(page: Page, of: string): Ask<Of> {
  return (name, ...argument) => {
    const call = ([of, name, argument]: [string, string, unknown[]]) => {
      const page = globalThis as unknown as Record<string, Record<string, (...of: unknown[]) => unknown>>;
      return page[of]?.[name]?.(...argument);
    };
    return page.evaluate(call, [of, String(name), argument] as [string, string, unknown[]]) as never;
  };
}
