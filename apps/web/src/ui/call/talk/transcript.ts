import type { ChatLine } from "../../../session/talk/chat.ts";
import { isolated } from "../../isolated.ts";

interface TranscriptWords {
  you: string;
  answers: (name: string) => string;
  /** Not the person who wrote under this name before. */
  another: string;
}

/** The chat as plain text. What people wrote stands indented, so that nobody's words pass for another's. */
export function transcriptOf(
  lines: readonly ChatLine[],
  date: (at: number) => string,
  { you, answers, another }: TranscriptWords,
): string {
  const byKey = new Map(lines.map((line) => [line.key, line]));
  return lines
    .map(({ at, name, mine, isAnother, text, reply }) => {
      const answered = reply === null ? undefined : byKey.get(reply);
      const head = [
        `${date(at)}  ${isolated(name)}`,
        ...(mine ? [`(${you})`] : []),
        ...(isAnother ? [`(${another})`] : []),
        ...(answered ? [`(${answers(isolated(answered.name))})`] : []),
      ];
      return `${head.join(" ")}\n${text.replace(/^/gm, "    ")}\n`;
    })
    .join("\n");
}
