import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import type { Badge } from "../../session/audit/badge.ts";
import button from "../button.module.css";
import { AlertIcon, InfoIcon, LockIcon, VerifiedIcon } from "../parts/icons.tsx";
import styles from "./encryption-badge.module.css";

const words: Record<Badge, MessageDescriptor> = {
  failing: msg`failing`,
  "in-part": msg`encrypted in part`,
  verified: msg`verified`,
  encrypted: msg`encrypted`,
  idle: msg`no media`,
};

const icons = {
  failing: <AlertIcon />,
  "in-part": <LockIcon />,
  verified: <VerifiedIcon />,
  encrypted: <LockIcon />,
  idle: <LockIcon />,
};

interface BadgeProps {
  shown: Badge;
  /** What stands behind the word: a dialog, open while it is mounted. */
  details: (close: () => void) => ReactNode;
}

/** What the counters say of the encryption, in a word. */
export function BadgeWord({ shown }: { shown: Badge }) {
  const { t, i18n } = useLingui();
  return (
    <output className={styles.badge} aria-label={t`Encryption`} data-state={shown}>
      {icons[shown]}
      {i18n._(words[shown])}
    </output>
  );
}

/** The word, and what stands behind it. */
export function EncryptionBadge({ shown, details }: BadgeProps) {
  const { t } = useLingui();
  const [open, setOpen] = useState(false);
  return (
    <div className={styles.encryption}>
      <BadgeWord shown={shown} />
      <button type="button" className={button.round} aria-label={t`Encryption details`} onClick={() => setOpen(true)}>
        <InfoIcon />
      </button>
      {open && details(() => setOpen(false))}
    </div>
  );
}
