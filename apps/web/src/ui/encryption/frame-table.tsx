import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { WideTable, type WideTableProps } from "../wide-table.tsx";

const headings = {
  codec: msg`Codec`,
  epoch: msg`Epoch`,
  sealed: msg`Sealed or opened`,
  readable: msg`Left readable`,
  counted: msg`Browser counted`,
  refused: msg`Refused`,
  p50: msg`Time p50`,
  p95: msg`Time p95`,
  overhead: msg`Added to a frame`,
} satisfies Record<string, MessageDescriptor>;
type Column = keyof typeof headings;

interface FrameTableProps<Shown extends Column> extends Omit<WideTableProps, "children"> {
  /** Over the names of tracks; none: they say what they are. */
  heading?: ReactNode;
  columns: readonly Shown[];
  /** One a track. */
  rows: readonly { key: string; track: ReactNode; cells: Record<Shown, ReactNode> }[];
}

/** What was sealed, opened and refused of each track's frames, beside what the browser counted. */
export function FrameTable<Shown extends Column>({ heading, columns, rows, ...table }: FrameTableProps<Shown>) {
  const { i18n } = useLingui();
  return (
    <WideTable {...table}>
      <thead>
        <tr>
          {heading === undefined ? <td /> : <th scope="col">{heading}</th>}
          {columns.map((column) => (
            <th key={column} scope="col" data-column={column}>
              {i18n._(headings[column])}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, track, cells }) => (
          <tr key={key}>
            <th scope="row">{track}</th>
            {columns.map((column) => (
              <td key={column} data-column={column}>
                {cells[column]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </WideTable>
  );
}
