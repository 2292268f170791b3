import type { Recorded, RecorderStatus, Sink, Voice } from "@sealcast/recording";
import type { RecordingStage } from "./consent.ts";

/** Makes one file of voices. */
export interface RecorderPort {
  start(): Promise<void>;
  /** Who is in the picture and heard, from the next frame on. */
  show(voices: readonly Voice[]): void;
  pause(): void;
  resume(): void;
  /** Ends the file; resolves once all was appended. */
  stop(): Promise<Recorded>;
}

interface Writing extends Sink {
  /** `people`: names of everybody who was in it. */
  finish(made: Recorded, people: readonly string[]): Promise<void>;
  cancel(): Promise<void>;
}

/** Where recordings are kept, sealed. */
export interface VaultPort {
  state(): Promise<"empty" | "locked" | "unlocked">;
  create(details: { title: string; kind: string; people: readonly string[] }): Promise<Writing>;
  /** Bytes. */
  free(): Promise<number>;
}

/** What records, and what keeps it. Loaded with the first recording. */
export interface RecordingParts {
  isSupported(): Promise<boolean>;
  openVault(): Promise<VaultPort>;
  makeRecorder(sink: Sink, onStatus: (status: RecorderStatus) => void): RecorderPort;
}

/** Why there is no recording, or no more of it. What was written by then is kept. */
export type RecordingProblem =
  /** This browser has not what it takes. */
  | "unsupported"
  /** The vault has no keys yet: the person has to set it up. */
  | "no-vault"
  | "storage-full"
  | "failed";

export interface RecordingView {
  readonly state: "none" | "starting" | "recording" | "paused" | "stopping";
  readonly seconds: number;
  readonly bytes: number;
  /** Bytes that are left for it; null where that is not known. */
  readonly free: number | null;
  /** How the last one ended; null before there was one, and where the person has read it. */
  readonly ended: "kept" | RecordingProblem | null;
}

export const NOT_RECORDING: RecordingView = { state: "none", seconds: 0, bytes: 0, free: null, ended: null };

/** What is recorded, and who is told. */
export interface Scene {
  /** Everybody who may be recorded now, and what of them. */
  voices(): readonly Voice[];
  /** Called before the stage begins. Null: nothing is recorded any more. */
  stage(stage: RecordingStage | null): void;
  changed(view: RecordingView): void;
}

const KIND = "video/mp4";
/** Seconds of a recording between two looks at how much space is left. */
const SPACE_EVERY_S = 5;

interface Making {
  readonly vault: VaultPort;
  readonly writing: Writing;
  readonly recorder: RecorderPort;
}

/** This page's own recordings, one at a time. Asks nobody: the scene's voices are those who may be in it. */
export class OwnRecording {
  readonly #scene: Scene;
  readonly #load: () => Promise<RecordingParts>;
  #view = NOT_RECORDING;
  #making: Making | null = null;
  /** Why the sink takes no more. */
  #sinkProblem: RecordingProblem | null = null;
  #shown: readonly Voice[] = [];
  /** Names of everybody who was in it so far, by their ids. */
  readonly #people = new Map<string, string>();
  #spaceAt = 0;
  /** Of the latest start or stop: what is got ready for an earlier one is let go. */
  #wish = 0;

  constructor(scene: Scene, load: () => Promise<RecordingParts>) {
    this.#scene = scene;
    this.#load = load;
  }

  async start(title: string): Promise<void> {
    if (this.#view.state !== "none") return;
    const wish = ++this.#wish;
    this.#sinkProblem = null;
    this.#shown = [];
    this.#people.clear();
    this.#spaceAt = 0;
    this.#show({ ...NOT_RECORDING, state: "starting" });
    this.#scene.stage("asked");
    const isWanted = () => wish === this.#wish;
    const making = await this.#open(title, isWanted).catch(problemOf);
    if (!isWanted()) return typeof making === "string" ? undefined : discard(making);
    if (typeof making === "string") return this.#end(making);
    this.#making = making;
    this.#show({ state: "recording" });
    this.follow();
  }

  /** Who may be recorded, or what of them, may have changed. */
  follow(): void {
    const voices = this.#scene.voices();
    if (this.#making === null || isSame(voices, this.#shown)) return;
    this.#shown = voices;
    this.#remember(voices);
    this.#making.recorder.show(voices);
  }

  pause(on: boolean): void {
    if (this.#making === null) return;
    if (!on) this.#scene.stage("on");
    if (on) this.#making.recorder.pause();
    else this.#making.recorder.resume();
    if (on) this.#scene.stage("paused");
    this.#show({ state: on ? "paused" : "recording" });
  }

  /** Resolves when the file is whole. */
  async stop(): Promise<void> {
    if (this.#making !== null) return this.#finish("kept");
    if (this.#view.state !== "starting") return;
    this.#wish++;
    this.#end(null);
  }

  /** The person has read how the last one ended. */
  dismiss(): void {
    this.#show({ ended: null });
  }

  async #open(title: string, isWanted: () => boolean): Promise<Making | RecordingProblem> {
    const parts = await this.#load();
    if (!(await parts.isSupported())) return "unsupported";
    const vault = await parts.openVault();
    if ((await vault.state()) === "empty") return "no-vault";
    // Should the page end early, these are known; who comes later is not.
    this.#remember(this.#scene.voices());
    const writing = await vault.create({ title, kind: KIND, people: this.#names });
    const append = async (bytes: Uint8Array) => {
      await writing.append(bytes).catch((error: unknown) => {
        this.#sinkProblem ??= problemOf(error);
        throw error;
      });
    };
    const recorder = parts.makeRecorder({ append }, (status) => this.#told(recorder, status));
    const making = { vault, writing, recorder };
    void this.#measure(making);
    return isWanted() ? this.#begin(making) : making;
  }

  async #begin(making: Making): Promise<Making> {
    // Everybody is told before the first frame.
    this.#scene.stage("on");
    try {
      await making.recorder.start();
    } catch (error) {
      await discard(making);
      throw error;
    }
    return making;
  }

  #remember(voices: readonly Voice[]): void {
    for (const { id, name } of voices) if (name !== "") this.#people.set(id, name);
  }

  /** Each name once. */
  get #names(): string[] {
    return [...new Set(this.#people.values())];
  }

  #told(recorder: RecorderPort, { state, seconds, bytes }: RecorderStatus): void {
    const making = this.#making;
    if (making === null || making.recorder !== recorder) return;
    if (state === "failed") return void this.#finish(this.#sinkProblem ?? "failed");
    if (state === "stopped") return;
    this.#show({ state, seconds, bytes });
    if (seconds - this.#spaceAt < SPACE_EVERY_S) return;
    this.#spaceAt = seconds;
    void this.#measure(making);
  }

  async #measure({ vault }: Making): Promise<void> {
    this.#show({ free: await vault.free().catch(() => null) });
  }

  async #finish(ended: "kept" | RecordingProblem): Promise<void> {
    const making = this.#making;
    if (making === null) return;
    this.#making = null;
    this.#show({ state: "stopping" });
    const made = await making.recorder.stop().catch(() => null);
    this.#scene.stage(null);
    const whole = made ?? { seconds: this.#view.seconds, mimeType: KIND, thumbnail: null };
    const problem = await making.writing.finish(whole, this.#names).then(() => this.#sinkProblem, problemOf);
    this.#show({ state: "none", ended: ended === "kept" ? (problem ?? ended) : ended });
  }

  /** Before anything was recorded. */
  #end(problem: RecordingProblem | null): void {
    this.#scene.stage(null);
    this.#show({ state: "none", ended: problem });
  }

  #show(change: Partial<RecordingView>): void {
    this.#view = { ...this.#view, ...change };
    this.#scene.changed(this.#view);
  }
}

async function discard({ recorder, writing }: Making): Promise<void> {
  await recorder.stop().catch(() => undefined);
  await writing.cancel().catch(() => undefined);
}

function problemOf(error: unknown): RecordingProblem {
  return error instanceof Error && error.name === "StorageFullError" ? "storage-full" : "failed";
}

function isSame(one: readonly Voice[], other: readonly Voice[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ id, name, video, audio }, at) => {
      const voice = other[at];
      return voice?.id === id && voice.name === name && voice.video === video && voice.audio === audio;
    })
  );
}
