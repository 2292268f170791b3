import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useRef, useState } from "react";
import type { ScreenChoice } from "../../../session/devices/shared-screen.ts";
import { supportDetails } from "../../../session/support/details.ts";
import { pageFacts } from "../../../session/support/page.ts";
import button from "../../button.module.css";
import { useCopying } from "../../copying.ts";
import { ScreenContentChoice } from "../../devices/screen-content.tsx";
import fields from "../../parts/fields.module.css";
import option from "../../parts/option.module.css";
import { useActions, useCallState, useMeasurable, useView } from "../call-context.ts";
import styles from "./quality.module.css";

const RATES = [5, 15, 30];
const HEIGHTS = [720, 1080];

/** What a screen is sent as, whether others' video comes, and what a person can give to who helps them. */
export default function QualityPanel() {
  return (
    <div className={styles.panel}>
      {"getDisplayMedia" in navigator.mediaDevices && <ScreenChoices />}
      <IncomingVideo />
      <Details />
    </div>
  );
}

function ScreenChoices() {
  const { t } = useLingui();
  const { chooseScreen } = useActions();
  const choice = useView((view) => view.screenChoice);
  const sharesSound = useView((view) => view.sharesSound);
  const change = (part: Partial<ScreenChoice>) => chooseScreen({ ...choice, ...part });
  return (
    <fieldset className={styles.screen}>
      <legend>
        <Trans>Your shared screen</Trans>
      </legend>
      <ScreenContentChoice />
      <label className={fields.field}>
        <Trans>Frames per second, at most</Trans>
        <select
          value={choice.framesPerSecond}
          onChange={({ target }) => change({ framesPerSecond: Number(target.value) })}
        >
          {RATES.map((rate) => (
            <option key={rate} value={rate}>
              {rate}
            </option>
          ))}
        </select>
      </label>
      <label className={fields.field}>
        <Trans>Height, at most</Trans>
        <select
          value={choice.lines ?? ""}
          onChange={({ target }) => change({ lines: target.value === "" ? null : Number(target.value) })}
        >
          {HEIGHTS.map((height) => (
            <option key={height} value={height}>
              {t`${height}p`}
            </option>
          ))}
          <option value="">{t`Original`}</option>
        </select>
      </label>
      <output className={styles.words}>
        {sharesSound === true && <Trans>The sound of what you share is sent, too.</Trans>}
        {sharesSound === false && (
          <Trans>No sound is sent with your screen. To send it, share again and choose it.</Trans>
        )}
      </output>
    </fieldset>
  );
}

function IncomingVideo() {
  const { setIncomingVideo } = useActions();
  const isOn = useView((view) => view.incomingVideo);
  return (
    <label className={option.option}>
      <input type="checkbox" checked={!isOn} onChange={({ target }) => setIncomingVideo(!target.checked)} />
      <span>
        <Trans>Turn off incoming video</Trans>
        <small>
          <Trans>Others' cameras and screens are not sent to you, which saves data. You still hear everyone.</Trans>
        </small>
      </span>
    </label>
  );
}

/** The text is shown before it can be copied, so that people know what they give away. */
function Details() {
  const { t } = useLingui();
  const state = useCallState();
  const measurable = useMeasurable();
  const [text, setText] = useState<string | null>(null);
  const { copied, copy } = useCopying(() => text ?? "");
  const words = useRef<HTMLTextAreaElement>(null);
  // It takes the button's place, and may stand below what can be seen.
  useEffect(() => {
    if (text !== null) words.current?.focus();
  }, [text]);
  const show = () => setText(supportDetails({ view: state(), measurable: measurable(), page: pageFacts() }));
  if (text === null)
    return (
      <button type="button" className={button.quiet} onClick={show}>
        <Trans>Show details for support</Trans>
      </button>
    );
  return (
    <div className={styles.details}>
      <p className={styles.words}>
        <Trans>
          This helps to find out what went wrong. No names, links, addresses, keys or messages are in it. Nothing is
          sent: copy it and give it to whom you like.
        </Trans>
      </p>
      <textarea ref={words} readOnly rows={12} value={text} aria-label={t`Details for support`} dir="ltr" />
      <button type="button" className={button.primary} onClick={copy}>
        <Trans>Copy details for support</Trans>
      </button>
      <output className={styles.words}>
        {copied === "yes" && <Trans>Copied.</Trans>}
        {copied === "refused" && <Trans>The browser refused to copy. Allow this page to use the clipboard.</Trans>}
      </output>
    </div>
  );
}
