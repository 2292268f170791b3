import { VaultError } from "../shared/error.ts";

/** Locks that hold in all tabs of this browser, each by the name of what it is about. */

/** Runs `work` alone. Throws VaultError `busy` where another tab, or this one, is at it. */
export async function exclusively<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const release = await held(name);
  try {
    return await work();
  } finally {
    release();
  }
}

/** Resolves with what frees the lock again. Throws VaultError `busy` where another holds it. */
export function held(name: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const work = (lock: Lock | null): Promise<void> => {
      if (lock === null)
        throw new VaultError("busy", "Another tab is working on this file. Try again when it is done.");
      return new Promise((release) => resolve(release));
    };
    navigator.locks.request(lockName(name), { ifAvailable: true }, work).catch(reject);
  });
}

export async function isHeld(name: string): Promise<boolean> {
  const { held = [] } = await navigator.locks.query();
  return held.some((lock) => lock.name === lockName(name));
}

function lockName(name: string): string {
  return `sealcast-vault-${name}`;
}
