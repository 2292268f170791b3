export type { Eavesdropped, FromEavesdropper, ToEavesdropper } from "../shared/eavesdropping.ts";
export { encoderConfig, MOST_SIZES } from "../shared/encoding.ts";
export {
  type FanOutReport,
  KEY_FRAMES,
  type ShownSize,
  type Size,
  smallestFor,
  UNSEEN_FOR,
} from "../shared/fan-out.ts";
export { type FileFailure, type FilePlace, fileChunkBytes, fileChunks, sealedFileChunkBytes } from "../shared/file.ts";
export type { MediaKind, TrackReport, Verdict } from "../shared/messages.ts";
export { PICTURE_TRACKS, SOUND_TRACK } from "../shared/publication.ts";
export { FRAME_TIMES, type TrackTimings, type WorkerTimings } from "../shared/timings.ts";
export {
  type CameraShape,
  type Captured,
  openCamera,
  openMicrophone,
  openRearCamera,
  openScreen,
  resizeCamera,
  resizeScreen,
  type Screen,
  type ScreenShape,
} from "./capture.ts";
export { ChunkPool } from "./chunks.ts";
export { Composition, canCompose } from "./composition.ts";
export { canEncodeOnce } from "./fan-out.ts";
export { FileWorkError, FileWorker } from "./file-worker.ts";
export { type Attachment, MediaPool, type PoolReport } from "./pool.ts";
export { canPublish } from "./publication.ts";
