import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { Lack } from "../session/devices/support.ts";
import { BackToStart } from "./back-to-start.tsx";
import button from "./button.module.css";
import { lackWords } from "./lacks.ts";
import { Message } from "./parts/message.tsx";

/** How a call or a stream ended, or why it could not begin, in words. */
export interface EndingWords {
  title: MessageDescriptor;
  text: MessageDescriptor;
  /** What the button that opens the page again says; null where that cannot help. */
  again: MessageDescriptor | null;
  /** The button loads the page: its code is not what is needed. */
  reloads?: true;
}

export const retry = msg`Try again`;

/** What is the same wherever it happens. */
export const commonEndings = {
  "server-unreachable": {
    title: msg`The server does not answer`,
    text: msg`Check your connection, then try again.`,
    again: retry,
  },
  "other-version": {
    title: msg`Sealcast has been updated`,
    text: msg`This page is of another version than its server. Load it again.`,
    again: msg`Load again`,
    reloads: true,
  },
  "keys-failed": {
    title: msg`The encryption could not be set up`,
    text: msg`The browser may block storage for this page, as some private windows do. Allow it, or use another window, then try again.`,
    again: retry,
  },
} satisfies Record<string, EndingWords>;

export const linkDamaged: EndingWords = {
  title: msg`This link does not work`,
  text: msg`This link is damaged or incomplete. Ask for it again.`,
  again: null,
};

export const linkInvalid = msg`This link is no longer valid`;

interface Props {
  words: EndingWords;
  /** What the browser lacks, where that is why. */
  lacks: readonly Lack[];
  again: () => void;
  /** What else can be done now. */
  children?: ReactNode;
}

/** The page after it. */
export function Ending({ words, lacks, again, children }: Props) {
  const { i18n } = useLingui();
  return (
    <Message title={i18n._(words.title)} text={i18n._(words.text)} list={lacks.map((lack) => i18n._(lackWords[lack]))}>
      {words.again && (
        <button type="button" className={button.primary} onClick={words.reloads ? () => location.reload() : again}>
          {i18n._(words.again)}
        </button>
      )}
      {children}
      <BackToStart quiet={words.again !== null} />
    </Message>
  );
}

/** Puts a link into the address again, where its secret does not stay, so that the page can be opened again. */
export function restoreAddress(link: string): void {
  const { pathname, hash } = new URL(link);
  history.replaceState(null, "", pathname + hash);
}
