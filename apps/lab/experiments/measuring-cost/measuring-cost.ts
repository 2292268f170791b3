/** What measuring itself takes of a worker, microseconds a frame. */
export interface MeasuringCost {
  /** Busy time, waiting and the histogram: what every call pays. */
  alwaysUs: number;
  /** With the times of single frames and a sample on top: while a dashboard is open, here or at another end. */
  watchedUs: number;
  frames: number;
}

export interface MeasuringCostPage {
  /** Over this many milliseconds of a connection with 720p pictures and sound. */
  measuringCost(ms: number): Promise<MeasuringCost>;
}
