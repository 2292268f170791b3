export { UnreadableRecording } from "../shared/boxes.ts";
export { indexOf } from "../shared/fragments.ts";
export { Player } from "./player.ts";
export { previewOf } from "./preview.ts";
export { type Recorded, Recorder, type RecorderStatus, type Sink, type Voice } from "./recorder.ts";
