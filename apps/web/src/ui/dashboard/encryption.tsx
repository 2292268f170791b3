import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type Figures, figureOf, idOf } from "@sealcast/metrics";
import type { ReactNode } from "react";
import { Chart, type Line } from "./chart.tsx";
import styles from "./dashboard.module.css";
import { useFact, useLast, useShown } from "./figures-context.ts";
import { subjectsOf, type Track, tracksOf } from "./subject.ts";
import { useUnits } from "./units.ts";
import { useTrackName } from "./who.ts";

/** That frames are sealed: what the browser counted beside what was sealed and opened. `children`: what can be chosen. */
export function EncryptionProof({ children }: { children: ReactNode }) {
  const { t } = useLingui();
  const { figures } = useShown();
  const name = useTrackName();
  const fact = useFact();
  const tracks = tracksOf(figures);
  const state = fact("encryption", "page", "state");
  const rates = tracks.map(
    (track): Line => ({
      id: idOf({ region: "encryption", subject: track.subject, name: "rate", statistic: "value" }),
      label: name(track),
    }),
  );
  return (
    <section className={styles.region} aria-label={t`Encryption`}>
      <h3>
        <Trans>Encryption</Trans>
      </h3>
      {state === "failing" && (
        <p className={styles.bad}>
          <Trans>Encryption is failing. The encryption details say why.</Trans>
        </p>
      )}
      {tracks.length > 0 && <Tracks tracks={tracks} />}
      {rates.length > 0 && <Chart title={t`Frames sealed or opened`} unit="1/s" lines={rates} least={10} />}
      <FanOut figures={figures} />
      <Samples tracks={tracks} />
      {children}
    </section>
  );
}

function Tracks({ tracks }: { tracks: readonly Track[] }) {
  const last = useLast();
  const fact = useFact();
  const write = useUnits();
  const name = useTrackName();
  const count = (subject: string, of: string) => write(last("encryption", subject, of), "count");
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls sideways, by keyboard too
    <div className={styles.scroller} tabIndex={0}>
      <table data-testid="proof">
        <caption>
          <Trans>Every track: frames since it began, of sound packets</Trans>
        </caption>
        <thead>
          <tr>
            <th scope="col">
              <Trans>Track</Trans>
            </th>
            <th scope="col">
              <Trans>Browser counted</Trans>
            </th>
            <th scope="col">
              <Trans>Sealed or opened</Trans>
            </th>
            <th scope="col">
              <Trans>Left readable</Trans>
            </th>
            <th scope="col">
              <Trans>Refused</Trans>
            </th>
            <th scope="col">
              <Trans>Codec</Trans>
            </th>
            <th scope="col">
              <Trans>Epoch</Trans>
            </th>
          </tr>
        </thead>
        <tbody>
          {tracks.map((track) => (
            <tr key={track.subject} data-subject={track.subject}>
              <th scope="row">{name(track)}</th>
              <td>{count(track.subject, "browser")}</td>
              <td>{count(track.subject, "sealed")}</td>
              <td>{count(track.subject, "readable")}</td>
              <td>
                <Refused subject={track.subject} />
              </td>
              <td>{fact("encryption", track.subject, "codec")?.split("/").at(-1) ?? "–"}</td>
              <td>{fact("encryption", track.subject, "epoch") ?? "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** With each reason by its code: the encryption details have the words. */
function Refused({ subject }: { subject: string }) {
  const { figures } = useShown();
  const last = useLast();
  const write = useUnits();
  const reasons = figures.ids.flatMap((id) => {
    const figure = figureOf(id);
    const [, why] = figure?.subject === subject ? (figure.name.split("refused/") ?? []) : [];
    return why === undefined ? [] : [why];
  });
  if (reasons.length === 0) return write(last("encryption", subject, "refused"), "count");
  const words = reasons.map((why) => `${write(last("encryption", subject, `refused/${why}`), "count")} ${why}`);
  return words.join(", ");
}

/** Which sizes are encoded and sealed once, and to how many they go. */
function FanOut({ figures }: { figures: Figures }) {
  const last = useLast();
  const sizes = subjectsOf(figures, "encryption", "size:").filter(
    (subject) => last("encryption", subject, "links") > 0,
  );
  if (sizes.length === 0)
    return (
      <p className={styles.quiet}>
        <Trans>Pictures are encoded and sealed for each link.</Trans>
      </p>
    );
  return (
    <ul className={styles.list}>
      {sizes.map((subject) => {
        const [, , lines = ""] = subject.split(":");
        const links = last("encryption", subject, "links");
        const frames = Math.round(last("encryption", subject, "sealed"));
        return (
          <li key={subject}>
            <Trans>
              {lines}p: {frames} frames sealed once, sent to <Plural value={links} one="# person" other="# people" />.
            </Trans>
          </li>
        );
      })}
    </ul>
  );
}

/** How each track's last frame began, in clear and on the way. */
function Samples({ tracks }: { tracks: readonly Track[] }) {
  const { live } = useShown();
  const name = useTrackName();
  const sampled = tracks.flatMap((track) => {
    const sample = live?.samples.get(track.subject);
    return sample ? [{ track, sample }] : [];
  });
  if (sampled.length === 0) return null;
  return (
    <details className={styles.samples}>
      <summary>
        <Trans>The last frame of each track, byte by byte</Trans>
      </summary>
      {sampled.map(({ track, sample: { clear, wire, bytes } }) => (
        <dl key={track.subject}>
          <dt>
            <Trans>{name(track)}, in clear</Trans>
          </dt>
          <dd>{hex(clear)} …</dd>
          <dt>
            <Trans>
              {name(track)}, on the way: {bytes} bytes
            </Trans>
          </dt>
          <dd>{hex(wire)} …</dd>
        </dl>
      ))}
    </details>
  );
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
}
