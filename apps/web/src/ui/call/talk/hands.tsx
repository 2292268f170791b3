import { Trans, useLingui } from "@lingui/react/macro";
import type { Person } from "../../../session/call/person.ts";
import button from "../../button.module.css";
import { Toggle } from "../../devices/toggle.tsx";
import { HandIcon } from "../../parts/icons.tsx";
import { useActions, useView } from "../call-context.ts";
import people from "../people/people.module.css";
import styles from "./talk.module.css";

export function HandToggle() {
  const { t } = useLingui();
  const actions = useActions();
  const on = useView((view) => view.hands.order.includes(null));
  return (
    <Toggle name={t`Raise hand`} device={{ on, problem: null }} standingOut="on" set={(up) => actions.raiseHand(up)}>
      <HandIcon />
    </Toggle>
  );
}

/** On a tile, and beside a name: that this person's hand is up, and at what place; nothing while it is down. */
export function HandMark({ id }: { id: string | null }) {
  const { t } = useLingui();
  const place = useView((view) => view.hands.order.indexOf(id)) + 1;
  return (
    place > 0 && (
      <span role="img" aria-label={t`Hand raised, number ${place}`} className={styles.hand}>
        <HandIcon />
        {place}
      </span>
    )
  );
}

/** Whose hands are up, in order. */
export function RaisedHands() {
  const order = useView((view) => view.hands.order);
  const everybody = useView((view) => view.people);
  if (order.length === 0) return null;
  return (
    <section className={styles.hands}>
      <h3>
        <Trans>Raised hands</Trans>
      </h3>
      <ol>
        {order.map((id) => (
          <RaisedHand key={id} person={everybody.find((person) => person.id === id) ?? null} />
        ))}
      </ol>
    </section>
  );
}

/** Null: this person's own. */
function RaisedHand({ person }: { person: Person | null }) {
  const { t } = useLingui();
  const actions = useActions();
  const isHost = useView((view) => view.rules.host);
  return (
    <li>
      <HandMark id={person?.id ?? null} />
      <span>{person === null ? <Trans>You</Trans> : <bdi>{person.name}</bdi>}</span>
      {(isHost || person === null) && (
        <button
          type="button"
          className={button.quiet}
          aria-label={person === null ? t`Lower your hand` : t`Lower the hand of ${person.name}`}
          onClick={() => (person === null ? actions.raiseHand(false) : actions.lowerHand(person.id))}
        >
          <Trans>Lower hand</Trans>
        </button>
      )}
    </li>
  );
}

/** A host's: asks a person whose microphone is on to mute. */
export function AskToMute({ person: { id, microphone } }: { person: Person }) {
  const actions = useActions();
  const isHost = useView((view) => view.rules.host);
  const isAsked = useView((view) => view.muting.asked.includes(id));
  if (!isHost) return null;
  if (isAsked)
    return (
      <output className={people.words}>
        {microphone ? <Trans>Asked to mute. They decide: nobody is muted by force.</Trans> : <Trans>Muted.</Trans>}
      </output>
    );
  return (
    microphone && (
      <button type="button" className={button.quiet} onClick={() => actions.askToMute(id)}>
        <Trans>Ask to mute</Trans>
      </button>
    )
  );
}
