/** Calls a function of an object in a page. What goes in and out is copied as by `structuredClone`. */
export type AskPage<Of extends Callable<Of>> = <Name extends keyof Of>(
  name: Name,
  ...argument: Parameters<Of[Name]>
) => Promise<Awaited<ReturnType<Of[Name]>>>;

/** An object whose functions can be called so. */
export type Callable<Of> = { readonly [Name in keyof Of]: (...argument: never[]) => unknown };
