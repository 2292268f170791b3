import { useLingui } from "@lingui/react/macro";
import { type ReactNode, useEffect, useRef } from "react";
import styles from "./message.module.css";
import { usePageTitle } from "./page-title.ts";

/** A whole page that says what happened and offers what to do next. Takes the focus, since it replaces a page. */
export function Message({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  const { t } = useLingui();
  const heading = useRef<HTMLHeadingElement>(null);
  usePageTitle(t`${title} – Sealcast`);
  useEffect(() => heading.current?.focus(), []);
  return (
    <main className={styles.page}>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <p>{text}</p>
      <div className={styles.actions}>{children}</div>
    </main>
  );
}
