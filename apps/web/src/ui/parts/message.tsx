import { useLingui } from "@lingui/react/macro";
import { type ReactNode, useEffect, useRef } from "react";
import { usePageTitle } from "../page-title.ts";
import styles from "./message.module.css";

interface Props {
  title: string;
  text: string;
  list?: string[];
  children: ReactNode;
}

/** A whole page that says what happened and offers what to do next. Takes the focus, since it replaces a page. */
export function Message({ title, text, list = [], children }: Props) {
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
      {list.length > 0 && (
        <ul>
          {list.map((item) => (
            <li key={item}>{item}</li>
          ))}
        </ul>
      )}
      <div className={styles.actions}>{children}</div>
    </main>
  );
}
