/** What the last seconds of one connection were like. NaN where nothing was measured. */
export interface LinkFigures {
  /** Shares of packets that were lost, of those that came here and of those sent from here. */
  lostHere: number;
  lostThere: number;
  roundTripMs: number;
  jitterMs: number;
  /** Share of the sound that the browser had to make up, since its packets came late or not at all. */
  madeUp: number;
  /** What the connection carries away from here by the browser's estimate, bits per second. */
  carries: number;
}

export type LinkFault = "loss" | "delay" | "unsteady" | "slow";

/** `here`: several connections have it at once, so it is this end's. `between`: with one connection nobody can tell whose it is. */
type Side = "here" | "there" | "between";

export interface LinkQuality {
  /** 3: nothing to say. */
  steps: 1 | 2 | 3;
  /** Null where there is nothing to say. */
  reason: { fault: LinkFault; side: Side } | "overloaded" | null;
}

export const GOOD: LinkQuality = { steps: 3, reason: null };

type Severity = 0 | 1 | 2;

/** From where on a figure is heard or seen, and from where on it is hard to talk. Shares, milliseconds, bits per second. */
const LIMITS = {
  lost: [0.03, 0.1],
  roundTripMs: [300, 700],
  jitterMs: [60, 150],
  madeUp: [0.05, 0.15],
  carries: [150_000, 60_000],
} as const;

/** The worst first, where two are equally bad. */
const FAULTS = ["loss", "slow", "unsteady", "delay"] as const;

/** How good each connection is, and why one is not. `overloaded`: this computer does not keep up. */
export function qualitiesOf(links: ReadonlyMap<string, LinkFigures>, overloaded: boolean): Map<string, LinkQuality> {
  const found = new Map([...links].map(([id, figures]) => [id, faultsOf(figures)]));
  const sideOf = (fault: LinkFault): Side => {
    if (links.size < 2) return "between";
    const affected = [...found.values()].filter((severities) => severities[fault] > 0).length;
    return 2 * affected > links.size ? "here" : "there";
  };
  return new Map([...found].map(([id, severities]) => [id, worst(severities, sideOf, overloaded)]));
}

function worst(
  severities: Record<LinkFault, Severity>,
  sideOf: (fault: LinkFault) => Side,
  overloaded: boolean,
): LinkQuality {
  const fault = FAULTS.reduce((one, other) => (severities[other] > severities[one] ? other : one));
  const severity = severities[fault];
  // A computer that is too busy plays sound with gaps, and answers late.
  if (overloaded && (severity < 2 || fault === "unsteady" || fault === "delay"))
    return { steps: severity === 2 ? 1 : 2, reason: "overloaded" };
  if (severity === 0) return GOOD;
  return { steps: severity === 2 ? 1 : 2, reason: { fault, side: sideOf(fault) } };
}

function faultsOf({
  lostHere,
  lostThere,
  roundTripMs,
  jitterMs,
  madeUp,
  carries,
}: LinkFigures): Record<LinkFault, Severity> {
  return {
    loss: worse(above(lostHere, LIMITS.lost), above(lostThere, LIMITS.lost)),
    delay: above(roundTripMs, LIMITS.roundTripMs),
    unsteady: worse(above(jitterMs, LIMITS.jitterMs), above(madeUp, LIMITS.madeUp)),
    slow: above(-carries, [-LIMITS.carries[0], -LIMITS.carries[1]]),
  };
}

function above(figure: number, [some, much]: readonly [number, number]): Severity {
  return figure > much ? 2 : figure > some ? 1 : 0;
}

function worse(one: Severity, other: Severity): Severity {
  return one > other ? one : other;
}
