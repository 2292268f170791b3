import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { idOf } from "@sealcast/metrics";
import type { ReactNode } from "react";
import { FrameTable } from "../encryption/frame-table.tsx";
import { Chart, type Line } from "./chart.tsx";
import styles from "./dashboard.module.css";
import { useFact, useLast, useShown } from "./figures-context.ts";
import { type DashboardTrack, subjectsOf, tracksOf } from "./subject.ts";
import { useUnits } from "./units.ts";
import { useTrackName, useWho } from "./who.ts";
import { sources } from "./words.ts";

/** That frames are sealed: what the browser counted beside what was sealed and opened. `children`: what can be chosen. */
export function EncryptionProof({ children }: { children: ReactNode }) {
  const { t } = useLingui();
  const shown = useShown();
  const name = useTrackName();
  const fact = useFact();
  const tracks = tracksOf(shown);
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
      <FanOut />
      <Samples tracks={tracks} />
      {children}
    </section>
  );
}

function Tracks({ tracks }: { tracks: readonly DashboardTrack[] }) {
  const last = useLast();
  const fact = useFact();
  const write = useUnits();
  const name = useTrackName();
  const count = (subject: string, of: string) => write(last("encryption", subject, of), "count");
  return (
    <>
      <FrameTable
        data-testid="proof"
        caption={<Trans>Frames of each track since it began</Trans>}
        heading={<Trans>Track</Trans>}
        columns={["counted", "sealed", "readable", "refused", "codec", "epoch"]}
        rows={tracks.map((track) => ({
          key: track.subject,
          track: name(track),
          cells: {
            counted: count(track.subject, "browser"),
            sealed: count(track.subject, "sealed"),
            readable: count(track.subject, "readable"),
            refused: <Refused subject={track.subject} />,
            codec: fact("encryption", track.subject, "codec")?.split("/").at(-1) ?? "–",
            epoch: fact("encryption", track.subject, "epoch") ?? "–",
          },
        }))}
      />
      <p className={styles.quiet}>
        <Trans>
          The browser counts the frames that it encoded or decoded, and of sound the packets that it sent or received. A
          frame that is left readable is only authenticated.
        </Trans>
      </p>
    </>
  );
}

const REFUSED = "refused/";

/** With each reason by its code: the encryption details have the words. */
function Refused({ subject }: { subject: string }) {
  const { figures } = useShown();
  const last = useLast();
  const write = useUnits();
  const reasons = figures.known
    .filter((figure) => figure.subject === subject && figure.name.startsWith(REFUSED))
    .map(({ name }) => name.slice(REFUSED.length));
  if (reasons.length === 0) return write(last("encryption", subject, "refused"), "count");
  const words = reasons.map((why) => `${write(last("encryption", subject, `${REFUSED}${why}`), "count")} ${why}`);
  return words.join(", ");
}

/** Which sizes are encoded and sealed once, and to whom they go. */
function FanOut() {
  const shown = useShown();
  const { i18n } = useLingui();
  const last = useLast();
  const who = useWho();
  const sizes = subjectsOf(shown, "encryption", "size:").filter((subject) => last("encryption", subject, "links") > 0);
  if (!tracksOf(shown).some(({ direction }) => direction === "sent")) return null;
  if (sizes.length === 0)
    return (
      <p className={styles.quiet}>
        <Trans>Pictures are encoded and sealed for each link.</Trans>
      </p>
    );
  return (
    <ul className={styles.list}>
      {sizes.map((subject) => {
        const [, of, lines = ""] = subject.split(":");
        const what = sources[of ?? ""];
        const source = what ? i18n._(what) : of;
        const links = last("encryption", subject, "links");
        const frames = i18n.number(Math.round(last("encryption", subject, "sealed")));
        const people = tracksOf(shown)
          .filter((track) => track.source === of && last("encryption", track.subject, "lines") === Number(lines))
          .map(({ person }) => who(person));
        const names = new Intl.ListFormat(i18n.locale).format(people);
        return (
          <li key={subject}>
            <Trans>
              {source}, {lines}p: {frames} frames sealed once, sent to{" "}
              <Plural value={links} one="# person" other="# people" />: {names}.
            </Trans>
          </li>
        );
      })}
    </ul>
  );
}

/** How each track's last frame began, in clear and on the way. */
function Samples({ tracks }: { tracks: readonly DashboardTrack[] }) {
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
