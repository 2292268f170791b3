import { Trans } from "@lingui/react/macro";
import { lazy, type ReactNode, Suspense, useRef, useState } from "react";
import type { Measurable } from "../session/measuring/measurable.ts";
import { dashboardWords } from "./dashboard/words-catalog.ts";
import { withWords } from "./language/language.ts";
import { DashboardIcon } from "./parts/icons.tsx";
import toggle from "./parts/toggle.module.css";

const Panel = lazy(() => withWords(dashboardWords, import("./dashboard/panel.tsx")));

interface DashboardButtonProps {
  measurable: () => Measurable | null;
  policy?: ReactNode;
  /** What the other end is called in a sentence, where there is only one and it has no name. */
  other?: string;
  className?: string | undefined;
  /** Where the panel is to be. */
  place: (panel: ReactNode) => void;
}

/** Opens the dashboard, and loads it the first time. */
export function DashboardButton({ measurable, policy = null, other, className, place }: DashboardButtonProps) {
  /** What had the focus when it was opened: this button, or that of the menu in which this one stands. */
  const opener = useRef<Element>(null);
  const [open, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
    place(null);
    if (opener.current instanceof HTMLElement) opener.current.focus();
  };
  const show = () => {
    const of = measurable();
    if (of === null) return;
    opener.current = document.activeElement;
    setOpen(true);
    place(
      <Suspense>
        <Panel measurable={of} policy={policy} other={other} onClose={close} />
      </Suspense>,
    );
  };
  return (
    <button type="button" className={className ?? toggle.toggle} aria-expanded={open} onClick={open ? close : show}>
      <DashboardIcon />
      <span>
        <Trans>Dashboard</Trans>
      </span>
    </button>
  );
}
