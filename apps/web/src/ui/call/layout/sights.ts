import type { Shown } from "../../../session/peer/shown.ts";

/** In the screen's pixels. */
export type SeenSize = Pick<Shown, "width" | "height">;

/** Nobody sees it. */
export const UNSEEN: SeenSize = { width: 0, height: 0 };

/** In how many places each video is drawn, and how large: on the stage, and in a window of its own. */
export class Sights {
  readonly #sizes = new Map<string, Map<string, SeenSize>>();

  /** From now on the video is so large in that place. */
  see(video: string, where: string, size: SeenSize): void {
    const sizes = this.#sizes.get(video) ?? new Map<string, SeenSize>();
    this.#sizes.set(video, sizes.set(where, size));
  }

  /** What suffices for all places; null as long as it was drawn in none. */
  of(video: string): SeenSize | null {
    const sizes = [...(this.#sizes.get(video)?.values() ?? [])];
    if (sizes.length === 0) return null;
    return {
      width: Math.max(...sizes.map(({ width }) => width)),
      height: Math.max(...sizes.map(({ height }) => height)),
    };
  }
}
