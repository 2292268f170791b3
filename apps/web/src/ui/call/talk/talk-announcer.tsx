import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useEffect, useRef, useState } from "react";
import type { ShownReaction } from "../../../session/talk/reactions.ts";
import announcer from "../announcer.module.css";
import { useView } from "../call-context.ts";
import { REACTION_WORDS } from "./reactions.tsx";

/** Between two announcements; what happens meanwhile makes one. */
const GAP_MS = 3_000;
/** Names that are said at most; of more people, how many they are. */
const MOST_NAMES = 3;

/** Tells a screen reader whose hand went up or down, and who reacts how. */
export function TalkAnnouncer() {
  const { t } = useLingui();
  const { order, isLowered } = useView((view) => view.hands);
  const reactions = useView((view) => view.reactions);
  const sentencesOf = useSentences();
  const known = useRef({ order, isLowered, key: -1 });
  const saidAt = useRef(Number.NEGATIVE_INFINITY);
  const [said, setSaid] = useState("");
  const newest = Math.max(-1, ...reactions.map(({ key }) => key));

  // biome-ignore lint/correctness/useExhaustiveDependencies: a hand or a reaction, and no other change
  useEffect(() => {
    const before = known.current;
    const raised = order.filter((id) => id !== null && !before.order.includes(id));
    const down = before.order.filter((id) => id !== null && !order.includes(id));
    const fresh = reactions.filter(({ key, id }) => id !== null && key > before.key);
    const isNews = raised.length + down.length + fresh.length > 0 || (isLowered && !before.isLowered);
    if (!isNews) {
      known.current = { order, isLowered, key: Math.max(before.key, newest) };
      return;
    }
    const timer = setTimeout(
      () => {
        known.current = { order, isLowered, key: Math.max(before.key, newest) };
        saidAt.current = performance.now();
        const own = isLowered && !before.isLowered ? [t`A host lowered your hand.`] : [];
        setSaid([...own, ...sentencesOf(raised, down, fresh)].join(" "));
      },
      Math.max(0, saidAt.current + GAP_MS - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [order, isLowered, newest]);

  return (
    <div className={announcer.unseen} aria-live="polite">
      {said}
    </div>
  );
}

type Ids = readonly (string | null)[];

function useSentences() {
  const { t, i18n } = useLingui();
  const people = useView((view) => view.people);
  const order = useView((view) => view.hands.order);
  const listed = (ids: Ids): string => {
    const names = ids.flatMap((id) => people.find((person) => person.id === id)?.name ?? []);
    if (names.length > MOST_NAMES) return t`${plural(names.length, { one: "# person", other: "# people" })}`;
    return new Intl.ListFormat(i18n.locale).format(names);
  };
  return (raised: Ids, down: Ids, fresh: readonly ShownReaction[]): string[] => {
    const stillHere = down.filter((id) => people.some((person) => person.id === id));
    const places = raised.map((id) => order.indexOf(id) + 1);
    const kinds = [...new Set(fresh.map(({ kind }) => kind))];
    return [
      ...(raised.length === 1 ? [t`${listed(raised)} raised a hand, number ${places[0] ?? 0}.`] : []),
      ...(raised.length > 1 ? [t`${listed(raised)} raised a hand.`] : []),
      ...(stillHere.length > 0 ? [t`Hand down: ${listed(stillHere)}.`] : []),
      ...kinds.map((kind) => {
        const who = listed(fresh.filter((reaction) => reaction.kind === kind).map(({ id }) => id));
        return t`${i18n._(REACTION_WORDS[kind].word)}: ${who}.`;
      }),
    ];
  };
}
