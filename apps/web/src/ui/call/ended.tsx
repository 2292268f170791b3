import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { Problem } from "../../session/view.ts";
import { BackToStart } from "../back-to-start.tsx";
import button from "../button.module.css";
import { lackWords } from "../lacks.ts";
import { Message } from "../message.tsx";
import { useActions, useView } from "./call-context.ts";

interface Ending {
  title: MessageDescriptor;
  text: MessageDescriptor;
  /** What the button that opens the call again says; null where that cannot help. */
  again: MessageDescriptor | null;
}

const rejoin = msg`Rejoin`;
const retry = msg`Try again`;

const endings: Record<Problem | "left", Ending> = {
  left: { title: msg`You left the call`, text: msg`Your camera and microphone are off.`, again: rejoin },
  "link-damaged": {
    title: msg`This link does not work`,
    text: msg`This link is damaged or incomplete. Ask for it again.`,
    again: null,
  },
  "browser-unsupported": {
    title: msg`This browser cannot seal a call`,
    text: msg`A current version of Chrome, Edge or Firefox can, on a page that came over https. Missing here:`,
    again: null,
  },
  "room-full": {
    title: msg`This call is full`,
    text: msg`Wait until somebody leaves, then try again.`,
    again: retry,
  },
  "server-unreachable": {
    title: msg`The server does not answer`,
    text: msg`Check your connection, then try again.`,
    again: retry,
  },
  elsewhere: {
    title: msg`The call goes on in another tab`,
    text: msg`A copy of this tab took your place in the call.`,
    again: rejoin,
  },
  "not-admitted": {
    title: msg`Nobody let you in`,
    text: msg`Whoever is in this call does not answer your link. It may have been replaced, or somebody with another link has started the call anew. Ask who invited you for the current one.`,
    again: retry,
  },
  "turned-away": {
    title: msg`You were not let in`,
    text: msg`Whoever started this call said no, or has locked it. Ask them before you try again.`,
    again: retry,
  },
  removed: {
    title: msg`You were removed from the call`,
    text: msg`Whoever started it has removed you. With your link you can only ask to be let in again.`,
    again: msg`Ask to come back`,
  },
  "keys-failed": {
    title: msg`The encryption could not be set up`,
    text: msg`The browser may block storage for this page, as some private windows do. Allow it, or use another window, then try again.`,
    again: retry,
  },
};

export function Ended({ again }: { again: () => void }) {
  const { i18n } = useLingui();
  const actions = useActions();
  const problem = useView((view) => view.problem);
  const missing = useView((view) => view.lacks);
  const ending = endings[problem ?? "left"];

  const reopen = () => {
    const link = new URL(actions.inviteLink());
    history.replaceState(null, "", link.pathname + link.hash);
    again();
  };

  return (
    <Message
      title={i18n._(ending.title)}
      text={i18n._(ending.text)}
      list={missing.map((lack) => i18n._(lackWords[lack]))}
    >
      {ending.again && (
        <button type="button" className={button.primary} onClick={reopen}>
          {i18n._(ending.again)}
        </button>
      )}
      <BackToStart quiet={ending.again !== null} />
    </Message>
  );
}
