import { Trans, useLingui } from "@lingui/react/macro";
import { WideTable } from "../../../web/src/ui/wide-table.tsx";
import { type PaperName, papers } from "../shared/papers.ts";
import { type ComparedFigure, compared, written, writtenMachine, writtenSpread } from "../shared/report.ts";
import type { ResultsFile } from "../shared/results.ts";
import styles from "./lab.module.css";

interface Props {
  paper: PaperName;
  /** Null: not measured yet. */
  file: ResultsFile | null;
}

/** All of a paper's figures, with ours and the ratio once there are any. */
export function PaperTable({ paper, file }: Props) {
  const { t } = useLingui();
  const { machine, authors } = papers[paper];
  const all = compared(paper, file === null ? [] : [file]);
  const ours = file === null ? t`not measured yet` : writtenMachine(file.machine);
  const notes = [...new Set(all.flatMap(({ table: { note } }) => note ?? []))];
  return (
    <details className={styles.details} open={file !== null}>
      <summary>
        <Trans>The paper’s figures beside ours</Trans>
      </summary>
      <WideTable
        label={t`${authors}, beside ours`}
        caption={
          <Trans>
            Paper’s machine: {machine}. Ours: {ours}.
          </Trans>
        }
      >
        <thead>
          <tr>
            <th scope="col">
              <Trans>Figure</Trans>
            </th>
            <th scope="col">
              <Trans>Paper</Trans>
            </th>
            <th scope="col">
              <Trans>Ours</Trans>
            </th>
            <th scope="col">
              <Trans>Ours ÷ paper’s</Trans>
            </th>
            <th scope="col">
              <Trans>Spread</Trans>
            </th>
            <th scope="col">
              <Trans>Ours is</Trans>
            </th>
          </tr>
        </thead>
        <tbody>
          {all.map((one) => (
            <Line key={`${one.table.name} ${one.row} ${one.column} ${one.ours?.arm}`} of={one} runs={file?.runs ?? 1} />
          ))}
        </tbody>
      </WideTable>
      {notes.map((note) => (
        <p key={note} className={styles.quiet}>
          {note}
        </p>
      ))}
    </details>
  );
}

function Line({
  of: { table, row, column, unit, paper, ours, ratio, note },
  runs,
}: {
  of: ComparedFigure;
  runs: number;
}) {
  return (
    <tr>
      <th scope="row">
        {table.title}: {row}, {column}
      </th>
      <td>
        {written(paper)} {unit}
      </td>
      <td>{ours === null ? "–" : `${written(ours.value)} ${unit}`}</td>
      <td>{written(ratio)}</td>
      <td>{ours === null ? "–" : writtenSpread(ours, runs)}</td>
      <td>{ours?.arm ?? note}</td>
    </tr>
  );
}
