import { Plural, Trans } from "@lingui/react/macro";
import { Suspense, useEffect, useState } from "react";
import { ChatIcon } from "../../parts/icons.tsx";
import { Preloadable, Preloaded } from "../../parts/preloaded.tsx";
import toggle from "../../parts/toggle.module.css";
import announcer from "../announcer.module.css";
import { useActions, useView } from "../call-context.ts";
import styles from "./talk.module.css";

const chat = new Preloadable(() => import("./chat.tsx"));

/** What the button is found by, so that the focus can come back to it. */
const CHAT_TOGGLE = "chat-toggle";

export function ChatToggle() {
  const actions = useActions();
  const { open, unread } = useView((view) => view.chat);
  return (
    <button
      type="button"
      id={CHAT_TOGGLE}
      className={toggle.toggle}
      aria-expanded={open}
      onClick={() => actions.showChat(!open)}
    >
      <ChatIcon />
      <span>
        <Trans>Chat</Trans>
      </span>
      {unread > 0 && (
        <>
          <b className={styles.unread} aria-hidden="true">
            {unread > 99 ? "99+" : unread}
          </b>
          <i className={announcer.unseen}>
            <Plural value={unread} one="# unread message" other="# unread messages" />
          </i>
        </>
      )}
    </button>
  );
}

/** Beside the stage while it is open. What was begun to be written stays while it is closed. */
export function ChatPanel() {
  const actions = useActions();
  const open = useView((view) => view.chat.open);
  const [draft, setDraft] = useState("");
  // Once the call has begun, and not when it is first opened: that would tell the server who opens the chat, and when.
  useEffect(() => void chat.load(), []);
  const close = () => {
    actions.showChat(false);
    document.getElementById(CHAT_TOGGLE)?.focus();
  };
  return (
    open && (
      <Suspense>
        <Preloaded page={chat} props={{ draft, setDraft, onClose: close }} />
      </Suspense>
    )
  );
}
