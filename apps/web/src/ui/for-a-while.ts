import { useEffect, useState } from "react";

/** Long enough to read a sentence twice. */
const shownMs = 8_000;

/** What came last, until it was there to read. */
export function useForAWhile<T>(latest: T | null): T | null {
  const [shown, setShown] = useState<T | null>(null);
  useEffect(() => {
    setShown(() => latest);
    const timer = setTimeout(() => setShown(null), shownMs);
    return () => clearTimeout(timer);
  }, [latest]);
  return shown;
}
