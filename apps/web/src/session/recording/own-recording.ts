import { OwnRecording, type Scene } from "./recording.ts";

/** What a person may do with this page's recordings. */
export interface RecordingActions {
  /** Records who may be recorded. `title` is what the recording is called. */
  record(title: string): void;
  pauseRecording(on: boolean): void;
  stopRecording(): void;
  /** The person has read how the last recording ended. */
  dismissRecording(): void;
}

/** What it takes to record is loaded with the first recording. `isAllowed`: one may begin now. */
export function ownRecording(scene: Scene, isAllowed: () => boolean): { own: OwnRecording; actions: RecordingActions } {
  const own = new OwnRecording(scene, () => import("./recording-parts.ts"));
  const actions: RecordingActions = {
    record: (title) => {
      if (isAllowed()) void own.start(title);
    },
    pauseRecording: (on) => own.pause(on),
    stopRecording: () => void own.stop(),
    dismissRecording: () => own.dismiss(),
  };
  return { own, actions };
}
