import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { isWaiting } from "../../../session/files/view.ts";
import button from "../../button.module.css";
import { Dialog } from "../../parts/dialog.tsx";
import { FileIcon } from "../../parts/icons.tsx";
import toggle from "../../parts/toggle.module.css";
import announcer from "../announcer.module.css";
import { useView } from "../call-context.ts";
import styles from "./files.module.css";

const Panel = lazy(() => import("./panel.tsx"));
const News = lazy(() => import("./news.tsx"));

/** Opens the files of the call: those to be sent, and all that are on their way. */
export function Files() {
  const { open, dialog } = useFilesDialog();
  const waiting = useView((view) => view.files.filter(isWaiting).length);
  return (
    <>
      <button type="button" className={toggle.toggle} onClick={() => open()}>
        <FileIcon />
        <span>
          <Trans>Files</Trans>
        </span>
        {waiting > 0 && (
          <>
            <b className={styles.count} aria-hidden="true">
              {waiting}
            </b>
            <i className={announcer.unseen}>
              <Plural value={waiting} one="# file offered" other="# files offered" />
            </i>
          </>
        )}
      </button>
      {dialog}
    </>
  );
}

/** In the chat, beside what is written. */
export function SendFile() {
  const { t } = useLingui();
  const { open, dialog } = useFilesDialog();
  return (
    <>
      <button
        type="button"
        className={button.round}
        aria-label={t`Send file`}
        title={t`Send file`}
        onClick={() => open()}
      >
        <FileIcon />
      </button>
      {dialog}
    </>
  );
}

/** What others offer, and how files ended: loaded with the first one. A file dropped anywhere on the page can be sent. */
export function FileNews() {
  const { open, dialog } = useFilesDialog();
  const isNeeded = useView((view) => view.files.length > 0);
  const isOver = useDrop(open);
  return (
    <>
      {isNeeded && (
        <Suspense>
          <News />
        </Suspense>
      )}
      {isOver && (
        <div className={styles.drop} aria-hidden="true">
          <Trans>Drop to send</Trans>
        </div>
      )}
      {dialog}
    </>
  );
}

/** The dialog of all files, to be opened with some to send. */
function useFilesDialog(): { open: (files?: readonly File[]) => void; dialog: ReactNode } {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<readonly File[]>([]);
  const open = (files: readonly File[] = []) => {
    setChosen((before) => [...before, ...files]);
    setOpen(true);
  };
  const dialog = isOpen && (
    <Dialog title={t`Files`} onClose={() => setOpen(false)}>
      <div className={styles.panel}>
        <Suspense>
          <Panel chosen={chosen} choose={setChosen} />
        </Suspense>
      </div>
    </Dialog>
  );
  return { open, dialog };
}

/** Files dropped on the page. @returns whether some are held over it */
function useDrop(dropped: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      const files = [...(event.dataTransfer?.files ?? [])];
      setOver(false);
      if (files.length === 0) return;
      event.preventDefault();
      dropped(files);
    };
    const ending = new AbortController();
    addEventListener("dragover", over, ending);
    addEventListener("dragleave", leave, ending);
    addEventListener("drop", drop, ending);
    return () => ending.abort();
  });
  return isOver;
}
