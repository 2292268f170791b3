import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Person } from "../../../session/call/person.ts";
import button from "../../button.module.css";
import { CloseIcon } from "../../parts/icons.tsx";
import { useActions, useView } from "../call-context.ts";
import { isAlarm, isNameNews, NameNews } from "../encryption/trust.tsx";
import styles from "../notices.module.css";

/**
 * People whose name is, or looks like, another's, or who had another one when this person met them. An alarm stays until they
 * are verified or gone. What is none can be closed; a person who was not verified is then remembered by the name they have.
 */
export function NameNotices() {
  const { t } = useLingui();
  const actions = useActions();
  const people = useView((view) => view.people);
  const [closed, setClosed] = useState<readonly string[]>([]);
  const shown = people.filter((person) => isShown(person) && !closed.includes(newsOf(person)));
  const close = (person: Person) => {
    setClosed([...closed, newsOf(person)]);
    if (person.trust.level !== "verified") actions.remember(person.id);
  };
  return (
    <div role="alert" className={styles.stack}>
      {shown.map((person) => (
        <p
          key={person.id}
          className={styles.notice}
          data-tone={isAlarm(person.trust) ? "bad" : "caution"}
          data-closable={!isAlarm(person.trust)}
        >
          <span>
            <NameNews person={person} />
          </span>
          {!isAlarm(person.trust) && (
            <button type="button" className={button.round} aria-label={t`Dismiss`} onClick={() => close(person)}>
              <CloseIcon />
            </button>
          )}
        </p>
      ))}
    </div>
  );
}

/** Of two people of one name, one notice is enough. */
function isShown({ trust, label }: Person): boolean {
  return isNameNews(trust) && (trust.namesake?.of !== "here" || trust.pinnedName !== null || label.mark !== null);
}

/** The same news of the same person. What remembering them changes is none. */
function newsOf({ id, name }: Person): string {
  return `${id} ${name}`;
}
