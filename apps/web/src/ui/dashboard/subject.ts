import type { Region } from "@sealcast/metrics";
import type { ShownFigures } from "./figures-context.ts";

/** A track in figures' ids. */
export interface DashboardTrack {
  readonly subject: string;
  readonly direction: "sent" | "received";
  readonly source: string;
  readonly person: number;
}

const TRACK = /^(sent|received):([a-z-]+):(\d+)$/;
const OF_SOMEBODY = /^(?:link|(?:sent|received):[a-z-]+):(\d+)$/;

/** All subjects of a region that begin so, in the order of their coming. Of people, those who are here now, or all of a file. */
export function subjectsOf({ figures, live }: ShownFigures, region: Region, prefix: string): string[] {
  const subjects = figures.known
    .filter((figure) => figure.region === region && figure.subject.startsWith(prefix))
    .map(({ subject }) => subject);
  const isHere = (subject: string) => {
    const [, person] = OF_SOMEBODY.exec(subject) ?? [];
    return live === null || person === undefined || live.names.has(Number(person));
  };
  return [...new Set(subjects)].filter(isHere);
}

/** Those of which the region says something. */
export function tracksOf(shown: ShownFigures, region: Region = "encryption"): DashboardTrack[] {
  return ["received", "sent"].flatMap((direction) =>
    subjectsOf(shown, region, `${direction}:`).flatMap((subject) => trackOf(subject) ?? []),
  );
}

function trackOf(subject: string): DashboardTrack | null {
  const [, direction, source, person] = TRACK.exec(subject) ?? [];
  if ((direction !== "sent" && direction !== "received") || source === undefined) return null;
  return { subject, direction, source, person: Number(person) };
}
