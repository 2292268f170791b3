import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { newCallPath, newLivePath } from "../../session/link.ts";
import button from "../button.module.css";
import option from "../option.module.css";
import { usePageTitle } from "../page-title.ts";
import styles from "./home.module.css";
import { Journey } from "./journey.tsx";

export function Home() {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const [twice, setTwice] = useState(false);
  const [failed, setFailed] = useState(false);
  usePageTitle(t`Sealcast – private video calls and live streams`);

  const start = (path: Promise<string>) => {
    setFailed(false);
    path.then(navigate, () => setFailed(true));
  };

  return (
    <main className={styles.home}>
      <div className={styles.words}>
        <h1>Sealcast</h1>
        <p className={styles.sentence}>
          <Trans>
            Video calls and live streams sealed in your browser, so that only the people you invite can see and hear
            you.
          </Trans>
        </p>
        <div className={styles.starts}>
          <button
            type="button"
            className={`${button.primary} ${button.large}`}
            onClick={() => start(newCallPath(twice ? 2 : 1))}
          >
            <Trans>Start a call</Trans>
          </button>
          <button type="button" className={`${button.quiet} ${button.large}`} onClick={() => start(newLivePath())}>
            <Trans>Go live</Trans>
          </button>
        </div>
        <label className={`${option.option} ${styles.twice}`}>
          <input type="checkbox" checked={twice} onChange={(event) => setTwice(event.target.checked)} />
          <span>
            <Trans>Double encryption</Trans>
            <small>
              <Trans>
                A call with a second, unrelated cipher, in case the first is ever broken. Uses more processing power.
              </Trans>
            </small>
          </span>
        </label>
        <p className={styles.more}>
          <Trans>
            {/* Loaded, not shown in this page: the vault's service worker answers pages that were loaded there. */}
            <a href="/vault">Recordings</a> stay sealed in this browser.
          </Trans>
        </p>
        <p className={styles.more}>
          <Trans>
            Have an exported call report? Open it in the <Link href="/dashboard">Dashboard</Link>.
          </Trans>
        </p>
        <p role="alert" className={styles.failed}>
          {failed && <Trans>This page cannot make a key here. Open it over https, or on localhost.</Trans>}
        </p>
      </div>
      <Journey />
    </main>
  );
}
