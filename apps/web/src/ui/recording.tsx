import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { RecordingView } from "../session/recording/recording.ts";
import button from "./button.module.css";
import { CloseIcon, RecordIcon, StopIcon } from "./parts/icons.tsx";
import styles from "./recording.module.css";

/** Of a call, a host's or a viewer's page: what it shows of its own recording, and what the person may do with it. */
interface Props {
  recording: RecordingView;
  actions: { pauseRecording(on: boolean): void; stopRecording(): void; dismissRecording(): void };
}

interface ButtonProps extends Props {
  className?: string | undefined;
  onRecord: () => void;
}

/** Begins a recording, and ends it. */
export function RecordButton({ recording: { state }, actions, className, onRecord }: ButtonProps) {
  const isOn = state !== "none";
  return (
    <button
      type="button"
      className={className}
      aria-disabled={state === "stopping"}
      onClick={isOn ? () => actions.stopRecording() : onRecord}
    >
      {isOn ? <StopIcon /> : <RecordIcon />}
      <span>{isOn ? <Trans>Stop recording</Trans> : <Trans>Record</Trans>}</span>
    </button>
  );
}

/** How this page's recording stands, and how the last one ended. `children`: who is in it. */
export function RecordingStatus({ recording, actions, children }: Props & { children?: ReactNode }) {
  const { t } = useLingui();
  const { state, ended } = recording;
  const isMade = state === "recording" || state === "paused";
  if (state === "none" && ended === null) return <output className={styles.own} />;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups form controls, and this is mostly words
    <div role="group" aria-label={t`Your recording`} className={styles.own} data-tone={toneOf(ended)}>
      <output>
        <Words {...recording} />
      </output>
      {isMade && <Figures {...recording} />}
      {isMade && children}
      {isMade && (
        <button type="button" className={button.quiet} onClick={() => actions.pauseRecording(state === "recording")}>
          {state === "recording" ? <Trans>Pause recording</Trans> : <Trans>Resume recording</Trans>}
        </button>
      )}
      {(ended === "kept" || ended === "no-vault") && (
        <a className={button.quiet} href="/vault" target="_blank" rel="noreferrer">
          <Trans>Open the vault</Trans>
        </a>
      )}
      {ended !== null && (
        <button
          type="button"
          className={button.round}
          aria-label={t`Dismiss`}
          onClick={() => actions.dismissRecording()}
        >
          <CloseIcon />
        </button>
      )}
    </div>
  );
}

function toneOf(ended: RecordingView["ended"]): "caution" | undefined {
  return ended === null || ended === "kept" ? undefined : "caution";
}

function Words({ state, ended }: RecordingView) {
  switch (state) {
    case "starting":
      return <Trans>Getting ready to record…</Trans>;
    case "recording":
      return (
        <span className={styles.on}>
          <RecordIcon />
          <Trans>Recording</Trans>
        </span>
      );
    case "paused":
      return <Trans>Recording paused</Trans>;
    case "stopping":
      return <Trans>Saving the recording…</Trans>;
  }
  switch (ended) {
    case null:
      return null;
    case "kept":
      return <Trans>The recording is saved in your vault.</Trans>;
    case "unsupported":
      return <Trans>This browser cannot record calls. A current Chrome or Edge on a computer can.</Trans>;
    case "no-vault":
      return <Trans>Set up your vault first. Recordings are kept in it, sealed.</Trans>;
    case "storage-full":
      return <Trans>The storage is full, so nothing more is recorded. What was recorded until then is saved.</Trans>;
    case "failed":
      return <Trans>Recording stopped because of an error. What was recorded until then is saved.</Trans>;
  }
}

/** Not announced: they change every second. */
function Figures({ seconds, bytes, free }: RecordingView) {
  const { t } = useLingui();
  const size = useSize();
  return (
    <span className={styles.figures}>
      <span role="timer" aria-label={t`Recorded`}>
        {clock(seconds)}
      </span>
      <span>{size(bytes)}</span>
      {free !== null && (
        <span>
          <Trans>{size(free)} free</Trans>
        </span>
      )}
    </span>
  );
}

/** Writes bytes as people read them on a disk, in steps of 1,000. */
function useSize(): (bytes: number) => string {
  const { i18n } = useLingui();
  return (bytes) => {
    const [unit, in1] = bytes < 1e9 ? (["megabyte", 1e6] as const) : (["gigabyte", 1e9] as const);
    return i18n.number(bytes / in1, { style: "unit", unit, maximumFractionDigits: 1 });
  };
}

/** 1:05, 1:00:05. */
function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, at) => (at === 0 ? String(part) : String(part).padStart(2, "0"))).join(":");
}
