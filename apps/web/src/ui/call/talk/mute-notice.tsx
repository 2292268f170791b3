import { Trans } from "@lingui/react/macro";
import button from "../../button.module.css";
import { useActions, useView } from "../call-context.ts";
import notices from "../notices.module.css";

/** A host asks this person to mute: they decide. */
export function MuteNotice() {
  const actions = useActions();
  const who = useView(({ muting, people }) => people.find(({ id }) => id === muting.askedBy)?.name ?? null);
  return (
    <div role="status" className={notices.stack}>
      {who !== null && (
        <p className={notices.notice}>
          <span>
            <Trans>
              <bdi>{who}</bdi>, a host, asks you to mute your microphone.
            </Trans>
          </span>
          <button type="button" className={button.primary} onClick={() => actions.answerMuting(true)}>
            <Trans>Mute</Trans>
          </button>
          <button type="button" className={button.quiet} onClick={() => actions.answerMuting(false)}>
            <Trans>Stay on</Trans>
          </button>
        </p>
      )}
    </div>
  );
}
