/**
 * Whether there is no way to the server. Browsers that say they are online are believed; of those that say they are not,
 * some have a way all the same, as to a server on the same computer.
 */
export async function isOffline(): Promise<boolean> {
  if (navigator.onLine) return false;
  return fetch("/healthz", { cache: "no-store" }).then(
    () => false,
    () => true,
  );
}
