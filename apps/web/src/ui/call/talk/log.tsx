import { Trans, useLingui } from "@lingui/react/macro";
import { memo, type RefObject, useLayoutEffect, useRef, useState } from "react";
import type { ChatLine } from "../../../session/talk/chat.ts";
import button from "../../button.module.css";
import { ReplyIcon } from "../../parts/icons.tsx";
import { useView } from "../call-context.ts";
import styles from "./chat.module.css";
import { cut } from "./cut.ts";
import { Text } from "./text.tsx";

/** Messages that are drawn at first, and more with each press of "Show earlier messages". */
const STEP = 200;
/** From here on to its end, the list follows what comes: CSS pixels. */
const NEAR_END = 80;

/** What was said, the latest last. Screen readers read each message as it comes. */
export function Log({ onReply }: { onReply: (key: string) => void }) {
  const { t } = useLingui();
  const lines = useView((view) => view.chat.lines);
  const [most, setMost] = useState(STEP);
  const log = useRef<HTMLDivElement>(null);
  useFollowing(log, lines.at(-1));
  const shown = lines.slice(-most);
  const quoted = new Map(lines.map((line) => [line.key, line]));
  const jump = (key: string) => {
    const at = lines.findIndex((line) => line.key === key);
    setMost(Math.max(most, lines.length - at));
    requestAnimationFrame(() => {
      const target = document.getElementById(idOf(key));
      target?.scrollIntoView({ block: "center" });
      target?.focus({ preventScroll: true });
    });
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <div ref={log} role="log" aria-label={t`Messages`} tabIndex={0} className={styles.log}>
      <p className={styles.promise}>
        <Trans>
          End-to-end encrypted. Only people who are here now get your messages: who joins later does not see what was
          said before. They are gone when you leave, unless someone saves them.
        </Trans>
      </p>
      {lines.length > most && (
        <button type="button" className={button.quiet} onClick={() => setMost(most + STEP)}>
          <Trans>Show earlier messages</Trans>
        </button>
      )}
      <ul>
        {shown.map((line) => (
          <Line
            key={line.key}
            line={line}
            quoted={line.reply === null ? null : (quoted.get(line.reply) ?? "unknown")}
            onReply={onReply}
            onJump={jump}
          />
        ))}
      </ul>
    </div>
  );
}

/** Who reads at the end goes on reading there; who reads further up is left alone, unless they wrote themselves. */
function useFollowing(log: RefObject<HTMLDivElement | null>, last: ChatLine | undefined): void {
  const atEnd = useRef(true);
  const key = last?.key;
  const mine = last?.mine ?? false;
  useLayoutEffect(() => {
    const { current } = log;
    if (current === null) return;
    const look = () => {
      atEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < NEAR_END;
    };
    current.addEventListener("scroll", look);
    // What is written takes room from what was said.
    const observer = new ResizeObserver(() => {
      if (atEnd.current) current.scrollTop = current.scrollHeight;
    });
    observer.observe(current);
    return () => {
      current.removeEventListener("scroll", look);
      observer.disconnect();
    };
  }, [log]);
  useLayoutEffect(() => {
    const { current } = log;
    if (current === null || key === undefined) return;
    if (atEnd.current || mine) current.scrollTop = current.scrollHeight;
  }, [log, key, mine]);
}

const idOf = (key: string): string => `said-${key.replace(" ", "-")}`;

interface LineProps {
  line: ChatLine;
  /** The message that it answers; "unknown" where this page does not have it, null where it answers none. */
  quoted: ChatLine | "unknown" | null;
  onReply: (key: string) => void;
  onJump: (key: string) => void;
}

const Line = memo(function Line({ line, quoted, onReply, onJump }: LineProps) {
  const { t, i18n } = useLingui();
  const { key, name, mine, isAnother, at, text, delivery } = line;
  return (
    <li id={idOf(key)} tabIndex={-1} className={styles.line} data-mine={mine}>
      <p className={styles.by}>
        <bdi className={styles.who}>{name}</bdi>
        {mine && (
          <span>
            <Trans>(you)</Trans>
          </span>
        )}
        <time dateTime={new Date(at).toISOString()}>{i18n.date(new Date(at), { timeStyle: "short" })}</time>
        <button
          type="button"
          className={styles.reply}
          aria-label={mine ? t`Reply to yourself` : t`Reply to ${name}`}
          title={t`Reply`}
          onClick={() => onReply(key)}
        >
          <ReplyIcon />
        </button>
      </p>
      {isAnother && (
        <p className={styles.caution}>
          <Trans>Not the person who wrote under this name before.</Trans>
        </p>
      )}
      {quoted === "unknown" ? (
        <p className={styles.quote}>
          <Trans>Answers a message that you did not get.</Trans>
        </p>
      ) : (
        quoted && <Quote line={quoted} onJump={onJump} />
      )}
      <p className={styles.text} dir="auto">
        <Text text={text} />
      </p>
      {delivery === "late" && (
        <p className={styles.caution}>
          <Trans>Not delivered to everyone yet</Trans>
        </p>
      )}
      {delivery === "lost" && (
        <p className={styles.caution}>
          <Trans>Not delivered to everyone</Trans>
        </p>
      )}
    </li>
  );
});

function Quote({ line: { key, name, text }, onJump }: { line: ChatLine; onJump: (key: string) => void }) {
  const { t } = useLingui();
  return (
    <button
      type="button"
      className={styles.quote}
      aria-label={t`Go to the message of ${name}: ${cut(text)}`}
      onClick={() => onJump(key)}
    >
      <bdi className={styles.who}>{name}</bdi>
      <bdi className={styles.cut}>{cut(text)}</bdi>
    </button>
  );
}
