const PATIENCE_MS = 90_000;

/** Waits until nothing is missing any more. Throws what is, after a minute and a half. */
export async function until(what: string, missing: () => Promise<string>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (let lacks = await missing(); lacks !== ""; lacks = await missing()) {
    if (performance.now() > end) throw new Error(`not within ${PATIENCE_MS / 1000} s: ${what} (${lacks})`);
    await pause(200);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((next) => setTimeout(next, ms));
}
