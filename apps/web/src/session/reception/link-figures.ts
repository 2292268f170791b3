import { pathOf, Totals } from "../measuring/stats.ts";
import type { Stats } from "../peer/link-stats.ts";
import type { LinkFigures } from "./quality.ts";

/** Readings, half a second apart, over which shares are taken. */
const READINGS = 8;
/** Fewer packets say nothing. */
const FEWEST = 20;

/** Makes the figures of one connection out of what its browser counts. */
export class LinkFigureMeter {
  readonly #totals = new Totals(READINGS);

  /** Once a reading. */
  read(entries: readonly Stats[]): LinkFigures {
    const inbound = entries.filter(({ type }) => type === "inbound-rtp");
    const sound = inbound.find(({ kind }) => kind === "audio");
    const returned = entries.filter(({ type }) => type === "remote-inbound-rtp");
    const received = this.#grew("received", sum(inbound, "packetsReceived"));
    const lost = Math.max(this.#grew("lost", sum(inbound, "packetsLost")), 0);
    const samples = this.#grew("samples", sound?.totalSamplesReceived);
    const concealed = (sound?.concealedSamples ?? Number.NaN) - (sound?.silentConcealedSamples ?? 0);
    const path = pathOf(entries);
    return {
      lostHere: received + lost < FEWEST ? Number.NaN : lost / (received + lost),
      lostThere: Math.max(...returned.map(({ fractionLost = 0 }) => fractionLost)),
      roundTripMs: (path?.currentRoundTripTime ?? Number.NaN) * 1_000,
      jitterMs: (sound?.jitter ?? Number.NaN) * 1_000,
      madeUp: this.#grew("concealed", concealed) / samples,
      carries: path?.availableOutgoingBitrate ?? Number.NaN,
    };
  }

  #grew(name: string, total: number | undefined): number {
    return this.#totals.grew(name, total);
  }
}

function sum(entries: readonly Stats[], member: "packetsReceived" | "packetsLost"): number {
  return entries.reduce((total, entry) => total + (entry[member] ?? 0), 0);
}
