import { Plural } from "@lingui/react/macro";
import { useEffect, useRef, useState } from "react";
import type { ChatLine } from "../../../session/talk/chat.ts";
import { useView } from "../call-context.ts";
import { cut } from "./cut.ts";
import styles from "./talk.module.css";

/** Between two of them; what comes meanwhile is one. */
const GAP_MS = 3_000;
const SHOWN_MS = 8_000;

interface News {
  count: number;
  last: ChatLine;
}

/** While the chat is closed: what came, in a word, for eyes and for screen readers. */
export function ChatNotice() {
  const news = useNews();
  return (
    <output className={styles.news}>
      {news !== null && (
        <span>
          {news.count > 1 && (
            <span>
              <Plural value={news.count} one="# new message" other="# new messages" />
            </span>
          )}
          <bdi className={styles.who}>{news.last.name}</bdi>
          <bdi>{cut(news.last.text)}</bdi>
        </span>
      )}
    </output>
  );
}

function useNews(): News | null {
  const { lines, open } = useView((view) => view.chat);
  const last = lines.at(-1);
  const seen = useRef(last?.key);
  const saidAt = useRef(Number.NEGATIVE_INFINITY);
  const [news, setNews] = useState<News | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a message that comes, and no other change of the list
  useEffect(() => {
    if (open) {
      seen.current = last?.key;
      setNews(null);
    }
    if (open || last === undefined || last.key === seen.current) return;
    const timer = setTimeout(
      () => {
        const from = lines.findIndex(({ key }) => key === seen.current) + 1;
        const fresh = lines.slice(from).filter(({ mine }) => !mine);
        const newest = fresh.at(-1);
        seen.current = last.key;
        saidAt.current = performance.now();
        if (newest !== undefined) setNews({ count: fresh.length, last: newest });
      },
      Math.max(0, saidAt.current + GAP_MS - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [last?.key, open]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each is shown for as long
  useEffect(() => {
    const timer = setTimeout(() => setNews(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [news]);
  return news;
}
