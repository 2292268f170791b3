import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { ViewerProblem } from "../../session/live/view.ts";
import { BackToStart } from "../back-to-start.tsx";
import button from "../button.module.css";
import { lackWords } from "../lacks.ts";
import { Message } from "../message.tsx";
import { useWatch, useWatchActions } from "./live-context.ts";

interface Ending {
  title: MessageDescriptor;
  text: MessageDescriptor;
  /** What the button that opens the stream again says; null where that cannot help. */
  again: MessageDescriptor | null;
}

const retry = msg`Try again`;

const endings: Record<ViewerProblem, Ending> = {
  "link-damaged": {
    title: msg`This link does not work`,
    text: msg`This link is damaged or incomplete. Ask for it again.`,
    again: null,
  },
  "browser-unsupported": {
    title: msg`This browser cannot open a sealed stream`,
    text: msg`A current version of Chrome, Edge or Firefox can, on a page that came over https. Missing here:`,
    again: null,
  },
  "wrong-host": {
    title: msg`This is not the host of your link`,
    text: msg`Somebody answered who has the link but not the key of the host that it names. Nothing of theirs was shown. Ask whoever gave you the link for a new one.`,
    again: retry,
  },
  removed: {
    title: msg`You were removed from the stream`,
    text: msg`The host has removed you. With your link you can only ask to be let in again.`,
    again: msg`Ask to come back`,
  },
  "turned-away": {
    title: msg`You were not let in`,
    text: msg`The host said no. Ask them before you try again.`,
    again: retry,
  },
  "room-full": {
    title: msg`This stream is full`,
    text: msg`More people than the server takes would like to watch. Try again later.`,
    again: retry,
  },
  "server-unreachable": {
    title: msg`The server does not answer`,
    text: msg`Check your connection, then try again.`,
    again: retry,
  },
  "keys-failed": {
    title: msg`The encryption could not be set up`,
    text: msg`The browser may block storage for this page, as some private windows do. Allow it, or use another window, then try again.`,
    again: retry,
  },
};

export function WatchEnded({ again }: { again: () => void }) {
  const { i18n } = useLingui();
  const actions = useWatchActions();
  const problem = useWatch((view) => view.problem) ?? "server-unreachable";
  const lacks = useWatch((view) => view.lacks);
  const ending = endings[problem];

  const reopen = () => {
    const link = new URL(actions.watchLink());
    history.replaceState(null, "", link.pathname + link.hash);
    again();
  };

  return (
    <Message
      title={i18n._(ending.title)}
      text={i18n._(ending.text)}
      list={lacks.map((lack) => i18n._(lackWords[lack]))}
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
