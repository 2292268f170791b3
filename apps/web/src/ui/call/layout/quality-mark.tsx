import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { GOOD, type LinkFault, type LinkQuality } from "../../../session/reception/quality.ts";
import { useView } from "../call-context.ts";
import { PathWords } from "./path-words.tsx";
import styles from "./quality-mark.module.css";

const words: Record<LinkQuality["steps"], MessageDescriptor> = {
  1: msg`Poor connection`,
  2: msg`Fair connection`,
  3: msg`Good connection`,
};

/** How good the connection to a person is. */
const useQuality = (id: string): LinkQuality => useView(({ quality }) => quality[id] ?? GOOD);

/** In three steps, with a word. */
export function QualityMark({ id }: { id: string }) {
  const { i18n } = useLingui();
  const { steps } = useQuality(id);
  return (
    <svg className={styles.mark} data-steps={steps} viewBox="0 0 18 18" role="img" aria-label={i18n._(words[steps])}>
      <rect x="1" y="11" width="4" height="6" rx="1" />
      <rect x="7" y="6.5" width="4" height="10.5" rx="1" />
      <rect x="13" y="2" width="4" height="15" rx="1" />
    </svg>
  );
}

/** The same word, and why it is not a better one. */
export function QualityWords({ id, name }: { id: string; name: string }) {
  const { i18n } = useLingui();
  const { steps, reason } = useQuality(id);
  return (
    <p className={styles.words}>
      <QualityMark id={id} />
      <span>
        <span aria-hidden="true">{i18n._(words[steps])}</span>
        {reason !== null && (
          <span className={styles.reason}>
            {reason === "overloaded" ? <Trans>This computer is overloaded.</Trans> : <Reason {...reason} name={name} />}
          </span>
        )}
        <PathWords id={id} />
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
