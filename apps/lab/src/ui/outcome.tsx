import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useRef } from "react";
import button from "../../../web/src/ui/button.module.css";
import { download } from "../../../web/src/ui/download.ts";
import { WideTable } from "../../../web/src/ui/wide-table.tsx";
import { measuredPlot, svgOf } from "../page/plots.ts";
import { csv, written, writtenMachine, writtenSpread } from "../shared/report.ts";
import { type ResultsFile, writeResults } from "../shared/results.ts";
import styles from "./lab.module.css";

interface Props {
  file: ResultsFile;
  picture: string | null;
}

/** What an experiment gave: plot, summary, table, and the same as files. */
export function Outcome({ file, picture }: Props) {
  const { t } = useLingui();
  return (
    <div className={styles.outcome}>
      <p className={styles.quiet}>
        {file.quick ? <Trans>A quick run: the figures are rough.</Trans> : <Trans>A full run.</Trans>}{" "}
        {writtenMachine(file.machine)}.
      </p>
      <Figure file={file} />
      {picture !== null && (
        <img src={`data:image/png;base64,${picture}`} alt={t`What the attacker sees under each policy`} />
      )}
      <Summary file={file} />
      <Exports file={file} />
      <details className={styles.details}>
        <summary>
          <Trans>All rows</Trans>
        </summary>
        <Rows file={file} />
      </details>
    </div>
  );
}

/** Wider than a phone: it scrolls. The tables say the same in words. */
function Figure({ file }: { file: ResultsFile }) {
  const { t } = useLingui();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.replaceChildren(measuredPlot(file)), [file]);
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
  return <section ref={place} className={styles.figure} aria-label={t`Plot of all values`} tabIndex={0} />;
}

function Summary({ file: { summary, spread, runs } }: { file: ResultsFile }) {
  const { t } = useLingui();
  return (
    <WideTable label={t`Summary`} caption={runs === 1 ? <Trans>Summary</Trans> : <Trans>Medians of {runs} runs</Trans>}>
      <thead>
        <tr>
          <th scope="col">
            <Trans>Figure</Trans>
          </th>
          <th scope="col">
            <Trans>Median</Trans>
          </th>
          <th scope="col">
            <Trans>Spread</Trans>
          </th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(summary).map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{written(value)}</td>
            <td>{spread[name] === undefined ? "–" : writtenSpread(spread[name], runs)}</td>
          </tr>
        ))}
      </tbody>
    </WideTable>
  );
}

function Rows({ file: { rows } }: { file: ResultsFile }) {
  const { t } = useLingui();
  const names = Object.keys(rows[0] ?? {});
  return (
    <WideTable label={t`All rows`} caption={<Trans>As the command prints them</Trans>}>
      <thead>
        <tr>
          {names.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={JSON.stringify(row)}>
            {names.map((name) => (
              <td key={name}>{written(row[name] ?? null)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </WideTable>
  );
}

function Exports({ file }: { file: ResultsFile }) {
  const save = (ending: string, type: string, text: string) =>
    download(new File([text], `sealcast-${file.experiment}.${ending}`, { type }));
  return (
    <div className={styles.controls}>
      <button type="button" className={button.quiet} onClick={() => save("csv", "text/csv", csv(file))}>
        <Trans>Export CSV</Trans>
      </button>
      <button
        type="button"
        className={button.quiet}
        onClick={() => save("json", "application/json", writeResults(file))}
      >
        <Trans>Export JSON</Trans>
      </button>
      <button
        type="button"
        className={button.quiet}
        onClick={() => save("svg", "image/svg+xml", svgOf(measuredPlot(file)))}
      >
        <Trans>Export SVG</Trans>
      </button>
    </div>
  );
}
