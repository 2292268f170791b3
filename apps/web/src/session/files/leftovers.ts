/** In the origin's private file system. Each page has a folder of its own in it, and a lock of that name. */
export const FOLDER = "received-files";

export const lockOf = (name: string): string => `sealcast-files-${name}`;

/** Removes what pages that ended early left of files that came. */
export async function removeLeftovers(): Promise<void> {
  try {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER);
    const { held = [] } = await navigator.locks.query();
    const inUse = new Set(held.map(({ name }) => name));
    for await (const name of folder.keys())
      if (!inUse.has(lockOf(name))) await folder.removeEntry(name, { recursive: true });
  } catch {
    // There is no such folder, or this browser gives none.
  }
}
