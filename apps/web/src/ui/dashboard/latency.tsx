import { Trans, useLingui } from "@lingui/react/macro";
import { type FrameStage, idOf, RELAYS, STAGES } from "@sealcast/metrics";
import { useState } from "react";
import fields from "../parts/fields.module.css";
import { WideTable } from "../wide-table.tsx";
import { Chart } from "./chart.tsx";
import styles from "./dashboard.module.css";
import { useFact, useLast, useShown } from "./figures-context.ts";
import { type DashboardTrack, tracksOf } from "./subject.ts";
import { useUnits } from "./units.ts";
import { useTrackName } from "./who.ts";
import { labels, stages } from "./words.ts";

/** Where a track's time goes, stage by stage, and over time. */
export function Latency() {
  const { t } = useLingui();
  const shown = useShown();
  const name = useTrackName();
  const tracks = tracksOf(shown, "latency").sort((a, b) => rank(a) - rank(b));
  const [chosen, setChosen] = useState("");
  const track = tracks.find(({ subject }) => subject === chosen) ?? tracks[0];
  return (
    <section className={styles.region} aria-label={t`Latency`}>
      <h3>
        <Trans>Latency</Trans>
      </h3>
      {track === undefined ? (
        <p className={styles.quiet}>
          <Trans>No frame has been measured.</Trans>
        </p>
      ) : (
        <>
          <label className={fields.field}>
            <Trans>Track</Trans>
            <select value={track.subject} onChange={(event) => setChosen(event.target.value)}>
              {tracks.map((each) => (
                <option key={each.subject} value={each.subject}>
                  {name(each)}
                </option>
              ))}
            </select>
          </label>
          <EndToEnd track={track} />
          <Waterfall track={track} />
          <OverTime track={track} />
        </>
      )}
    </section>
  );
}

/** Pictures that come in are the ones that are known from end to end. */
function rank({ direction, source }: DashboardTrack): number {
  return (direction === "received" ? 0 : 2) + (source === "microphone" ? 1 : 0);
}

function EndToEnd({ track: { subject, source, person } }: { track: DashboardTrack }) {
  const { figures } = useShown();
  const last = useLast();
  const fact = useFact();
  const write = useUnits();
  const of = (statistic: "p50" | "p95" | "p99") => write(last("latency", subject, "end-to-end", statistic), "ms");
  const within = write(last("latency", `link:${person}`, "clock"), "ms");
  const [p50, p95, p99] = [of("p50"), of("p95"), of("p99")];
  if (!subject.startsWith("received"))
    return (
      <p className={styles.quiet}>
        <Trans>Of what is sent, what happens here is known. From end to end it is measured where it is received.</Trans>
      </p>
    );
  if (source === "microphone")
    return (
      <p className={styles.quiet}>
        <Trans>End-to-end latency is measured for video only; browsers do not report audio playout times.</Trans>
      </p>
    );
  const begins = fact("latency", subject, "begins");
  const isKnown = figures.of(idOf({ region: "latency", subject, name: "end-to-end", statistic: "p50" })) !== null;
  if (begins !== "encoder" && !isKnown)
    return (
      <p data-testid="end-to-end">
        <Trans>End to end: not known. This browser does not report when the video was captured.</Trans>
      </p>
    );
  return (
    <>
      <p data-testid="end-to-end">
        <Trans>
          End to end: <strong>{p50}</strong> p50, {p95} p95, {p99} p99.
        </Trans>
      </p>
      <p className={styles.quiet}>
        {begins === "encoder" && (
          <Trans>
            From when the picture comes to the encoder to when this page presents it. The two clocks agree within{" "}
            {within}.
          </Trans>
        )}
        {begins === "capture" && (
          <Trans>From capture to when this page presents it. The two clocks agree within {within}.</Trans>
        )}
        {begins === "camera-track" && (
          <Trans>
            From when the camera’s track gives a frame to when the video presents it, by stamps drawn into the frames.
            Both clocks are those of one computer.
          </Trans>
        )}
      </p>
    </>
  );
}

function Waterfall({ track: { subject, person } }: { track: DashboardTrack }) {
  const { i18n } = useLingui();
  const last = useLast();
  const fact = useFact();
  const write = useUnits();
  const lengths = lengthsOf((stage) => last("latency", subject, stage, "mean"));
  const whole = Math.max(1e-9, ...lengths.map(({ from, length }) => from + length));
  const percent = (ms: number) => `${(100 * ms) / whole}%`;
  const cell = (stage: FrameStage, statistic: "p50" | "p95" | "p99") =>
    write(last("latency", subject, stage, statistic), "ms");
  // Stamps tell of both ends and of nothing between.
  if (fact("latency", subject, "begins") === "camera-track") return null;
  return (
    <>
      <WideTable caption={<Trans>Stages, over the last five seconds</Trans>} className={styles.waterfall}>
        <thead>
          <tr>
            <th scope="col">
              <Trans>Stage</Trans>
            </th>
            <td className={styles.bars} />
            <th scope="col">
              <Trans>Measured</Trans>
            </th>
            <th scope="col">
              <Trans>Mean</Trans>
            </th>
            <th scope="col">p50</th>
            <th scope="col">p95</th>
            <th scope="col">p99</th>
          </tr>
        </thead>
        <tbody>
          {lengths.map(({ stage, from, length }) => {
            const label = labels[fact("latency", subject, stage) ?? ""];
            return (
              <tr key={stage} data-stage={stage}>
                <th scope="row">
                  {stage === "network" && person === RELAYS ? <Trans>Relays</Trans> : i18n._(stages[stage])}
                </th>
                <td className={styles.bars} aria-hidden="true">
                  <div
                    hidden={length === 0}
                    style={{ marginInlineStart: percent(from), inlineSize: percent(length) }}
                  />
                </td>
                <td>{label ? i18n._(label) : <Trans>not reported</Trans>}</td>
                <td>{write(last("latency", subject, stage, "mean"), "ms")}</td>
                <td>{cell(stage, "p50")}</td>
                <td>{cell(stage, "p95")}</td>
                <td>{cell(stage, "p99")}</td>
              </tr>
            );
          })}
        </tbody>
      </WideTable>
      <p className={styles.quiet}>
        <Trans>
          “Per frame” was measured of single frames. “Mean” is what the browser says of many, and has no p50.
        </Trans>{" "}
        {person === RELAYS ? (
          <Trans>
            “Relays” is from the sealing worker to the opening one, with the way to the relays and from them.
          </Trans>
        ) : (
          <Trans>“Network and assembly” is from the sealing worker to the opening one, with the sending in it.</Trans>
        )}
      </p>
    </>
  );
}

/** Where each stage begins and how long it takes, by its mean. Sending is a part of what is measured as the network. */
function lengthsOf(mean: (stage: FrameStage) => number): { stage: FrameStage; from: number; length: number }[] {
  let from = 0;
  return STAGES.map((stage) => {
    const known = mean(stage);
    const send = mean("send");
    const length = Number.isFinite(known) ? known : 0;
    const own = stage === "network" && Number.isFinite(send) ? Math.max(0, length - send) : length;
    const begins = from;
    from += own;
    return { stage, from: begins, length: own };
  });
}

function OverTime({ track: { subject } }: { track: DashboardTrack }) {
  const { t } = useLingui();
  const { figures } = useShown();
  const received = subject.startsWith("received");
  const name = received ? "end-to-end" : "seal";
  const quantiles = ["p50", "p95", "p99"] as const;
  const lines = (of: string) =>
    quantiles.map((statistic) => ({ id: idOf({ region: "latency", subject, name: of, statistic }), label: statistic }));
  const has = (of: string) => figures.of(lines(of)[0]?.id ?? "") !== null;
  return (
    <>
      {received && has(name) && <Chart title={t`End to end`} unit="ms" lines={lines(name)} />}
      {has("seal") && <Chart title={t`Sealing, per frame`} unit="ms" lines={lines("seal")} least={0.2} />}
      {has("open") && <Chart title={t`Opening, per frame`} unit="ms" lines={lines("open")} least={0.2} />}
    </>
  );
}
