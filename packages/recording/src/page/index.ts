export { UnreadableRecording } from "../shared/boxes.ts";
export { type Fragment, type FragmentIndex, indexOf, type Source } from "../shared/fragments.ts";
export { Player } from "./player.ts";
export { type Recorded, Recorder, type RecorderFault, type RecorderStatus, type Sink, type Voice } from "./recorder.ts";
