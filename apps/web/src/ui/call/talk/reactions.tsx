import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useRef } from "react";
import { REACTIONS, type ReactionKind } from "../../../session/talk/reactions.ts";
import { ReactionIcon } from "../../parts/icons.tsx";
import toggle from "../../parts/toggle.module.css";
import { useActions, useView } from "../call-context.ts";
import styles from "./talk.module.css";

export const REACTION_WORDS: Record<ReactionKind, { picture: string; word: MessageDescriptor }> = {
  "thumbs-up": { picture: "👍", word: msg`Thumbs up` },
  clapping: { picture: "👏", word: msg`Applause` },
  heart: { picture: "❤️", word: msg`Heart` },
  laughing: { picture: "😂", word: msg`Laughing` },
  surprised: { picture: "😮", word: msg`Surprised` },
  celebrating: { picture: "🎉", word: msg`Celebration` },
};

/** Opens the few reactions that there are: `choice` is the id of their ReactionsChoice. */
export function ReactionsButton({ choice }: { choice: string }) {
  return (
    <button type="button" className={toggle.toggle} popoverTarget={choice}>
      <ReactionIcon />
      <span>
        <Trans>Reactions</Trans>
      </span>
    </button>
  );
}

export function ReactionsChoice({ id }: { id: string }) {
  const { i18n, t } = useLingui();
  const actions = useActions();
  const choice = useRef<HTMLDivElement>(null);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields of a form
    <div ref={choice} id={id} popover="auto" role="group" aria-label={t`Reactions`} className={styles.choice}>
      {REACTIONS.map((kind) => (
        <button
          key={kind}
          type="button"
          aria-label={i18n._(REACTION_WORDS[kind].word)}
          title={i18n._(REACTION_WORDS[kind].word)}
          onClick={() => {
            actions.react(kind);
            choice.current?.hidePopover();
          }}
        >
          <span aria-hidden="true">{REACTION_WORDS[kind].picture}</span>
        </button>
      ))}
    </div>
  );
}

/** On a person's tile, for some seconds. */
export function ReactionMark({ id }: { id: string | null }) {
  const { i18n } = useLingui();
  const shown = useView((view) => view.reactions.find((reaction) => reaction.id === id));
  return (
    shown && (
      <span key={shown.key} role="img" className={styles.reaction} aria-label={i18n._(REACTION_WORDS[shown.kind].word)}>
        {REACTION_WORDS[shown.kind].picture}
      </span>
    )
  );
}
