import { Trans, useLingui } from "@lingui/react/macro";
import { idOf } from "@sealcast/metrics";
import { WideTable } from "../wide-table.tsx";
import { Chart, type Line } from "./chart.tsx";
import styles from "./dashboard.module.css";
import { useFact, useLast, useShown } from "./figures-context.ts";
import { subjectsOf, tracksOf } from "./subject.ts";
import { useUnits } from "./units.ts";
import { useTrackName, useWho } from "./who.ts";
import { ways } from "./words.ts";

/** The ways to the others. */
export function Network() {
  const { t } = useLingui();
  const shown = useShown();
  const who = useWho();
  const links = subjectsOf(shown, "network", "link:");
  const personOf = (subject: string) => Number(subject.split(":")[1]);
  const lines = (name: string) =>
    links.map(
      (subject): Line => ({
        id: idOf({ region: "network", subject, name, statistic: "value" }),
        label: who(personOf(subject)),
      }),
    );
  return (
    <section className={styles.region} aria-label={t`Network`}>
      <h3>
        <Trans>Network</Trans>
      </h3>
      {links.length === 0 && (
        <p className={styles.quiet}>
          <Trans>Nobody is connected.</Trans>
        </p>
      )}
      <Chart title={t`Round trip`} unit="ms" lines={lines("rtt")} least={5} />
      <Chart title={t`Sent`} unit="bit/s" lines={lines("sent")} />
      <Chart title={t`Received`} unit="bit/s" lines={lines("received")} />
      {links.map((subject) => (
        <Way key={subject} subject={subject} name={who(personOf(subject))} />
      ))}
      <Tracks />
    </section>
  );
}

function Way({ subject, name }: { subject: string; name: string }) {
  const { i18n } = useLingui();
  const last = useLast();
  const fact = useFact();
  const write = useUnits();
  const [local = "", remote = "", protocol = ""] = fact("network", subject, "way")?.split(" ") ?? [];
  const word = (type: string) => (ways[type] ? i18n._(ways[type]) : type);
  const [here, there] = [word(local), word(remote)];
  const rate = last("network", subject, "estimate");
  const [by, estimate] = [protocol.toUpperCase(), write(rate, "bit/s")];
  if (here === "" || there === "") return null;
  return (
    <p className={styles.quiet}>
      <Trans>
        To {name}: from {here} to {there} over {by}.
      </Trans>{" "}
      {Number.isFinite(rate) && <Trans>By the browser’s estimate it carries {estimate}.</Trans>}
    </p>
  );
}

function Tracks() {
  const shown = useShown();
  const last = useLast();
  const write = useUnits();
  const name = useTrackName();
  const tracks = tracksOf(shown);
  if (tracks.length === 0) return null;
  return (
    <WideTable caption={<Trans>Every track</Trans>}>
      <thead>
        <tr>
          <th scope="col">
            <Trans>Track</Trans>
          </th>
          <th scope="col">
            <Trans>Rate</Trans>
          </th>
          <th scope="col">
            <Trans>Lost</Trans>
          </th>
          <th scope="col">
            <Trans>Jitter</Trans>
          </th>
        </tr>
      </thead>
      <tbody>
        {tracks.map((track) => (
          <tr key={track.subject}>
            <th scope="row">{name(track)}</th>
            <td>{write(last("network", track.subject, "rate"), "bit/s")}</td>
            <td>{write(last("network", track.subject, "loss"), "share")}</td>
            <td>{write(last("network", track.subject, "jitter"), "ms")}</td>
          </tr>
        ))}
      </tbody>
    </WideTable>
  );
}
