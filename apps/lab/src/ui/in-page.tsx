import { Trans } from "@lingui/react/macro";
import { useEffect, useRef, useState } from "react";
import button from "../../../web/src/ui/button.module.css";
import { type Done, type Progress, runInPage, type Terms } from "../page/run.ts";
import type { Description, PageExperimentName } from "../shared/catalogue.ts";
import styles from "./lab.module.css";
import { LivePlot } from "./live-plot.tsx";
import { Outcome } from "./outcome.tsx";
import { PaperTable } from "./paper-table.tsx";

type State =
  | { readonly is: "idle" }
  | { readonly is: "running"; readonly progress: Progress | null; readonly cancel: AbortController }
  | { readonly is: "cancelled" }
  | { readonly is: "failed"; readonly why: string }
  | ({ readonly is: "done" } & Done);

interface Props {
  of: Description & { readonly name: PageExperimentName };
  terms: Terms;
  /** Which experiment runs: only one at a time has the computer to itself. */
  running: string | null;
  onRunning: (name: string | null) => void;
}

/** Runs an experiment from a button, and shows how far it is and what it gave. */
export function InPage({ of, terms, running, onRunning }: Props) {
  const [state, setState] = useState<State>({ is: "idle" });
  const place = useRef<HTMLDivElement>(null);
  const run = async () => {
    if (place.current === null || running !== null) return;
    const cancel = new AbortController();
    setState({ is: "running", progress: null, cancel });
    onRunning(of.name);
    const progress = (progress: Progress) => setState({ is: "running", progress, cancel });
    try {
      const done = await runInPage(of.name, terms, { place: place.current, signal: cancel.signal, progress });
      setState({ is: "done", ...done });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      setState(cancel.signal.aborted ? { is: "cancelled" } : { is: "failed", why });
    }
    onRunning(null);
  };
  return (
    <>
      <p className={styles.quiet}>
        {of.needs !== "" && <Trans>By the command only: {of.needs}. </Trans>}
        <Trans>
          Command: <code>npm run lab -- {of.name}</code>
        </Trans>
      </p>
      <Controls of={of} state={state} busy={running !== null && running !== of.name} onRun={() => void run()} />
      <div ref={place} className={styles.bench} aria-hidden="true" />
      {state.is === "running" && <Running state={state} unit={of.unit} runs={terms.runs} />}
      {state.is === "done" && <Outcome file={state.file} picture={state.picture} />}
      {of.paper !== null && <PaperTable paper={of.paper} file={state.is === "done" ? state.file : null} />}
    </>
  );
}

interface ControlsProps {
  of: Description;
  state: State;
  busy: boolean;
  onRun: () => void;
}

/** One button, which keeps the focus: it runs what can be run, and cancels what runs. */
function Controls({ of: { title }, state, busy, onRun }: ControlsProps) {
  const isRunning = state.is === "running";
  return (
    <div className={styles.controls}>
      <button
        type="button"
        className={isRunning ? button.quiet : button.primary}
        aria-disabled={busy}
        onClick={() => (isRunning ? state.cancel.abort(new Error("cancelled")) : busy || onRun())}
      >
        {isRunning ? <Trans>Cancel {title}</Trans> : <Trans>Run {title}</Trans>}
      </button>
      <output>
        {busy && state.is === "idle" && <Trans>Another experiment is running.</Trans>}
        {state.is === "cancelled" && <Trans>Cancelled. Nothing was kept.</Trans>}
        {state.is === "done" && <Trans>Done after {state.file.seconds} s.</Trans>}
      </output>
      <p role="alert" className={styles.failed}>
        {state.is === "failed" && <Trans>It failed: {state.why}</Trans>}
      </p>
    </div>
  );
}

interface RunningProps {
  state: Extract<State, { is: "running" }>;
  unit: string;
  runs: number;
}

function Running({ state: { progress }, unit, runs }: RunningProps) {
  const seconds = useSeconds();
  const run = progress?.run ?? 1;
  return (
    <div className={styles.running}>
      <p>
        <progress aria-labelledby="step" /> <Trans>{seconds} s</Trans>
      </p>
      <p id="step">
        {runs > 1 && (
          <Trans>
            Run {run} of {runs}:{" "}
          </Trans>
        )}
        {progress === null || progress.line === "" ? <Trans>Preparing</Trans> : progress.line}
      </p>
      {progress !== null && progress.measured.length > 0 && <LivePlot measured={progress.measured} unit={unit} />}
    </div>
  );
}

function useSeconds(): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((seconds) => seconds + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return seconds;
}
