import { Trans, useLingui } from "@lingui/react/macro";
import { figuresOf } from "@sealcast/metrics";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import type { Measurable } from "../../session/measuring/measurable.ts";
import { Measuring } from "../../session/measuring/measuring.ts";
import button from "../button.module.css";
import { CloseIcon } from "../parts/icons.tsx";
import { Cpu } from "./cpu.tsx";
import styles from "./dashboard.module.css";
import { EavesdropperView } from "./eavesdropper.tsx";
import { EncryptionProof } from "./encryption.tsx";
import { Exports } from "./exports.tsx";
import { ShownContext, type ShownFigures } from "./figures-context.ts";
import { Latency } from "./latency.tsx";
import { Network } from "./network.tsx";
import { PolicyCost } from "./policy-cost.tsx";

interface PanelProps {
  measurable: Measurable;
  /** What can be chosen of how much is sealed; null where nothing can. */
  policy: ReactNode | null;
  /** What the other end is called, where it has no name. */
  other: string | undefined;
  onClose: () => void;
}

/** The dashboard of a call or stream. It measures for as long as it is mounted. */
export default function Panel({ measurable, policy, other, onClose }: PanelProps) {
  const { t } = useLingui();
  const heading = useRef<HTMLHeadingElement>(null);
  const { shown, measuring, isPaused, pause } = useMeasuring(measurable);
  const [exporting, setExporting] = useState(false);
  useEffect(() => heading.current?.focus(), []);
  const panel = useRef<HTMLElement>(null);
  useEscape(panel, onClose);
  return (
    <aside ref={panel} className={styles.panel} aria-label={t`Dashboard`} data-panel>
      <div className={styles.head}>
        <h2 ref={heading} tabIndex={-1}>
          <Trans>Dashboard</Trans>
        </h2>
        <button type="button" className={button.quiet} aria-pressed={isPaused} onClick={pause}>
          <Trans>Pause</Trans>
        </button>
        <button
          type="button"
          className={button.quiet}
          aria-expanded={exporting}
          onClick={() => setExporting(!exporting)}
        >
          <Trans>Export</Trans>
        </button>
        <button type="button" className={button.round} aria-label={t`Close dashboard`} onClick={onClose}>
          <CloseIcon />
        </button>
      </div>
      {exporting && measuring !== null && <Exports report={() => measuring.report()} />}
      {shown !== null && (
        <ShownContext value={{ ...shown, other }}>
          <div className={styles.body}>
            <Latency />
            <Cpu />
            <EncryptionProof>
              {policy}
              {policy !== null && <PolicyCost />}
              <EavesdropperView measurable={measurable} />
            </EncryptionProof>
            <Network />
          </div>
        </ShownContext>
      )}
    </aside>
  );
}

/** Escape closes what is open here, where the focus is in it or nowhere. A dialog over it is closed by its own. */
function useEscape(panel: RefObject<HTMLElement | null>, close: () => void): void {
  useEffect(() => {
    const press = ({ key, target, defaultPrevented }: KeyboardEvent) => {
      const isHere = target === document.body || (target instanceof Node && panel.current?.contains(target));
      if (key === "Escape" && isHere && !defaultPrevented) close();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
}

/** While it is paused, it shows what was then; measuring goes on. */
function useMeasuring(measurable: Measurable) {
  const [measuring, setMeasuring] = useState<Measuring | null>(null);
  const [now, setNow] = useState<ShownFigures | null>(null);
  const [then, setThen] = useState<ShownFigures | null>(null);
  useEffect(() => {
    const made = new Measuring(measurable, () => setNow({ figures: made.recording, live: made.live }));
    setMeasuring(made);
    return () => made.close();
  }, [measurable]);
  const pause = () => {
    if (measuring === null) return;
    setThen(then === null ? { figures: figuresOf(measuring.report()), live: measuring.live } : null);
  };
  return { shown: then ?? now, measuring, isPaused: then !== null, pause };
}
