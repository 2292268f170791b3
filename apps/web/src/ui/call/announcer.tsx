import { useLingui } from "@lingui/react/macro";
import { useEffect, useRef, useState } from "react";
import type { Person } from "../../session/view.ts";
import styles from "./announcer.module.css";
import { useView } from "./call-context.ts";

/** Arrivals within this time make one sentence. */
const batchMs = 1_500;

/** Tells a screen reader who came, who left and who is called something else now. */
export function Announcer() {
  const { t, i18n } = useLingui();
  const people = useView((view) => view.people);
  const known = useRef<Person[]>([]);
  const [said, setSaid] = useState("");
  const names = people.map(({ id, name }) => `${id} ${name}`).join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: only who is here restarts the wait, not what they do
  useEffect(() => {
    const timer = setTimeout(() => {
      const joined = missingFrom(known.current, people);
      const left = missingFrom(people, known.current);
      const renamed = renamedSince(known.current, people);
      known.current = people;
      const list = new Intl.ListFormat(i18n.locale);
      const sentences = [
        joined.length > 0 && t`${list.format(joined)} joined.`,
        left.length > 0 && t`${list.format(left)} left.`,
        ...renamed.map(([before, now]) => t`${before} is now called ${now}.`),
      ];
      setSaid(sentences.filter(Boolean).join(" "));
    }, batchMs);
    return () => clearTimeout(timer);
  }, [names]);

  return (
    <div className={styles.unseen} aria-live="polite">
      {said}
    </div>
  );
}

/** Names of those in `after` who are not in `before`. */
function missingFrom(before: Person[], after: Person[]): string[] {
  return after.filter(({ id }) => !before.some((person) => person.id === id)).map(({ name }) => name);
}

function renamedSince(before: Person[], after: Person[]): [before: string, now: string][] {
  return after.flatMap(({ id, name }): [string, string][] => {
    const former = before.find((person) => person.id === id)?.name ?? name;
    return former === name ? [] : [[former, name]];
  });
}
