import { Trans, useLingui } from "@lingui/react/macro";
import button from "../../button.module.css";
import { download } from "../../download.ts";
import { useView } from "../call-context.ts";
import { transcriptOf } from "./transcript.ts";

/** Has the browser save what was said as a text file, which is made here. */
export function SaveChat() {
  const { t, i18n } = useLingui();
  const lines = useView((view) => view.chat.lines);
  if (lines.length === 0) return null;
  const save = () => {
    const date = (at: number) => i18n.date(new Date(at), { dateStyle: "medium", timeStyle: "short" });
    const another = t`Not the person who wrote under this name before.`;
    const words = { you: t`you`, answers: (name: string) => t`answers ${name}`, another };
    download(new File([transcriptOf(lines, date, words)], "sealcast-chat.txt", { type: "text/plain;charset=utf-8" }));
  };
  return (
    <button type="button" className={button.quiet} onClick={save}>
      <Trans>Save chat</Trans>
    </button>
  );
}
