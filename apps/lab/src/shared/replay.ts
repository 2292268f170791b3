/** What the page and a replaying worker say to each other. */

export interface RecordedFrame {
  data: ArrayBuffer;
  type: "key" | "delta";
}

/** The only message to the worker: it starts the replay. */
export interface ReplayJob {
  frames: RecordedFrame[];
  tracks: number;
  warmUp: number;
  ms: number;
}

/** The worker's last message. Anything else it says comes from the product in it. */
export interface ReplayDone {
  type: "replayed";
  /** Of each frame that was due after the warm-up, in milliseconds; Infinity for one that never came out. */
  residences: Float64Array<ArrayBuffer>;
}
