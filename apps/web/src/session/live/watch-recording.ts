import type { Voice } from "@sealcast/recording";
import type { RecordingStage } from "../recording/consent.ts";
import { ownRecording, type RecordingActions } from "../recording/own-recording.ts";
import type { OwnRecording, RecordingView } from "../recording/recording.ts";
import type { FromHost } from "./messages.ts";

export interface WatchRecordingView {
  /** How the host's recording stands; null where there is none. */
  hostRecords: RecordingStage | null;
  /** The host lets viewers record. */
  mayRecord: boolean;
  /** This viewer's own. */
  recording: RecordingView;
}

interface WatchRecordingOptions {
  /** What is played here now. */
  voices(): Voice[];
  /** This viewer's recording has another stage from now on; null: there is none. */
  staged(stage: RecordingStage | null): void;
  show(change: Partial<WatchRecordingView>): void;
}

/** Recordings of a stream at one who watches: the host's, and this viewer's own while the host allows it. */
export class WatchRecording {
  readonly own: OwnRecording;
  readonly actions: RecordingActions;
  readonly #options: WatchRecordingOptions;
  #isAllowed = false;
  #stage: RecordingStage | null = null;

  constructor(options: WatchRecordingOptions) {
    this.#options = options;
    const scene = {
      voices: () => (this.#isAllowed ? options.voices() : []),
      stage: (stage: RecordingStage | null) => {
        this.#stage = stage;
        options.staged(stage);
      },
      changed: (recording: RecordingView) => options.show({ recording }),
    };
    const { own, actions } = ownRecording(scene, () => this.#isAllowed);
    this.own = own;
    this.actions = actions;
  }

  /** Of this viewer's recording. */
  get stage(): RecordingStage | null {
    return this.#stage;
  }

  /** What the host says. A recording that it no longer allows ends; what was recorded until then is kept. */
  heard({ host, viewersMay }: Pick<Extract<FromHost, { type: "recordings" }>, "host" | "viewersMay">): void {
    this.#isAllowed = viewersMay;
    this.#options.show({ hostRecords: host, mayRecord: viewersMay });
    if (!viewersMay) void this.own.stop();
  }
}
