import { Trans } from "@lingui/react/macro";
import styles from "./dashboard.module.css";
import { useLast, useShown } from "./figures-context.ts";
import { tracksOf } from "./subject.ts";
import { useUnits } from "./units.ts";

/** What sealing the picture costs now, which is the most that leaving frames readable saves; and what is readable. */
export function PolicyCost() {
  const shown = useShown();
  const last = useLast();
  const write = useUnits();
  const sent = tracksOf(shown).filter(({ direction, source }) => direction === "sent" && source === "camera");
  const [subject] = sent.map(({ subject }) => subject);
  if (subject === undefined) return null;
  const [time, rate] = [last("latency", subject, "seal", "mean"), last("encryption", subject, "rate")];
  const [sealed, readable] = [last("encryption", subject, "sealed"), last("encryption", subject, "readable")];
  const each = write(time, "ms");
  const cost = write((time * rate) / 1_000, "share");
  const left = write(readable / (sealed + readable), "share");
  return (
    <p className={styles.quiet} data-testid="policy-cost">
      <Trans>
        Measured: from coming to the sealing worker to leaving it a frame takes {each}, which is at most {cost} of one
        core. Leaving frames readable saves less than that. So far {left} of your frames went readable: the
        eavesdropper’s view shows what that gives away.
      </Trans>
    </p>
  );
}
