import { Trans } from "@lingui/react/macro";
import { useState } from "react";
import { machine, type Terms } from "../page/run.ts";
import { catalogue } from "../shared/catalogue.ts";
import { writtenMachine } from "../shared/report.ts";
import { InPage } from "./in-page.tsx";
import styles from "./lab.module.css";
import { TermsForm } from "./terms.tsx";
import { ByCommand, What } from "./what.tsx";

/** Every experiment of the catalogue: those that run in one page with a button, the others with their command. */
export function Lab() {
  const [terms, setTerms] = useState<Terms>({ quick: true, runs: 1, camera: "film" });
  const [running, setRunning] = useState<string | null>(null);
  const here = writtenMachine(machine());
  return (
    <main className={styles.page}>
      <h1>
        <Trans>Lab</Trans>
      </h1>
      <p>
        <Trans>
          Measure on this computer what end-to-end encryption costs, beside what five papers and other programs report.
          Nothing leaves this browser.
        </Trans>
      </p>
      <p className={styles.quiet}>
        <Trans>
          This computer: {here}. A page cannot see which CPU it runs on, or what else the computer does: close other
          programs first. The command sees more.
        </Trans>
      </p>
      <TermsForm terms={terms} onChange={setTerms} disabled={running !== null} />
      <h2>
        <Trans>In this page</Trans>
      </h2>
      {catalogue.map(
        (of) =>
          of.runs === "page" && (
            <What key={of.name} of={of}>
              <InPage of={of} terms={terms} running={running} onRunning={setRunning} />
            </What>
          ),
      )}
      <h2>
        <Trans>By the command</Trans>
      </h2>
      {catalogue.map(
        (of) =>
          of.runs === "command" && (
            <What key={of.name} of={of}>
              <ByCommand of={of} />
            </What>
          ),
      )}
    </main>
  );
}
