import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import button from "../button.module.css";
import { useCopying } from "../copying.ts";
import { LinkIcon } from "../parts/icons.tsx";
import { QrCode } from "../parts/qr-code.tsx";
import { useHost, useHostActions } from "./live-context.ts";
import styles from "./share.module.css";

/** The viewers' link, to be copied or scanned. */
export function Share() {
  const { t } = useLingui();
  const actions = useHostActions();
  // The link itself stays out of the store; this says that it is another one.
  const replaced = useHost((view) => view.linkReplaced);
  const hasLink = useHost((view) => view.hasLink);
  const { copied, copy } = useCopying(() => actions.watchLink());
  const [shown, setShown] = useState(false);

  return (
    <section className={styles.share} aria-label={t`Invite viewers`}>
      <div className={styles.buttons}>
        <button type="button" className={button.quiet} disabled={!hasLink} onClick={copy}>
          <LinkIcon />
          <Trans>Copy viewers’ link</Trans>
        </button>
        <button
          type="button"
          className={button.quiet}
          disabled={!hasLink}
          aria-expanded={shown}
          onClick={() => setShown(!shown)}
        >
          {shown ? <Trans>Hide QR code</Trans> : <Trans>Show QR code</Trans>}
        </button>
      </div>
      <output>
        {copied === "yes" && <Trans>Link copied. Anyone with the link can watch.</Trans>}
        {copied === "refused" && <Trans>The browser refused to copy. Allow this page to use the clipboard.</Trans>}
        {copied === null && replaced > 0 && (
          <Trans>The link was replaced. Who comes with the one before has to be let in by you.</Trans>
        )}
      </output>
      {shown && <QrCode key={replaced} text={actions.watchLink()} label={t`The viewers’ link as a QR code`} />}
    </section>
  );
}
