import { type Figures, figureOf } from "@sealcast/metrics";

/** A track in figures' ids. */
export interface Track {
  readonly subject: string;
  readonly direction: "sent" | "received";
  readonly source: string;
  readonly person: number;
}

const TRACK = /^(sent|received):([a-z-]+):(\d+)$/;

/** All subjects of a region that begin so, in the order of their coming. */
export function subjectsOf(figures: Figures, region: string, prefix: string): string[] {
  const subjects = figures.ids.flatMap((id) => {
    const figure = figureOf(id);
    return figure?.region === region && figure.subject.startsWith(prefix) ? [figure.subject] : [];
  });
  return [...new Set(subjects)];
}

export function tracksOf(figures: Figures): Track[] {
  return ["received", "sent"].flatMap((direction) =>
    subjectsOf(figures, "encryption", `${direction}:`).flatMap((subject) => trackOf(subject) ?? []),
  );
}

function trackOf(subject: string): Track | null {
  const [, direction, source, person] = TRACK.exec(subject) ?? [];
  if ((direction !== "sent" && direction !== "received") || source === undefined) return null;
  return { subject, direction, source, person: Number(person) };
}
