import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { RoomMode } from "../../../session/call/call-view.ts";
import { ClosedIcon } from "../../parts/icons.tsx";
import option from "../../parts/option.module.css";
import { useActions, useView } from "../call-context.ts";
import styles from "./access.module.css";

const modes: readonly { is: RoomMode; words: MessageDescriptor }[] = [
  { is: "open", words: msg`Anyone with the link` },
  { is: "waiting", words: msg`People you approve` },
  { is: "locked", words: msg`No one (locked)` },
];

/** A host's: who can join. */
export function AccessChoice() {
  const { i18n } = useLingui();
  const actions = useActions();
  const { host, mode } = useView((view) => view.rules);
  if (!host) return null;
  return (
    <fieldset className={styles.choice}>
      <legend>
        <Trans>Who can join</Trans>
      </legend>
      {modes.map(({ is, words }) => (
        <label key={is} className={option.option}>
          <input type="radio" name="mode" checked={is === mode} onChange={() => actions.setMode(is)} />
          {i18n._(words)}
        </label>
      ))}
    </fieldset>
  );
}

/** For everybody: that not all who have the link can join. */
export function AccessStatus() {
  const { t } = useLingui();
  const mode = useView((view) => view.rules.mode);
  return (
    <output className={styles.status} aria-label={t`Who can join`}>
      {mode !== "open" && (
        <>
          <ClosedIcon />
          {mode === "locked" ? <Trans>locked</Trans> : <Trans>approval needed</Trans>}
        </>
      )}
    </output>
  );
}
