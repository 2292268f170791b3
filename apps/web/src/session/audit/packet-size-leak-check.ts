import type { Samples } from "./encryption-audit.ts";

/**
 * Of the last frames. With a constant bitrate there are one or two: the numbers in headers grow, a first packet repeats
 * nothing, a slower network takes another bitrate. Without, nearly every frame has a length of its own.
 */
const MOST_LENGTHS = 5;
/** Samples in a row: a browser that has just been told may need a moment. */
const PATIENCE = 6;

/** Whether lengths of sound frames tell what is said. Found out from what media workers sent: not every browser may do as told. */
export class PacketSizeLeakCheck {
  #uneven = 0;

  shows(samples: Samples["samples"]): boolean {
    const isUneven = samples.some(
      ([{ direction, line, report }]) =>
        direction === "sent" && line.kind === "audio" && (report?.lengths ?? 0) > MOST_LENGTHS,
    );
    this.#uneven = isUneven ? this.#uneven + 1 : 0;
    return this.#uneven >= PATIENCE;
  }
}
