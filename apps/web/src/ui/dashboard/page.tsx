import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { figuresOf, type Report, type ReportFault } from "@sealcast/metrics";
import { useState } from "react";
import { BackToStart } from "../back-to-start.tsx";
import { usePageTitle } from "../page-title.ts";
import { Cpu } from "./cpu.tsx";
import styles from "./dashboard.module.css";
import { EncryptionProof } from "./encryption.tsx";
import { Exports } from "./exports.tsx";
import { ShownContext } from "./figures-context.ts";
import { Latency } from "./latency.tsx";
import { Network } from "./network.tsx";
import { read } from "./read.ts";

const faults: Record<ReportFault, MessageDescriptor> = {
  "too-large": msg`This file is too large for a report.`,
  "not-a-report": msg`This file is no report of Sealcast and no webrtc-internals dump.`,
  "other-version": msg`This report is from a later version of Sealcast.`,
  empty: msg`There is nothing in this report.`,
};

/** The dashboard of a file. It stays on this computer. */
export default function DashboardPage() {
  const { t, i18n } = useLingui();
  const [report, setReport] = useState<Report | null>(null);
  const [fault, setFault] = useState<ReportFault | null>(null);
  usePageTitle(t`Dashboard – Sealcast`);
  const open = async (file: File | undefined) => {
    if (file === undefined) return;
    const parsed = await read(file);
    setReport(parsed.ok ? parsed.report : null);
    setFault(parsed.ok ? null : parsed.why);
  };
  return (
    <main className={styles.page}>
      <div className={styles.head}>
        <h1>
          <Trans>Dashboard</Trans>
        </h1>
        <BackToStart quiet />
      </div>
      <div className={styles.opening}>
        <label className={styles.choice}>
          <Trans>Report</Trans>
          <input
            type="file"
            accept=".json,.csv,application/json,text/csv"
            onChange={(event) => void open(event.target.files?.[0])}
          />
        </label>
        <p className={styles.quiet}>
          <Trans>
            Choose a report that was exported from a call or stream, or a webrtc-internals dump. It is read in this
            browser and sent nowhere.
          </Trans>
        </p>
        <p role="alert">{fault !== null && i18n._(faults[fault])}</p>
      </div>
      {report !== null && <FileReport key={report.made} report={report} />}
    </main>
  );
}

function FileReport({ report }: { report: Report }) {
  const { i18n } = useLingui();
  const { made, browser, cores } = report;
  const date = made === "" ? "" : i18n.date(made, { dateStyle: "long", timeStyle: "medium" });
  return (
    <ShownContext value={{ figures: figuresOf(report), live: null }}>
      {made !== "" && (
        <p className={`${styles.opening} ${styles.quiet}`}>
          <Trans>
            Made on {date}, in {browser}, on a computer with {cores} cores.
          </Trans>
        </p>
      )}
      <div className={styles.body}>
        <Latency />
        <Cpu />
        <EncryptionProof>{null}</EncryptionProof>
        <Network />
      </div>
      <Exports report={() => report} />
    </ShownContext>
  );
}
