import { Trans } from "@lingui/react/macro";
import { type ReactNode, useEffect, useRef, useState } from "react";
import button from "../button.module.css";
import styles from "./confirmed.module.css";

/** What a button that cannot be taken back says: before, what comes of it, and what then does it. */
interface Words {
  readonly children: ReactNode;
  readonly consequence: ReactNode;
  readonly confirm: ReactNode;
}

/** A button that asks before it acts. The focus goes with the question: to "Cancel" and, where that was chosen, back to the button. */
export function Confirmed({ children, consequence, confirm, onConfirm }: Words & { onConfirm: () => void }) {
  const [asked, setAsked] = useState<boolean | null>(null);
  const next = useRef<HTMLButtonElement>(null);
  // Not as the page is drawn first.
  useEffect(() => {
    if (asked !== null) next.current?.focus();
  }, [asked]);
  if (!asked)
    return (
      <button ref={next} type="button" className={button.quiet} onClick={() => setAsked(true)}>
        {children}
      </button>
    );
  return (
    <div className={styles.question}>
      <p>{consequence}</p>
      <button type="button" className={button.danger} onClick={onConfirm}>
        {confirm}
      </button>
      <button ref={next} type="button" className={button.quiet} onClick={() => setAsked(false)}>
        <Trans>Cancel</Trans>
      </button>
    </div>
  );
}

/** For a list whose entries go away: the focus that was in one of them goes to the list, and not out of sight. */
export function useFocusKept<E extends HTMLElement>(count: number) {
  const list = useRef<E>(null);
  const before = useRef(count);
  useEffect(() => {
    if (count < before.current && document.activeElement === document.body) list.current?.focus();
    before.current = count;
  }, [count]);
  return list;
}
