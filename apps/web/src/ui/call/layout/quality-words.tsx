import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { LinkFault, LinkQuality } from "../../../session/reception/quality.ts";
import styles from "./quality-mark.module.css";
import { QualityMark, qualityWords, useQuality } from "./quality-mark.tsx";

/** The same word, and why it is not a better one. */
export function QualityWords({ id, name }: { id: string; name: string }) {
  const { i18n } = useLingui();
  const { steps, reason } = useQuality(id);
  return (
    <p className={styles.words}>
      <QualityMark id={id} />
      <span>
        <span aria-hidden="true">{i18n._(qualityWords[steps])}</span>
        {reason !== null && (
          <span className={styles.reason}>
            {reason === "overloaded" ? <Trans>This computer is overloaded.</Trans> : <Reason {...reason} name={name} />}
          </span>
        )}
      </span>
    </p>
  );
}

function Reason({ fault, side, name }: Exclude<LinkQuality["reason"], "overloaded" | null> & { name: string }) {
  const words: Record<typeof side, Record<LinkFault, ReactNode>> = {
    here: {
      loss: <Trans>Your connection loses packets.</Trans>,
      delay: <Trans>Your connection answers late.</Trans>,
      unsteady: <Trans>Your connection is unsteady.</Trans>,
      slow: <Trans>Your connection is slow.</Trans>,
    },
    there: {
      loss: (
        <Trans>
          Packets are lost on <bdi>{name}</bdi>’s side.
        </Trans>
      ),
      delay: (
        <Trans>
          Answers come late from <bdi>{name}</bdi>’s side.
        </Trans>
      ),
      unsteady: (
        <Trans>
          Unsteady network on <bdi>{name}</bdi>’s side.
        </Trans>
      ),
      slow: (
        <Trans>
          Slow network on <bdi>{name}</bdi>’s side.
        </Trans>
      ),
    },
    between: {
      loss: (
        <Trans>
          Packets are lost between <bdi>{name}</bdi> and you.
        </Trans>
      ),
      delay: (
        <Trans>
          Packets take long between <bdi>{name}</bdi> and you.
        </Trans>
      ),
      unsteady: (
        <Trans>
          The connection between <bdi>{name}</bdi> and you is unsteady.
        </Trans>
      ),
      slow: (
        <Trans>
          The connection between <bdi>{name}</bdi> and you is slow.
        </Trans>
      ),
    },
  };
  return words[side][fault];
}
