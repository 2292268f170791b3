import { Trans, useLingui } from "@lingui/react/macro";
import { idOf } from "@sealcast/metrics";
import { Chart, type Line } from "./chart.tsx";
import styles from "./dashboard.module.css";
import { useFact, useLast, useShown } from "./figures-context.ts";
import { subjectsOf } from "./subject.ts";
import { type FigureUnit, useUnits } from "./units.ts";
import { pressures } from "./words.ts";

/** What keeps this computer busy. */
export function Cpu() {
  const { t } = useLingui();
  const shown = useShown();
  const workers = subjectsOf(shown, "cpu", "worker:").sort();
  const numberOf = (subject: string) => subject.split(":")[1] ?? "";
  const busy = workers.map((subject): Line => {
    const number = numberOf(subject);
    return { id: idOf({ region: "cpu", subject, name: "busy", statistic: "value" }), label: t`Worker ${number}` };
  });
  const queue = workers.map((subject): Line => {
    const number = numberOf(subject);
    return { id: idOf({ region: "cpu", subject, name: "queue", statistic: "p95" }), label: t`Worker ${number}` };
  });
  const coders = [
    { id: idOf({ region: "cpu", subject: "page", name: "encoders", statistic: "value" }), label: t`Links’ encoders` },
    { id: idOf({ region: "cpu", subject: "page", name: "decoders", statistic: "value" }), label: t`Decoders` },
  ];
  return (
    <section className={styles.region} aria-label={t`CPU`}>
      <h3>
        <Trans>CPU</Trans>
      </h3>
      <Chart title={t`Share of time in which a worker seals or opens`} unit="share" lines={busy} least={0.05} />
      <Chart title={t`How long frames wait for it, p95`} unit="ms" lines={queue} least={1} />
      <Chart title={t`Encoding and decoding time, of one core`} unit="share" lines={coders} least={0.1} />
      <PageLoad />
    </section>
  );
}

function PageLoad() {
  const { t, i18n } = useLingui();
  const last = useLast();
  const fact = useFact();
  const write = useUnits();
  const told = (name: string, unit: FigureUnit) => {
    const value = last("cpu", "page", name);
    const isUntold = !Number.isFinite(value) && fact("cpu", "page", name) === "untold";
    return isUntold ? t`not reported by this browser` : write(value, unit);
  };
  const pressure = pressures[fact("cpu", "page", "pressure") ?? ""];
  return (
    <dl className={styles.facts}>
      <dt>
        <Trans>Long tasks of the page, in the last second</Trans>
      </dt>
      <dd>{told("long-tasks", "ms")}</dd>
      <dt>
        <Trans>Compute pressure</Trans>
      </dt>
      <dd>{pressure ? i18n._(pressure) : t`not reported by this browser`}</dd>
      <dt>
        <Trans>Memory of the page and its workers</Trans>
      </dt>
      <dd>{told("memory", "bytes")}</dd>
    </dl>
  );
}
