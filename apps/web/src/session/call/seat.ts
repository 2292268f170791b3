import { fromHex, toHex } from "@sealcast/bytes";

const KEY = "sealcast.seat";
const SEAT_BYTES = 16;

/**
 * This tab's seat: survives a reload, so that a person who reloads takes their own place again instead of sitting beside
 * their ghost. A duplicated tab inherits the number from its original and takes another. Held until the page goes.
 */
export async function takeSeat(): Promise<Uint8Array> {
  const kept = fromHex(sessionStorage.getItem(KEY) ?? "");
  if (kept !== null && kept.length === SEAT_BYTES && (await hold(kept))) return kept;
  const fresh = crypto.getRandomValues(new Uint8Array(SEAT_BYTES));
  sessionStorage.setItem(KEY, toHex(fresh));
  await hold(fresh);
  return fresh;
}

/** False where another tab holds this seat. */
function hold(seat: Uint8Array): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const forever = new Promise<void>(() => undefined);
    navigator.locks
      .request(`${KEY}.${toHex(seat)}`, { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock === null ? undefined : forever;
      })
      .catch(reject);
  });
}
