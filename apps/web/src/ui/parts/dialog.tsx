import { useLingui } from "@lingui/react/macro";
import { type ReactNode, useEffect, useId, useRef } from "react";
import button from "../button.module.css";
import styles from "./dialog.module.css";
import { CloseIcon } from "./icons.tsx";

/** A modal dialog, open while it is mounted. Escape, a click outside and "Close" end in `onClose`, focus returned. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const { t } = useLingui();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // Taken away while it was open, a dialog leaves the focus nowhere.
    return () => {
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} className={styles.dialog} closedby="any" aria-labelledby={id} onClose={onClose}>
      <header className={styles.header}>
        <h2 id={id}>{title}</h2>
        <button type="button" className={button.round} aria-label={t`Close`} onClick={() => dialog.current?.close()}>
          <CloseIcon />
        </button>
      </header>
      {children}
    </dialog>
  );
}
