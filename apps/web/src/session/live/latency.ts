import type { Stats } from "../peer/link-stats.ts";

interface Sums {
  buffered: number;
  emitted: number;
  decoding: number;
  decoded: number;
}

/**
 * About how long it takes from a host's network card to this screen: half a round trip, the time in the jitter buffer and
 * the decoder. The host's camera, encoder and sealing come on top, and so does a screen; nobody here can measure them.
 */
export class StreamLatency {
  #last: Sums | null = null;

  /** Of what the browser counted: milliseconds, over the time since the last call; null where nothing was played meanwhile. */
  of(stats: readonly Stats[]): number | null {
    const picture = stats.find(({ type, kind }) => type === "inbound-rtp" && kind === "video");
    const trip = stats.find(({ type, nominated }) => type === "candidate-pair" && nominated)?.currentRoundTripTime;
    if (picture === undefined || trip === undefined) return null;
    const now: Sums = {
      buffered: picture.jitterBufferDelay ?? 0,
      emitted: picture.jitterBufferEmittedCount ?? 0,
      decoding: picture.totalDecodeTime ?? 0,
      decoded: picture.framesDecoded ?? 0,
    };
    const last = this.#last;
    this.#last = now;
    if (last === null || now.emitted <= last.emitted || now.decoded <= last.decoded) return null;
    const buffered = (now.buffered - last.buffered) / (now.emitted - last.emitted);
    const decoding = (now.decoding - last.decoding) / (now.decoded - last.decoded);
    return 1000 * (trip / 2 + buffered + decoding);
  }
}
