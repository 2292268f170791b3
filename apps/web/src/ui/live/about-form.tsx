import { Trans, useLingui } from "@lingui/react/macro";
import { type SubmitEvent, useState } from "react";
import { leafName } from "../../session/call/call-view.ts";
import { type StreamAbout, titleOf } from "../../session/live/about.ts";
import button from "../button.module.css";
import fields from "../parts/fields.module.css";
import styles from "./about-form.module.css";
import { useHost, useHostActions } from "./live-context.ts";

/** What viewers are shown of the stream: before it begins as it is typed, during it once the host says so. */
export function AboutForm() {
  const { t } = useLingui();
  const actions = useHostActions();
  const shown = useHost((view) => view.about);
  const isLive = useHost((view) => view.phase === "live");
  const [draft, setDraft] = useState<StreamAbout | null>(null);
  const typed = draft ?? shown;
  const type = (change: Partial<StreamAbout>) => {
    const about = { ...typed, ...change };
    setDraft(about);
    if (!isLive) actions.describe(about);
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    actions.describe(typed);
    setDraft(null);
  };
  const [title, host] = [titleOf(typed.title), leafName(typed.host) ?? ""];
  return (
    <form className={styles.about} aria-label={t`What viewers are shown`} onSubmit={submit}>
      <label className={fields.field}>
        <Trans>Title (optional)</Trans>
        <input
          value={typed.title}
          autoComplete="off"
          enterKeyHint="done"
          onChange={(event) => type({ title: event.target.value })}
        />
        <Cut typed={typed.title} shown={title} />
      </label>
      <label className={fields.field}>
        <Trans>Your name (optional)</Trans>
        <input
          value={typed.host}
          autoComplete="off"
          enterKeyHint="done"
          spellCheck={false}
          onChange={(event) => type({ host: event.target.value })}
        />
        <Cut typed={typed.host} shown={host} />
      </label>
      {isLive && (
        <button type="submit" className={button.quiet} aria-disabled={title === shown.title && host === shown.host}>
          <Trans>Show to viewers</Trans>
        </button>
      )}
      <p className={styles.note}>
        <Trans>Only viewers see them: they are sealed like the stream.</Trans>
      </p>
    </form>
  );
}

/** Viewers see one line, without what is invisible in it, and no more than the first letters of a long one. */
function Cut({ typed, shown }: { typed: string; shown: string }) {
  return (
    <output className={styles.cut}>
      {shown !== typed.normalize().trim() && (
        <Trans>
          Viewers see “<bdi>{shown}</bdi>”.
        </Trans>
      )}
    </output>
  );
}
