import { Trans } from "@lingui/react/macro";
import { type SubmitEvent, useState } from "react";
import { leafName } from "../../session/call/call-view.ts";
import type { AskingActions } from "../../session/live/asking.ts";
import { MAX_QUESTION } from "../../session/live/messages.ts";
import button from "../button.module.css";
import fields from "../parts/fields.module.css";
import styles from "./ask-form.module.css";
import { useWatch, useWatchActions } from "./live-context.ts";

type Outcome = ReturnType<AskingActions["ask"]> | "named";

export default function AskForm() {
  const actions = useWatchActions();
  const given = useWatch((view) => view.name);
  const [name, setName] = useState(given);
  const [text, setText] = useState("");
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const isRenamed = (leafName(name) ?? "") !== given;
  const giveName = (): boolean => {
    const isGiven = actions.giveName(name) === "yes";
    setOutcome(isGiven ? "named" : "wait");
    return isGiven;
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isRenamed && !giveName()) return;
    const sent = actions.ask(text);
    setOutcome(sent);
    if (sent === "yes") setText("");
  };
  return (
    <form className={styles.ask} onSubmit={submit}>
      <p>
        <Trans>
          It is sealed like the stream. The host reads it, and may show it to all viewers, without your name.
        </Trans>
      </p>
      <label className={fields.field}>
        <Trans>Your question</Trans>
        <textarea
          rows={3}
          maxLength={MAX_QUESTION}
          value={text}
          required
          autoComplete="off"
          onChange={(event) => {
            setText(event.target.value);
            setOutcome(null);
          }}
        />
      </label>
      <div className={styles.name}>
        <label className={fields.field}>
          <Trans>Your name (optional)</Trans>
          <input
            value={name}
            autoComplete="off"
            enterKeyHint="done"
            spellCheck={false}
            onChange={(event) => {
              setName(event.target.value);
              setOutcome(null);
            }}
          />
        </label>
        <button type="button" className={button.quiet} aria-disabled={!isRenamed} onClick={giveName}>
          <Trans>Give name</Trans>
        </button>
        <p className={styles.note}>
          <Trans>Only the host sees it, with all that you ask.</Trans>
        </p>
      </div>
      <button type="submit" className={button.primary}>
        <Trans>Send question</Trans>
      </button>
      <output>
        {outcome === "yes" && <Trans>Sent to the host. An answer shows below the picture.</Trans>}
        {outcome === "no" && <Trans>It cannot be sent now: the host is not here.</Trans>}
        {outcome === "wait" && <Trans>Not sent yet: wait a few seconds and send it again.</Trans>}
        {outcome === "named" && <NameGiven name={given} />}
      </output>
    </form>
  );
}

function NameGiven({ name }: { name: string }) {
  if (name === "") return <Trans>The host sees no name of yours.</Trans>;
  return (
    <Trans>
      The host sees you as “<bdi>{name}</bdi>”.
    </Trans>
  );
}
