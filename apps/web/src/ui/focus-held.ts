import { type RefObject, useEffect } from "react";

/** What had the focus in this part of the page went away: the focus goes to the part itself, which takes it, and not out of sight. */
export function useFocusHeld(part: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current } = part;
    if (current === null) return;
    let held: EventTarget | null = null;
    const follow = ({ target }: FocusEvent) => {
      held = target;
    };
    const leave = ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null) held = null;
    };
    const observer = new MutationObserver(() => {
      if (!(held instanceof Element) || held.isConnected) return;
      held = null;
      if (document.activeElement === document.body) current.focus();
    });
    observer.observe(current, { childList: true, subtree: true });
    current.addEventListener("focusin", follow);
    current.addEventListener("focusout", leave);
    return () => {
      observer.disconnect();
      current.removeEventListener("focusin", follow);
      current.removeEventListener("focusout", leave);
    };
  }, [part]);
}
