import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import button from "../button.module.css";
import { CloseIcon } from "../icons.tsx";
import { useView } from "./call-context.ts";
import { useDeviceProblems } from "./devices.tsx";
import styles from "./notices.module.css";

export function SignallingNotice() {
  const lost = useView((view) => view.signalling === "reconnecting");
  return (
    <output className={styles.notice}>{lost && <Trans>Reconnecting to the server. Your call goes on.</Trans>}</output>
  );
}

export function FailingNotice() {
  const who = useView(({ encryption: { causes } }) => [...new Set(causes.map((cause) => cause.who))].join(", "));
  return (
    <p role="alert" className={styles.notice} data-tone="bad">
      {who !== "" && <Trans>Encryption with {who} is failing. The encryption details say why.</Trans>}
    </p>
  );
}

/** What the lobby already said is not said again, unless it happens again. */
export function DeviceNotice() {
  const { t } = useLingui();
  const camera = useView((view) => view.me.camera);
  const microphone = useView((view) => view.me.microphone);
  const problems = useDeviceProblems();
  const [known, setKnown] = useState([camera, microphone]);
  const news = [camera, microphone].some((device) => device.problem !== null && !known.includes(device));
  return (
    <output className={styles.notice} data-tone="caution">
      {news && (
        <>
          {problems.join(" ")}
          <button
            type="button"
            className={button.round}
            aria-label={t`Dismiss`}
            onClick={() => setKnown([camera, microphone])}
          >
            <CloseIcon />
          </button>
        </>
      )}
    </output>
  );
}

export function SoundNotice({ onTurnOn }: { onTurnOn: () => void }) {
  return (
    <p className={styles.notice}>
      <Trans>The browser holds the sound back until you ask for it.</Trans>
      <button type="button" className={button.primary} onClick={onTurnOn}>
        <Trans>Turn sound on</Trans>
      </button>
    </p>
  );
}
