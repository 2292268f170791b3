import { useLingui } from "@lingui/react/macro";
import { type ReactNode, useEffect, useRef } from "react";
import { BackToStart } from "../back-to-start.tsx";
import { usePageTitle } from "../page-title.ts";
import styles from "./about.module.css";

/** A page to read. Takes the focus, since it replaces a page. */
export function About({ title, children }: { title: string; children: ReactNode }) {
  const { t } = useLingui();
  const heading = useRef<HTMLHeadingElement>(null);
  usePageTitle(t`${title} – Sealcast`);
  useEffect(() => heading.current?.focus(), []);
  return (
    <main className={styles.about}>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
      <div className={styles.back}>
        <BackToStart quiet />
      </div>
    </main>
  );
}
