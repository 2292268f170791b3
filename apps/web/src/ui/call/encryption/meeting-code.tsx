import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useEffect } from "react";
import button from "../../button.module.css";
import { useCopying } from "../../copying.ts";
import { useActions, useView } from "../call-context.ts";
import styles from "./meeting-code.module.css";

/** One code for all who are in the group, beside their number and names: what people read to each other. */
export function MeetingCode() {
  const { t } = useLingui();
  const actions = useActions();
  const { digits, people } = useView((view) => view.meetingCode);

  useEffect(() => {
    actions.showMeetingCode(true);
    return () => actions.showMeetingCode(false);
  }, [actions]);

  if (people < 2) return null;
  return (
    <section className={styles.code} aria-label={t`Meeting code`}>
      <h3>
        <Trans>Meeting code</Trans>
      </h3>
      <div className={styles.read}>
        {digits === null ? (
          <p className={styles.words}>
            <Trans>Computing the meeting code…</Trans>
          </p>
        ) : (
          <Digits digits={digits} />
        )}
        <People />
      </div>
      <div className={styles.words}>
        <p>
          <Trans>
            Read this code aloud, with the number of people and their names. Everyone who sees the same digits sees the
            same people’s keys.
          </Trans>
        </p>
        <p>
          <Trans>
            The code does not prove whose key is whose: for that, compare safety codes under “People”. It does not
            reveal a listener whom everyone sees: check that you know every name.
          </Trans>
        </p>
      </div>
    </section>
  );
}

function Digits({ digits }: { digits: string }) {
  const grouped = (digits.match(/.{5}/g) ?? []).join(" ");
  const { copied, copy } = useCopying(() => grouped);
  return (
    <div className={styles.copied}>
      <p className={styles.digits}>{grouped}</p>
      <button type="button" className={button.quiet} onClick={copy}>
        <Trans>Copy code</Trans>
      </button>
      <output className={styles.words}>
        {copied === "yes" && <Trans>Code copied.</Trans>}
        {copied === "refused" && <Trans>The browser refused to copy. Allow this page to use the clipboard.</Trans>}
      </output>
    </div>
  );
}

function People() {
  const { t } = useLingui();
  const me = useView((view) => view.name);
  const { people, names } = useView((view) => view.meetingCode);
  const unnamed = people - 1 - names.length;
  return (
    <div>
      <p className={styles.count}>
        <Plural value={people} one="# person" other="# people" />
      </p>
      <ul className={styles.names} aria-label={t`People in the meeting code`}>
        <li>
          <Trans>
            <bdi>{me}</bdi> (you)
          </Trans>
        </li>
        {names.map((name, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two people can have one name
          <li key={at}>
            <bdi>{name}</bdi>
          </li>
        ))}
        {unnamed > 0 && (
          <li>
            <Plural value={unnamed} one="# person without a name" other="# people without a name" />
          </li>
        )}
      </ul>
    </div>
  );
}
