import { Trans, useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import button from "../../button.module.css";
import { CloseIcon } from "../../parts/icons.tsx";
import { PersonNames } from "../../person-name.tsx";
import { useView } from "../call-context.ts";
import { SendFile } from "../files/files.tsx";
import styles from "./chat.module.css";
import { Composer } from "./composer.tsx";
import { Log } from "./log.tsx";
import { SaveChat } from "./save-chat.tsx";
import { TalkWaits } from "./talk-waits.tsx";

interface ChatProps {
  draft: string;
  setDraft: (draft: string) => void;
  onClose: () => void;
}

/** The chat, beside the call: what was said, and where to write. */
export default function Chat({ draft, setDraft, onClose }: ChatProps) {
  const { t } = useLingui();
  const [replyTo, setReplyTo] = useState<string | null>(null);
  const input = useRef<HTMLTextAreaElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);

  // On a phone the keyboard would cover what there is to read.
  useEffect(() => {
    const hasKeyboard = matchMedia("(hover: hover) and (pointer: fine)").matches;
    (hasKeyboard ? input.current : heading.current)?.focus();
  }, []);

  const press = (event: KeyboardEvent) => {
    const isInDialog = event.target instanceof Element && event.target.closest("dialog") !== null;
    if (event.key === "Escape" && !event.nativeEvent.isComposing && !isInDialog) onClose();
  };
  return (
    <aside className={styles.panel} aria-label={t`Chat`} data-panel data-side onKeyDown={press}>
      <header className={styles.head}>
        <h2 ref={heading} tabIndex={-1}>
          <Trans>Chat</Trans>
        </h2>
        <SaveChat />
        <button type="button" className={button.round} aria-label={t`Close chat`} onClick={onClose}>
          <CloseIcon />
        </button>
      </header>
      <Log
        onReply={(key) => {
          setReplyTo(key);
          input.current?.focus();
        }}
      />
      <TooFast />
      <StillReading />
      <TalkWaits className={styles.word} />
      <Composer input={input} draft={draft} setDraft={setDraft} replyTo={replyTo} onReplied={() => setReplyTo(null)}>
        <SendFile />
      </Composer>
    </aside>
  );
}

/** Whose connection is closed, and who is in the group all the same. */
function StillReading() {
  const people = useView((view) => view.people);
  const removing = useView((view) => view.removing);
  const names = people
    .filter(({ identity, connection }) => connection === "closed" && !removing.includes(identity))
    .map(({ name }) => name);
  return (
    <output className={styles.word}>
      {names.length > 0 && (
        <Trans>
          Until they are removed, <PersonNames names={names} /> can still read what you write.
        </Trans>
      )}
    </output>
  );
}

function TooFast() {
  const names = useView((view) => view.chat.tooFast);
  return (
    <output className={styles.word}>
      {names.length > 0 && (
        <Trans>
          Some messages of <PersonNames names={names} /> were left out: they came too fast.
        </Trans>
      )}
    </output>
  );
}
