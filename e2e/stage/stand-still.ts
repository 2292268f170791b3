/** Runs in the page: it does nothing else for that many milliseconds, as one that is kept busy does. Its workers go on. */
export function standStill(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
