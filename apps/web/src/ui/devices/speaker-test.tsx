import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import button from "../button.module.css";
import { useDevices } from "./devices-context.ts";
import styles from "./speaker-test.module.css";

/** A sound to try the speaker with. `children`: how it is chosen; null where the browser has no such choice. */
export function SpeakerTest({ children }: { children: ReactNode }) {
  const { t } = useLingui();
  const chosen = useDevices((view) => view.chosen.speaker);
  const [test, setTest] = useState<"none" | "playing" | "played" | "failed">("none");
  const play = () => {
    if (test === "playing") return;
    setTest("playing");
    import("../../session/devices/test-tone.ts")
      .then(({ playTestTone }) => playTestTone(chosen))
      .then(
        () => setTest("played"),
        () => setTest("failed"),
      );
  };
  return (
    <div className={styles.speaker}>
      {children ?? (
        <p>
          <Trans>This browser cannot choose a speaker: sound plays on the one that is set in the system.</Trans>
        </p>
      )}
      <button
        type="button"
        className={button.quiet}
        aria-label={t`Test the speaker`}
        aria-disabled={test === "playing"}
        onClick={play}
      >
        <Trans>Test</Trans>
      </button>
      <output>
        {test === "playing" && <Trans>Playing two notes…</Trans>}
        {test === "played" && <Trans>Heard nothing? Choose another speaker, or turn up the volume.</Trans>}
        {test === "failed" && <Trans>The sound could not be played there. Choose another speaker.</Trans>}
      </output>
    </div>
  );
}
