import { Trans } from "@lingui/react/macro";
import { type SubmitEvent, useState } from "react";
import { leafName } from "../../../session/call/call-view.ts";
import button from "../../button.module.css";
import fields from "../../parts/fields.module.css";
import { recall, remember } from "../../stored.ts";
import { useActions, useView } from "../call-context.ts";
import styles from "./people.module.css";

const key = "sealcast.name";

export const recallName = (): string => recall(key);

export const rememberName = (name: string): void => remember(key, leafName(name) ?? "");

/** Others see a name without what is invisible in it, and no more than the first letters of a long one. */
export function CutName({ name }: { name: string }) {
  const shown = leafName(name);
  if (shown === null || shown === name.normalize().trim()) return null;
  return (
    <Trans>
      Others see “<bdi>{shown}</bdi>”.
    </Trans>
  );
}

/** Changes this person's name in the call. */
export function OwnName() {
  const actions = useActions();
  const current = useView((view) => view.name);
  const [name, setName] = useState(current);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    rememberName(name);
    actions.rename(name);
  };
  const isSame = leafName(name) === current;
  return (
    <form className={styles.own} onSubmit={submit}>
      <label className={fields.field}>
        <Trans>Your name</Trans>
        <input
          value={name}
          onChange={(event) => setName(event.target.value)}
          dir="auto"
          autoComplete="name"
          enterKeyHint="done"
          spellCheck={false}
        />
      </label>
      <button type="submit" className={button.quiet} disabled={isSame || leafName(name) === null}>
        <Trans>Change</Trans>
      </button>
      <output className={styles.words}>
        <CutName name={name} />
      </output>
    </form>
  );
}
