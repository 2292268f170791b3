import { useLingui } from "@lingui/react/macro";
import { type ReactNode, useEffect, useId, useRef } from "react";
import button from "./button.module.css";
import styles from "./dialog.module.css";
import { CloseIcon } from "./icons.tsx";

/** A modal dialog, open while it is mounted. Escape, a click outside and "Close" end in `onClose`, focus returned. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const { t } = useLingui();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
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
