import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { newCallPath, newLivePath } from "../../session/link.ts";
import { dropOldEntries, hasLab, keepShell } from "../../session/shell.ts";
import button from "../button.module.css";
import { LanguageChoice } from "../language/language-choice.tsx";
import { useOffline } from "../online.tsx";
import { usePageTitle } from "../page-title.ts";
import option from "../parts/option.module.css";
import styles from "./home.module.css";
import { InviteLink } from "./invite-link.tsx";
import { Journey } from "./journey.tsx";

export function Home() {
  const { t } = useLingui();
  const offline = useOffline();
  usePageTitle(t`Sealcast – private video calls and live streams`);
  useEffect(keepShell, []);
  useEffect(dropOldEntries, []);
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
        <output className={styles.offline}>
          {offline && <Trans>You are offline. Calls and streams need a connection.</Trans>}
        </output>
        <Starts />
      </div>
      <Journey />
      <More />
    </main>
  );
}

function Starts() {
  const [, navigate] = useLocation();
  const [twice, setTwice] = useState(false);
  const [failed, setFailed] = useState(false);

  const start = (path: Promise<string>, options?: { replace: boolean }) => {
    setFailed(false);
    path.then((to) => navigate(to, options)).catch(() => setFailed(true));
  };

  // The installed app's own shortcut. Back from the call does not start another one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each visit
  useEffect(() => {
    if (new URLSearchParams(location.search).get("start") === "call") start(newCallPath(1), { replace: true });
  }, []);

  return (
    <>
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
      <p role="alert" className={styles.failed}>
        {failed && <Trans>This page cannot make a key here. Open it over https, or on localhost.</Trans>}
      </p>
      <div className={styles.ways}>
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
        <InviteLink />
      </div>
    </>
  );
}

function More() {
  const { t } = useLingui();
  return (
    <div className={styles.more}>
      <nav aria-label={t`More`}>
        {/* Loaded, not shown in this page: the vault's service worker answers pages that were loaded there. */}
        <a href="/vault">
          <Trans>Recordings</Trans>
        </a>
        <Link href="/dashboard">
          <Trans>Dashboard</Trans>
        </Link>
        <Link href="/help">
          <Trans>Help</Trans>
        </Link>
        <Link href="/privacy">
          <Trans>Privacy</Trans>
        </Link>
        {hasLab() && (
          <a href="/lab/">
            <Trans>Lab</Trans>
          </a>
        )}
      </nav>
      <LanguageChoice />
    </div>
  );
}
