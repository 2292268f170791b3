import { type RefObject, useLayoutEffect, useState } from "react";

/** Whether an element has less room in a line than that many CSS pixels. What is in it must not make it wider. */
export function useNarrower(element: RefObject<HTMLElement | null>, than: number): boolean {
  const [is, setIs] = useState(false);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    setIs(current.clientWidth < than);
    const observer = new ResizeObserver(([entry]) => entry && setIs(entry.contentRect.width < than));
    observer.observe(current);
    return () => observer.disconnect();
  }, [element, than]);
  return is;
}
