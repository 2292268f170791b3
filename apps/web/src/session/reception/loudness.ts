import type { Stats } from "../peer/link-stats.ts";

const SILENCE = -100;

/** What the browser has measured of one track's sound since the beginning (W3C WebRTC Statistics, totalAudioEnergy). */
export interface SoundTotal {
  energy: number;
  seconds: number;
}

/** Of what came on the line with this mid and was decoded here: nothing that its sender says of it counts. Null before there is any. */
export function soundHeard(entries: readonly Stats[], mid: string | null): SoundTotal | null {
  return totalOf(entries.find((entry) => entry.type === "inbound-rtp" && entry.kind === "audio" && entry.mid === mid));
}

/** Of what goes out on the line with this mid, before it is encoded. Null where the browser does not measure it. */
export function soundMade(entries: readonly Stats[], mid: string | null): SoundTotal | null {
  const sent = entries.find((entry) => entry.type === "outbound-rtp" && entry.kind === "audio" && entry.mid === mid);
  return totalOf(entries.find((entry) => entry.type === "media-source" && entry.id === sent?.mediaSourceId));
}

/** Mean loudness between two totals, decibels below full scale. */
export function loudnessBetween(before: SoundTotal | null, now: SoundTotal | null): number {
  if (before === null || now === null) return SILENCE;
  const [energy, seconds] = [now.energy - before.energy, now.seconds - before.seconds];
  // Counters can begin at 0 again.
  return energy > 0 && seconds > 0 ? Math.max(10 * Math.log10(energy / seconds), SILENCE) : SILENCE;
}

function totalOf(entry: Stats | undefined): SoundTotal | null {
  const { totalAudioEnergy: energy, totalSamplesDuration: seconds } = entry ?? {};
  return energy === undefined || seconds === undefined ? null : { energy, seconds };
}
