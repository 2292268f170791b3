import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { Description } from "../shared/catalogue.ts";
import { papers } from "../shared/papers.ts";
import styles from "./lab.module.css";

/** What an experiment is, and around it whatever can be done with it. */
export function What({ of, children }: { of: Description; children: ReactNode }) {
  const { name, title, measures, arms, paper } = of;
  const source = paper === null ? null : papers[paper];
  const all = arms.join("; ");
  return (
    <section className={styles.experiment} aria-labelledby={name}>
      <h3 id={name}>{title}</h3>
      <p>{measures}.</p>
      <p className={styles.quiet}>
        <Trans>Compared: {all}.</Trans>
      </p>
      {source !== null && (
        <p className={styles.quiet}>
          <Trans>
            Paper: {source.authors}, <cite>{source.title}</cite>. {source.does} Its machine: {source.machine}.
          </Trans>
        </p>
      )}
      {children}
    </section>
  );
}

/** Which command runs it, and why this page does not. */
export function ByCommand({ of: { name, needs } }: { of: Description }) {
  return (
    <p>
      <Trans>
        Needs {needs}. Run <code>npm run lab -- {name}</code>
      </Trans>
    </p>
  );
}
