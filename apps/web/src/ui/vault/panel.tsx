import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import styles from "./vault.module.css";

/** A whole screen with one thing to do. Takes the focus, since it replaces another: in `focus` where that is given. */
export function Panel({
  title,
  focus,
  children,
}: {
  title: string;
  focus?: RefObject<HTMLElement | null>;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it shows
  useEffect(() => (focus ?? heading).current?.focus(), []);
  return (
    <main className={styles.panel}>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </main>
  );
}
