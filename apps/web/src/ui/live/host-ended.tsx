import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { HostProblem } from "../../session/live/view.ts";
import { BackToStart } from "../back-to-start.tsx";
import button from "../button.module.css";
import { lackWords } from "../lacks.ts";
import { Message } from "../message.tsx";
import { useHost } from "./live-context.ts";

interface Ending {
  title: MessageDescriptor;
  text: MessageDescriptor;
  /** What the button that opens the page again says; null where that cannot help. */
  again: MessageDescriptor | null;
}

const retry = msg`Try again`;

const endings: Record<HostProblem | "ended", Ending> = {
  ended: {
    title: msg`The stream has ended`,
    text: msg`Your camera and microphone are off. Viewers who stay on their page see you again when you go live with the same link.`,
    again: msg`Go live again`,
  },
  "browser-unsupported": {
    title: msg`This browser cannot seal a stream`,
    text: msg`A current version of Chrome, Edge or Firefox can, on a page that came over https. Missing here:`,
    again: null,
  },
  "not-host": {
    title: msg`This is not your stream`,
    text: msg`Only the browser that made this stream can go live at this address. To go live yourself, begin at the start. To watch, ask for the viewers’ link.`,
    again: null,
  },
  elsewhere: {
    title: msg`You are live in another tab`,
    text: msg`Another tab of this browser has taken over the stream.`,
    again: msg`Go live here`,
  },
  taken: {
    title: msg`The host’s place is taken`,
    text: msg`Somebody else holds the place of this stream’s host at the server. Viewers refuse them, but you cannot go live under this link for now. Begin at the start with a new one.`,
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

export function HostEnded({ again }: { again: () => void }) {
  const { i18n } = useLingui();
  const problem = useHost((view) => view.problem);
  const lacks = useHost((view) => view.lacks);
  const ending = endings[problem ?? "ended"];
  return (
    <Message
      title={i18n._(ending.title)}
      text={i18n._(ending.text)}
      list={lacks.map((lack) => i18n._(lackWords[lack]))}
    >
      {ending.again && (
        <button type="button" className={button.primary} onClick={again}>
          {i18n._(ending.again)}
        </button>
      )}
      <BackToStart quiet={ending.again !== null} />
    </Message>
  );
}
