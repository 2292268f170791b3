import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useRef } from "react";
import { useView } from "../call-context.ts";
import styles from "./captions.module.css";
import { useCaptionSettings } from "./settings.ts";

/** What is said, and how that stands where it is not as it should be. */
export default function Captions() {
  const { size } = useCaptionSettings();
  const shows = useView((view) => view.captions.shows);
  return (
    <div className={styles.captions} data-size={size}>
      <output className={styles.status}>
        <Status />
      </output>
      {shows && <Lines />}
    </div>
  );
}

function Status() {
  const engine = useView((view) => view.captions.engine);
  const loaded = useView((view) => view.captions.loaded);
  const isEmpty = useView(({ captions: { shows, isAble, lines } }) => shows && !isAble && lines.length === 0);
  if (isEmpty) return <Trans>This browser cannot make captions. It shows those that speakers send.</Trans>;
  switch (engine) {
    case "loading":
      return loaded < 100 ? <Trans>Loading captions…</Trans> : <Trans>Getting captions ready…</Trans>;
    case "behind":
      return <Trans>Captions are paused because this device is too slow for them now. They go on by themselves.</Trans>;
    case "failed":
      return <Trans>Captions could not be loaded. You can try again under Captions.</Trans>;
    case "on":
    case "off":
      return null;
  }
}

function Lines() {
  const { t } = useLingui();
  const { isAnnounced } = useCaptionSettings();
  const lines = useView((view) => view.captions.lines);
  const isOfSeveral = new Set(lines.map(({ speaker }) => speaker)).size > 1;
  const log = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the latest line is in sight whenever there is another
  useEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [lines]);
  return (
    <div
      ref={log}
      role="log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard
      tabIndex={0}
      className={styles.lines}
      data-several={isOfSeveral}
      aria-label={t`Captions`}
      aria-live={isAnnounced ? "polite" : "off"}
    >
      {lines.map(({ key, name, text }) => (
        <p key={key}>
          <strong>
            <bdi>{name}</bdi>
          </strong>{" "}
          <span dir="auto">{text}</span>
        </p>
      ))}
    </div>
  );
}
