import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { lazy, Suspense, useEffect, useState } from "react";
import { isWaiting } from "../../../session/files/view.ts";
import button from "../../button.module.css";
import { Dialog } from "../../dialog.tsx";
import { FileIcon } from "../../icons.tsx";
import toggle from "../../toggle.module.css";
import announcer from "../announcer.module.css";
import { useView } from "../call-context.ts";
import styles from "./files.module.css";

const Panel = lazy(() => import("./panel.tsx"));
const News = lazy(() => import("./news.tsx"));

/** Opens the files of the call: those to be sent, and all that are on their way. A file dropped anywhere on the page opens it too. */
export function Files() {
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<readonly File[]>([]);
  const waiting = useView((view) => view.files.filter(isWaiting).length);
  const isOver = useDrop((files) => {
    setChosen((before) => [...before, ...files]);
    setOpen(true);
  });
  return (
    <>
      <button type="button" className={toggle.toggle} onClick={() => setOpen(true)}>
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
      {isOver && (
        <div className={styles.drop} aria-hidden="true">
          <Trans>Drop to send</Trans>
        </div>
      )}
      {isOpen && <FilesDialog chosen={chosen} choose={setChosen} onClose={() => setOpen(false)} />}
    </>
  );
}

/** In the chat, beside what is written. */
export function SendFile() {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<readonly File[]>([]);
  return (
    <>
      <button
        type="button"
        className={button.round}
        aria-label={t`Send file`}
        title={t`Send file`}
        onClick={() => setOpen(true)}
      >
        <FileIcon />
      </button>
      {isOpen && <FilesDialog chosen={chosen} choose={setChosen} onClose={() => setOpen(false)} />}
    </>
  );
}

interface FilesDialogProps {
  chosen: readonly File[];
  choose: (files: readonly File[]) => void;
  onClose: () => void;
}

function FilesDialog({ chosen, choose, onClose }: FilesDialogProps) {
  const { t } = useLingui();
  return (
    <Dialog title={t`Files`} onClose={onClose}>
      <div className={styles.panel}>
        <Suspense>
          <Panel chosen={chosen} choose={choose} />
        </Suspense>
      </div>
    </Dialog>
  );
}

/** What others offer, and how files ended: loaded with the first one. */
export function FileNews() {
  const isNeeded = useView((view) => view.files.length > 0);
  return (
    isNeeded && (
      <Suspense>
        <News />
      </Suspense>
    )
  );
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
