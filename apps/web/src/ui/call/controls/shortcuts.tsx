import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useState } from "react";
import { Dialog } from "../../parts/dialog.tsx";
import { KeyboardIcon } from "../../parts/icons.tsx";
import toggle from "../../parts/toggle.module.css";
import { rememberShortcuts, usesShortcuts } from "../../stored.ts";
import { useActions, useView } from "../call-context.ts";
import styles from "./shortcuts.module.css";

/** Single-key shortcuts, their list, and the switch that frees those keys for speech input and the like. */
export function Shortcuts() {
  const { t } = useLingui();
  const [enabled, setEnabled] = useState(usesShortcuts);
  const [open, setOpen] = useState(false);
  const pushToTalk = useView((view) => view.pushToTalk);
  useKeys(enabled, () => setOpen(true));

  const enable = (on: boolean) => {
    rememberShortcuts(on);
    setEnabled(on);
  };

  return (
    <>
      <button type="button" className={`${toggle.toggle} ${styles.open}`} onClick={() => setOpen(true)}>
        <KeyboardIcon />
        <span>
          <Trans>Keyboard shortcuts</Trans>
        </span>
      </button>
      {open && (
        <Dialog title={t`Keyboard shortcuts`} onClose={() => setOpen(false)}>
          <dl className={styles.list}>
            <dt>
              <kbd>m</kbd>
            </dt>
            <dd>
              <Trans>Microphone on or off</Trans>
            </dd>
            <dt>
              <kbd>v</kbd>
            </dt>
            <dd>
              <Trans>Camera on or off</Trans>
            </dd>
            {pushToTalk && (
              <>
                <dt>
                  <kbd>
                    <Trans>Space</Trans>
                  </kbd>
                </dt>
                <dd>
                  <Trans>Talk, while you hold it</Trans>
                </dd>
              </>
            )}
            <dt>
              <kbd>c</kbd>
            </dt>
            <dd>
              <Trans>Open or close the chat</Trans>
            </dd>
            <dt>
              <kbd>h</kbd>
            </dt>
            <dd>
              <Trans>Raise or lower your hand</Trans>
            </dd>
            <dt>
              <kbd>?</kbd>
            </dt>
            <dd>
              <Trans>This list</Trans>
            </dd>
          </dl>
          <label className={styles.switch}>
            <Trans>Use these keys</Trans>
            <input
              type="checkbox"
              role="switch"
              aria-checked={enabled}
              checked={enabled}
              onChange={(event) => enable(event.target.checked)}
            />
          </label>
        </Dialog>
      )}
    </>
  );
}

function useKeys(enabled: boolean, showList: () => void): void {
  const actions = useActions();
  const microphone = useView((view) => view.me.microphone.on);
  const camera = useView((view) => view.me.camera.on);
  const chat = useView((view) => view.chat.open);
  const hand = useView((view) => view.hands.order.includes(null));

  useEffect(() => {
    if (!enabled) return;
    const press = (event: KeyboardEvent) => {
      if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === "m") actions.setMicrophone(!microphone);
      if (event.key === "v") actions.setCamera(!camera);
      if (event.key === "c" && document.querySelector("dialog[open]") === null) {
        // Else the letter is typed into the field that gets the focus.
        event.preventDefault();
        actions.showChat(!chat);
      }
      if (event.key === "h") actions.raiseHand(!hand);
      if (event.key === "?") showList();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]") !== null
  );
}
