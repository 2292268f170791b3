import type { Sighting } from "./stamp.ts";

/** How a host's picture is encoded: once for all viewers, or on each link by an encoder of its own. */
export type Way = "once" | "each";

/** What the probe in a live host's page offers. */
export interface HostProbe {
  /** What was first copied. */
  copied(): Promise<string>;
  /** When each picture was stamped so far. */
  drawn(): readonly Sighting[];
  /** How many links encode the picture themselves: those of a picture that is encoded once encode tiny stand-ins. */
  ownEncoders(): Promise<number>;
}

/** What the probe in a viewer's page offers. */
export interface ViewerProbe {
  /** Milliseconds from the opening of the page to its first picture of the stream. */
  firstPicture(): Promise<number>;
  /** Lines of the picture that is shown now. */
  height(): number;
  /** What is shown during so many milliseconds from now on. */
  watch(ms: number): Promise<Watched>;
}

export interface Watched {
  readonly pictures: readonly Sighting[];
  readonly fps: number;
  readonly height: number;
  /** How far the picture was ahead of the sound, in milliseconds of the host's clock, twice a second; negative: behind. */
  readonly ahead: readonly number[];
}
