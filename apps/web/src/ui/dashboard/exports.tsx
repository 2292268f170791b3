import { Trans } from "@lingui/react/macro";
import type { Report } from "@sealcast/metrics";
import { useState } from "react";
import button from "../button.module.css";
import styles from "./dashboard.module.css";
import { type Format, save, share } from "./save.ts";

/** Ways to take a report along. */
export function Exports({ report }: { report: () => Report }) {
  const [done, setDone] = useState<"saved" | "shared" | null>(null);
  const onSave = (format: Format) => {
    save(report(), format);
    setDone("saved");
  };
  const onShare = async () => {
    const shared = await share(report());
    if (!shared) save(report(), "json");
    setDone(shared ? "shared" : "saved");
  };
  return (
    <div className={styles.exports}>
      <p className={styles.quiet}>
        <Trans>
          A report holds figures and the browser’s name. No names, addresses, pictures or keys: people are numbers in
          it. Open it again under “Dashboard” on the start page.
        </Trans>
      </p>
      <button type="button" className={button.quiet} onClick={() => onSave("csv")}>
        <Trans>Export CSV</Trans>
      </button>
      <button type="button" className={button.quiet} onClick={() => onSave("json")}>
        <Trans>Export JSON</Trans>
      </button>
      <button type="button" className={button.quiet} onClick={() => onSave("dump")}>
        <Trans>Export webrtc-internals dump</Trans>
      </button>
      <button type="button" className={button.quiet} onClick={() => void onShare()}>
        <Trans>Share report</Trans>
      </button>
      <output className={styles.quiet}>{done === "saved" && <Trans>Saved as a file.</Trans>}</output>
    </div>
  );
}
