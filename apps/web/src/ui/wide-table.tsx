import type { ComponentProps, ReactNode } from "react";
import styles from "./wide-table.module.css";

export interface WideTableProps extends Omit<ComponentProps<"table">, "className"> {
  caption: ReactNode;
  /** Of what scrolls: makes it a region of that name. */
  label?: string;
  /** Of what scrolls. */
  className?: string | undefined;
}

/** A table that scrolls sideways where it is wider than its place, by keyboard too. The first column names the rows. */
export function WideTable({ caption, label, className = "", children, ...table }: WideTableProps) {
  const Scroller = label === undefined ? "div" : "section";
  return (
    <Scroller className={`${styles.scroller} ${className}`} aria-label={label} tabIndex={0}>
      <table {...table}>
        <caption>{caption}</caption>
        {children}
      </table>
    </Scroller>
  );
}
