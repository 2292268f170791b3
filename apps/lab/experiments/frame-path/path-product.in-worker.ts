import type { PathTrack } from "./frame-path.ts";

/** A product whose worker module runs in a worker of the lab, driven by real transforms. */
export interface PathProduct {
  /** Loads the module and gives it its keys. */
  prepare(): Promise<void>;
  /** What its page would hand to RTCRtpScriptTransform for the sending side of a track. */
  sealing(track: PathTrack): object;
  /** The same for the receiving side. */
  opening(track: PathTrack): object;
}
