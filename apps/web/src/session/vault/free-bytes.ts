/** What the browser lets this site store beyond what it has. */
export async function freeBytes(): Promise<number> {
  const { usage = 0, quota = 0 } = await navigator.storage.estimate();
  return Math.max(0, quota - usage);
}
