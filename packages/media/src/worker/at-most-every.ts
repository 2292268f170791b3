/** `act`, but calls within `gap` milliseconds of the last are put off to its end, as one. */
export function atMostEvery(gap: number, act: () => void): () => void {
  let last = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const now = () => {
    timer = null;
    last = performance.now();
    act();
  };
  return () => {
    if (timer !== null) return;
    const wait = last + gap - performance.now();
    if (wait <= 0) now();
    else timer = setTimeout(now, wait);
  };
}
