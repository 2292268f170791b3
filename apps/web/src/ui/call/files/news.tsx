import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useRef, useState } from "react";
import { isOpen, isWaiting, type SharedFile } from "../../../session/files/view.ts";
import { download } from "../../download.ts";
import { useSize } from "../../vault/size.ts";
import announcer from "../announcer.module.css";
import { useActions, useView } from "../call-context.ts";
import notices from "../notices.module.css";
import styles from "./files.module.css";
import { Answers, Caution } from "./item.tsx";

/** Between two announcements; what happens meanwhile makes one. */
const GAP_MS = 3_000;
/** Offers that stand over the call; others stand in the panel. */
const MOST_SHOWN = 2;

/** What others offer, with the answers; files that are whole are handed over; how files ended is said. */
export default function FileNews() {
  const files = useView((view) => view.files);
  useHandedOver(files);
  const offered = files.filter(isWaiting);
  return (
    <>
      <div role="status" className={notices.stack}>
        {offered.slice(0, MOST_SHOWN).map((file) => (
          <Offer key={file.id} file={file} />
        ))}
      </div>
      <EndAnnouncer files={files} />
    </>
  );
}

function Offer({ file }: { file: SharedFile }) {
  const size = useSize();
  const [sender] = file.people;
  return (
    <div className={`${notices.notice} ${styles.offer}`}>
      <p>
        <Trans>
          <bdi>{sender?.name}</bdi> wants to send <bdi className={styles.name}>{file.name}</bdi> ({size(file.size)}).
        </Trans>
      </p>
      <Caution file={file} />
      <Answers file={file} />
    </div>
  );
}

/** Where the browser lets a page write nowhere else, a file is a download once it is whole. */
function useHandedOver(files: readonly SharedFile[]): void {
  const actions = useActions();
  const handed = useRef(new Set<string>());
  useEffect(() => {
    for (const { id, isHere } of files) {
      if (!isHere || handed.current.has(id)) continue;
      handed.current.add(id);
      const file = actions.receivedFile(id);
      if (file !== null) download(file);
    }
  }, [files, actions]);
}

/** Tells a screen reader which files arrived, and which never will. */
function EndAnnouncer({ files }: { files: readonly SharedFile[] }) {
  const { t, i18n } = useLingui();
  const [said, setSaid] = useState("");
  const known = useRef(new Set<string>());
  const latest = useRef(files);
  latest.current = files;
  const ended = endsIn(files).join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: only how files ended, not how far they are
  useEffect(() => {
    const timer = setTimeout(() => {
      const fresh = latest.current.filter((file) => endsIn([file]).some((end) => !known.current.has(end)));
      for (const end of endsIn(latest.current)) known.current.add(end);
      const names = (which: readonly SharedFile[]) =>
        new Intl.ListFormat(i18n.locale).format(which.map(({ name }) => name));
      const isWhole = ({ people }: SharedFile) => people.some(({ state }) => state === "done");
      const sent = fresh.filter((file) => isWhole(file) && file.isSent);
      const received = fresh.filter((file) => isWhole(file) && !file.isSent);
      const failed = fresh.filter((file) => !isWhole(file));
      const sentences = [
        received.length > 0 && t`Saved: ${names(received)}.`,
        sent.length > 0 && t`Received by others: ${names(sent)}.`,
        failed.length > 0 && t`Not transferred: ${names(failed)}.`,
      ];
      setSaid(sentences.filter(Boolean).join(" "));
    }, GAP_MS);
    return () => clearTimeout(timer);
  }, [ended]);

  return (
    <div className={announcer.unseen} aria-live="polite">
      {said}
    </div>
  );
}

/** One for each file and person that nothing more comes of. What this person did is no news to them. */
function endsIn(files: readonly SharedFile[]): string[] {
  return files.flatMap(({ id, people }) =>
    people.flatMap(({ identity, state }) =>
      isOpen(state) || state === "declined" || state === "cancelled-here" ? [] : [`${id} ${identity} ${state}`],
    ),
  );
}
