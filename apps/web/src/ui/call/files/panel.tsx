import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useId, useRef, useState } from "react";
import { isUnderWay, MAX_FILE_BYTES, MOST_OPEN_FILES } from "../../../session/files/view.ts";
import button from "../../button.module.css";
import { useFocusKept } from "../../parts/confirmed.tsx";
import fields from "../../parts/fields.module.css";
import { CloseIcon } from "../../parts/icons.tsx";
import { useSize } from "../../vault/size.ts";
import { useActions, useView } from "../call-context.ts";
import { TalkWaits } from "../talk/talk-waits.tsx";
import styles from "./files.module.css";
import { FileItem } from "./item.tsx";

interface ChooseProps {
  chosen: readonly File[];
  choose: (files: readonly File[]) => void;
}

/** What to send, to whom; and all files of the call. */
export default function FilesPanel({ chosen, choose }: ChooseProps) {
  return (
    <>
      <Choice chosen={chosen} choose={choose} />
      <FileList />
    </>
  );
}

function Choice({ chosen, choose }: ChooseProps) {
  const { t } = useLingui();
  const input = useRef<HTMLInputElement>(null);
  const size = useSize();
  const limit = size(MAX_FILE_BYTES);
  const isAlone = useView((view) => view.people.length === 0);
  return (
    <section className={styles.choice}>
      <p className={styles.words}>
        <Trans>
          Files go straight to the people you choose, end-to-end encrypted. Up to {limit} each, {MOST_OPEN_FILES} at a
          time.
        </Trans>
      </p>
      <TalkWaits className={styles.words} />
      {isAlone && (
        <p className={styles.words}>
          <Trans>Nobody else is here yet.</Trans>
        </p>
      )}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t`Files to send`}
        onChange={({ target }) => {
          choose([...chosen, ...(target.files ?? [])]);
          target.value = "";
        }}
      />
      {chosen.length > 0 && !isAlone && <Chosen chosen={chosen} choose={choose} />}
      <button
        type="button"
        className={chosen.length > 0 ? button.quiet : button.primary}
        disabled={isAlone}
        onClick={() => input.current?.click()}
      >
        {chosen.length > 0 ? <Trans>Choose more</Trans> : <Trans>Choose files</Trans>}
      </button>
    </section>
  );
}

function Chosen({ chosen, choose }: ChooseProps) {
  const { t } = useLingui();
  const actions = useActions();
  const note = useId();
  const size = useSize();
  const [to, setTo] = useState("all");
  const people = useView((view) => view.people);
  const underWay = useView((view) => view.files.filter((file) => file.isSent && isUnderWay(file)).length);
  const list = useFocusKept<HTMLUListElement>(chosen.length);
  const recipient = people.some(({ id }) => id === to) ? to : "all";
  const isTooLarge = chosen.some((file) => file.size > MAX_FILE_BYTES);
  const room = MOST_OPEN_FILES - underWay;
  const isReady = !isTooLarge && chosen.length <= room;
  const send = () => {
    if (!isReady) return;
    actions.sendFiles(chosen, recipient);
    choose([]);
  };
  return (
    <>
      <ul ref={list} className={styles.chosen} aria-label={t`Chosen files`} tabIndex={-1}>
        {chosen.map((file, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one file may be chosen twice
          <li key={at}>
            <bdi className={styles.name}>{file.name}</bdi>
            <span data-bad={file.size > MAX_FILE_BYTES}>{size(file.size)}</span>
            <button
              type="button"
              className={button.round}
              aria-label={t`Do not send ${file.name}`}
              onClick={() => choose(chosen.filter((other) => other !== file))}
            >
              <CloseIcon />
            </button>
          </li>
        ))}
      </ul>
      <label className={fields.field}>
        <Trans>To</Trans>
        <select value={recipient} onChange={({ target }) => setTo(target.value)}>
          <option value="all">{t`Everyone here`}</option>
          {people.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <output id={note} className={styles.problem}>
        {isTooLarge ? (
          <Trans>A file is larger than {size(MAX_FILE_BYTES)}. Take it off the list.</Trans>
        ) : (
          chosen.length > room && (
            <Plural
              value={room}
              _0="You are sending as many files as can go at a time. Wait until one is done."
              one="# more file can go now. Take the others off the list."
              other="# more files can go now. Take the others off the list."
            />
          )
        )}
      </output>
      <button type="button" className={button.primary} aria-disabled={!isReady} aria-describedby={note} onClick={send}>
        <Plural value={chosen.length} one="Send file" other="Send # files" />
      </button>
    </>
  );
}

function FileList() {
  const { t } = useLingui();
  const files = useView((view) => view.files);
  const list = useFocusKept<HTMLUListElement>(files.length);
  return (
    <ul ref={list} className={styles.list} aria-label={t`Files of this call`} tabIndex={-1}>
      {files.map((file) => (
        <FileItem key={file.id} file={file} />
      ))}
    </ul>
  );
}
