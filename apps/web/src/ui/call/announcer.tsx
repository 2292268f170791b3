import { useLingui } from "@lingui/react/macro";
import { useEffect, useRef, useState } from "react";
import type { Person } from "../../session/call/person.ts";
import styles from "./announcer.module.css";
import { useView } from "./call-context.ts";

/** Arrivals within this time make one sentence. */
const batchMs = 1_500;

/** Tells a screen reader who came, who left and who is called something else now. */
export function Announcer() {
  const { t, i18n } = useLingui();
  const people = useView((view) => view.people);
  const removals = useView((view) => view.removed);
  const known = useRef<Person[]>([]);
  const [said, setSaid] = useState("");
  const names = people.map(({ id, name }) => `${id} ${name}`).join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: only who is here restarts the wait, not what they do
  useEffect(() => {
    const timer = setTimeout(() => {
      const joined = people
        .filter(({ id }) => !known.current.some((person) => person.id === id))
        .map(({ name }) => name);
      const gone = known.current.filter(({ id }) => !people.some((person) => person.id === id));
      const removed = gone.filter(({ id }) => removals.includes(id)).map(({ name }) => name);
      const left = gone.filter(({ id }) => !removals.includes(id)).map(({ name }) => name);
      const renamed = renamedSince(known.current, people);
      known.current = people;
      const list = new Intl.ListFormat(i18n.locale);
      const sentences = [
        joined.length > 0 && t`${list.format(joined)} joined.`,
        left.length > 0 && t`${list.format(left)} left.`,
        removed.length === 1 && t`${list.format(removed)} was removed.`,
        removed.length > 1 && t`${list.format(removed)} were removed.`,
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

function renamedSince(before: Person[], after: Person[]): [before: string, now: string][] {
  return after.flatMap(({ id, name }): [string, string][] => {
    const former = before.find((person) => person.id === id)?.name ?? name;
    return former === name ? [] : [[former, name]];
  });
}
