export { type Latency, latenciesOf, latencyOf } from "../shared/latency.ts";
export { type ReportAbout, reportOf } from "../shared/report.ts";
export type { Sighting } from "../shared/sighting.ts";
export { drawStamp, type Plane, planeOf, readStamp, type Stamp, since } from "../shared/stamp.ts";
export { stampCameras, stamped } from "./camera.ts";
export { readVideo, WorkerReader } from "./reader.ts";
