import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import button from "../../button.module.css";
import { download } from "../../download.ts";
import fields from "../../parts/fields.module.css";
import option from "../../parts/option.module.css";
import { useActions, useView } from "../call-context.ts";
import styles from "./captions.module.css";
import { announceCaptions, setCaptionSize, useCaptionSettings } from "./settings.ts";

/** What is captioned, how captions look, what they cost, and their transcript. */
export default function CaptionsPanel() {
  const actions = useActions();
  const { isAble, shows, speaks } = useView((view) => view.captions);
  const { isAnnounced } = useCaptionSettings();
  return (
    <div className={styles.panel}>
      <Option isOn={shows} set={actions.showCaptions} label={<Trans>Show captions</Trans>}>
        {isAble ? (
          <Trans>People send their own, or this device makes them from what it hears. In English.</Trans>
        ) : (
          <Trans>This browser cannot make captions. It shows those that speakers send.</Trans>
        )}
      </Option>
      <Option
        isOn={speaks}
        isAble={isAble}
        set={actions.captionSpeech}
        label={<Trans>Caption my speech for others</Trans>}
      >
        {isAble ? (
          <Trans>This device turns what you say into text. Everyone in the call gets it, end-to-end encrypted.</Trans>
        ) : (
          <Trans>This needs Chrome or Edge, version 141 or newer.</Trans>
        )}
      </Option>
      {isAble && <State />}
      <SizeChoice />
      <Option isOn={isAnnounced} set={announceCaptions} label={<Trans>Announce captions</Trans>}>
        <Trans>Screen readers read each one as it comes.</Trans>
      </Option>
      <Save />
    </div>
  );
}

interface OptionProps {
  label: ReactNode;
  isOn: boolean;
  isAble?: boolean;
  set: (on: boolean) => void;
  children: ReactNode;
}

function Option({ label, isOn, isAble = true, set, children }: OptionProps) {
  return (
    <label className={option.option}>
      <input type="checkbox" checked={isOn} disabled={!isAble} onChange={(event) => set(event.target.checked)} />
      <span>
        {label}
        <small>{children}</small>
      </span>
    </label>
  );
}

/** What makes captions: how it stands, and what it takes. */
function State() {
  const { t } = useLingui();
  const actions = useActions();
  const { engine, loaded } = useView((view) => view.captions);
  const off = () => {
    actions.showCaptions(false);
    actions.captionSpeech(false);
  };
  return (
    <div className={styles.state}>
      <output>
        <Words />
      </output>
      {engine === "loading" && (
        <>
          <progress max={100} value={loaded} aria-label={t`Loading captions`} />
          <button type="button" className={button.quiet} onClick={off}>
            <Trans>Cancel</Trans>
          </button>
        </>
      )}
      {engine === "failed" && (
        <button type="button" className={button.quiet} onClick={() => actions.retryCaptions()}>
          <Trans>Try again</Trans>
        </button>
      )}
    </div>
  );
}

function Words() {
  const { engine, cost } = useView((view) => view.captions);
  switch (engine) {
    case "off":
      return <Trans>Loads about 25 MB from this server the first time. Sound never leaves the call for it.</Trans>;
    case "loading":
      return <Trans>Loading…</Trans>;
    case "behind":
      return <Trans>Paused because this device is too slow for captions now. They go on by themselves.</Trans>;
    case "failed":
      return <Trans>Captions could not be loaded.</Trans>;
    case "on":
      return cost === null ? (
        <Trans>Captions are made on this device.</Trans>
      ) : (
        <Trans>Captions are made on this device. They take {cost} % of one processor core.</Trans>
      );
  }
}

function SizeChoice() {
  const { size } = useCaptionSettings();
  return (
    <label className={fields.field}>
      <Trans>Text size</Trans>
      <select value={size} onChange={(event) => setCaptionSize(event.target.value)}>
        <option value="small">
          <Trans>Small</Trans>
        </option>
        <option value="medium">
          <Trans>Medium</Trans>
        </option>
        <option value="large">
          <Trans>Large</Trans>
        </option>
        <option value="largest">
          <Trans>Very large</Trans>
        </option>
      </select>
    </label>
  );
}

function Save() {
  const { t, i18n } = useLingui();
  const actions = useActions();
  const isEmpty = useView((view) => view.captions.lines.length === 0);
  if (isEmpty) return null;
  const save = () => {
    const lines = actions.transcript();
    const time = (at: number) => i18n.date(new Date(at), { timeStyle: "medium" });
    const text = lines.map(({ at, name, text }) => `${time(at)} ${name}: ${text}\n`).join("");
    const day = i18n.date(new Date(lines[0]?.at ?? 0), { dateStyle: "medium" });
    download(new File([text], `${t`Transcript, ${day}`}.txt`, { type: "text/plain" }));
  };
  return (
    <div className={styles.save}>
      <button type="button" className={button.quiet} onClick={save}>
        <Trans>Save transcript</Trans>
      </button>
      <small>
        <Trans>A text file on this device. Without it, nothing is left of captions after the call.</Trans>
      </small>
    </div>
  );
}
