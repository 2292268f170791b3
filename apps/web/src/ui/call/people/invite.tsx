import { Trans, useLingui } from "@lingui/react/macro";
import button from "../../button.module.css";
import { useCopying } from "../../copying.ts";
import { LinkIcon } from "../../parts/icons.tsx";
import { useActions, useView } from "../call-context.ts";
import styles from "./invite.module.css";

const onlyHere = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

/** While nobody else is here it stands over the bar with a prompt; afterwards the same button is part of the bar. */
export function Invite() {
  const { t } = useLingui();
  const actions = useActions();
  const alone = useView((view) => view.people.length === 0);
  const { copied, copy } = useCopying(() => actions.inviteLink());

  return (
    <section className={styles.invite} data-alone={alone} aria-label={t`Invite`}>
      <div className={styles.words} data-shown={alone || copied !== null}>
        {alone && (
          <h2>
            <Trans>You are the only one here</Trans>
          </h2>
        )}
        <output>
          {copied === "refused" && <Trans>The browser refused to copy. Allow this page to use the clipboard.</Trans>}
          {copied === "yes" && <Trans>Link copied.</Trans>} {(alone || copied === "yes") && <Reach />}
        </output>
      </div>
      <button type="button" className={`${alone ? button.primary : button.quiet} ${styles.copy}`} onClick={copy}>
        <LinkIcon />
        <span>
          <Trans>Copy invite link</Trans>
        </span>
      </button>
    </section>
  );
}

/** Whom the link reaches. */
function Reach() {
  const runsServer = useView(({ people, rules }) => people.length === 0 && rules.host);
  if (!onlyHere) return <Trans>Send it to the people you want here: anyone with the link can join.</Trans>;
  // Guests cannot do anything about it.
  if (!runsServer) return <Trans>Only this computer can open the link.</Trans>;
  return (
    <Trans>
      Only this computer can open the link. To invite others, start the server with <code>npm start -- --https</code>.
    </Trans>
  );
}
