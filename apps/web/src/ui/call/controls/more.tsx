import { Trans } from "@lingui/react/macro";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { MoreIcon } from "../../parts/icons.tsx";
import toggle from "../../parts/toggle.module.css";
import styles from "./more.module.css";

/**
 * What the control bar has no room for: buttons, and what says `data-item`. They stay mounted while it is closed, so that a dialog
 * which one of them opened stays open. A chosen button closes it, and the focus is on "More" by then, where such a dialog returns it.
 */
export function More({ children }: { children: ReactNode }) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const whole = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useClosedFromOutside(whole, open, () => setOpen(false));

  const close = () => {
    opener.current?.focus();
    setOpen(false);
  };
  const press = (event: KeyboardEvent) => {
    if (open && event.key === "Escape") close();
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape counts wherever the focus is in it
    <div ref={whole} className={styles.more} onKeyDown={press}>
      <button
        ref={opener}
        type="button"
        className={toggle.toggle}
        aria-expanded={open}
        aria-controls={id}
        data-more
        onClick={() => setOpen(!open)}
      >
        <MoreIcon />
        <span>
          <Trans>More</Trans>
        </span>
      </button>
      <div
        id={id}
        className={styles.items}
        data-open={open}
        onClickCapture={({ target, currentTarget }) => {
          if (open && isOwnButton(target, currentTarget)) close();
        }}
      >
        {children}
      </div>
    </div>
  );
}

/** For what goes away once its button was pressed: the focus that is in it then goes to "More", and not out of sight. */
export function useFocusLeftToMore(isThere: boolean): void {
  const wasThere = useRef(isThere);
  useEffect(() => {
    if (wasThere.current && !isThere && document.activeElement === document.body)
      document.querySelector<HTMLElement>("[data-more]")?.focus();
    wasThere.current = isThere;
  }, [isThere]);
}

/** Not one of a dialog that stands in it. */
function isOwnButton(target: EventTarget, items: Element): boolean {
  return target instanceof Element && target.closest("button")?.parentElement === items;
}

/** A click elsewhere closes it, and so does the focus when it goes elsewhere. */
function useClosedFromOutside(whole: { current: HTMLElement | null }, open: boolean, close: () => void): void {
  useEffect(() => {
    if (!open) return;
    const look = ({ target }: Event) => {
      if (target instanceof Node && !whole.current?.contains(target)) close();
    };
    document.addEventListener("pointerdown", look);
    document.addEventListener("focusin", look);
    return () => {
      document.removeEventListener("pointerdown", look);
      document.removeEventListener("focusin", look);
    };
  });
}
