import { Trans } from "@lingui/react/macro";
import type { Terms } from "../page/run.ts";
import styles from "./lab.module.css";

const RUNS = [1, 3, 5, 10];

interface Props {
  terms: Terms;
  onChange: (terms: Terms) => void;
  disabled: boolean;
}

/** How experiments run. */
export function TermsForm({ terms, onChange, disabled }: Props) {
  return (
    <fieldset className={styles.terms} disabled={disabled}>
      <legend>
        <Trans>How to run</Trans>
      </legend>
      <label>
        <Trans>Length</Trans>
        <select
          value={terms.quick ? "quick" : "full"}
          onChange={({ target }) => onChange({ ...terms, quick: target.value === "quick" })}
        >
          <option value="quick">
            <Trans>Quick: rough figures</Trans>
          </option>
          <option value="full">
            <Trans>Full: minutes each</Trans>
          </option>
        </select>
      </label>
      <label>
        <Trans>Runs</Trans>
        <select value={terms.runs} onChange={({ target }) => onChange({ ...terms, runs: Number(target.value) })}>
          {RUNS.map((runs) => (
            <option key={runs}>{runs}</option>
          ))}
        </select>
      </label>
      <label>
        <Trans>Video</Trans>
        <select
          value={terms.camera}
          onChange={({ target }) => onChange({ ...terms, camera: target.value === "film" ? "film" : "device" })}
        >
          <option value="film">
            <Trans>A film, the same on every computer</Trans>
          </option>
          <option value="device">
            <Trans>This computer’s camera</Trans>
          </option>
        </select>
      </label>
    </fieldset>
  );
}
