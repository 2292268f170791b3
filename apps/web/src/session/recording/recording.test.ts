import type { Sink, Voice } from "@sealcast/recording";
import { beforeEach, describe, expect, test } from "vitest";
import type { RecordingStage } from "./consent.ts";
import {
  NOT_RECORDING,
  OwnRecording,
  type RecorderPort,
  type RecordingParts,
  type RecordingView,
  type VaultPort,
} from "./recording.ts";

const voice = (id: string): Voice => ({ id, name: id, video: null, audio: null });
const MADE = { seconds: 7, mimeType: "video/mp4", thumbnail: null };

/** A recorder and a vault that note what they are asked for, in its order. */
class Double implements RecordingParts, RecorderPort, VaultPort {
  readonly did: string[] = [];
  readonly shown: string[][] = [];
  finished: object[] = [];
  people: readonly string[] = [];
  supported = true;
  is: "empty" | "locked" | "unlocked" = "locked";
  left = 1_000;
  refusal: Error | null = null;
  /** What a test holds up. */
  opening = () => Promise.resolve();
  stopped: () => Promise<typeof MADE> = () => Promise.resolve(MADE);
  sink: Sink | null = null;
  status: Parameters<RecordingParts["makeRecorder"]>[1] = () => undefined;

  isSupported = async () => this.supported;
  openVault = async () => this;
  state = async () => this.is;
  free = async () => this.left;
  async create(details: object) {
    await this.opening();
    this.did.push(`create ${JSON.stringify(details)}`);
    return {
      append: async () => {
        if (this.refusal !== null) throw this.refusal;
      },
      finish: async (made: object, people: readonly string[]) => {
        this.finished.push(made);
        this.people = people;
        if (this.refusal !== null) throw this.refusal;
      },
      cancel: async () => void this.did.push("cancel"),
    };
  }
  makeRecorder(sink: Sink, status: Double["status"]) {
    [this.sink, this.status] = [sink, status];
    return this;
  }
  start = async () => void this.did.push("start");
  show = (voices: readonly Voice[]) => void this.shown.push(voices.map(({ id }) => id));
  pause = () => void this.did.push("pause");
  resume = () => void this.did.push("resume");
  stop = () => {
    this.did.push("stop");
    return this.stopped();
  };

  /** The recorder tells that it goes on, or not. */
  tell(state: "recording" | "failed", seconds = 1): void {
    this.status({ state, seconds, bytes: 100 * seconds, droppedFrames: 0, why: null });
  }
}

let parts: Double;
let voices: Voice[];
let view: RecordingView;
let recording: OwnRecording;
beforeEach(() => {
  parts = new Double();
  voices = [voice("me")];
  view = NOT_RECORDING;
  const scene = {
    voices: () => voices,
    stage: (stage: RecordingStage | null) => void parts.did.push(`stage ${stage}`),
    changed: (now: RecordingView) => {
      view = now;
    },
  };
  recording = new OwnRecording(scene, async () => parts);
});

describe("a recording", () => {
  test("is told of before its first frame, and until after its last", async () => {
    await recording.start("A call");
    recording.pause(true);
    recording.pause(false);
    await recording.stop();
    const details = JSON.stringify({ title: "A call", kind: "video/mp4", people: ["me"] });
    expect(parts.did).toEqual([
      ...["stage asked", `create ${details}`, "stage on", "start"],
      ...["pause", "stage paused", "stage on", "resume"],
      ...["stop", "stage null"],
    ]);
    expect(parts.finished).toEqual([MADE]);
    expect(view).toMatchObject({ state: "none", ended: "kept" });
    recording.dismiss();
    expect(view.ended).toBeNull();
  });

  test("is of the voices that there are, from the moment that they change, and is given them once", async () => {
    recording.follow();
    await recording.start("A call");
    voices = [voice("me"), voice("ben")];
    recording.follow();
    recording.follow();
    voices = [voice("me")];
    recording.follow();
    expect(parts.shown).toEqual([["me"], ["me", "ben"], ["me"]]);
    await recording.stop();
    voices = [voice("me"), voice("ben")];
    recording.follow();
    expect(parts.shown.length).toBe(3);
  });

  test("names everybody who was in it, once, under the name that they had last, and nobody of the one before", async () => {
    voices = [voice("me"), voice("eve")];
    await recording.start("A call");
    await recording.stop();
    expect(parts.people).toEqual(["me", "eve"]);
    voices = [voice("me"), { ...voice("my screen"), name: "me" }];
    await recording.start("A call");
    voices = [voice("me"), voice("ben"), voice("")];
    recording.follow();
    voices = [voice("me"), { ...voice("ben"), name: "Benedict" }];
    recording.follow();
    voices = [voice("me")];
    recording.follow();
    await recording.stop();
    expect(parts.people).toEqual(["me", "Benedict"]);
  });

  test("tells time, size and the space that is left, which it looks up now and then", async () => {
    await recording.start("A call");
    parts.tell("recording", 4);
    await expect.poll(() => view).toMatchObject({ state: "recording", seconds: 4, bytes: 400, free: 1_000 });
    parts.left = 500;
    parts.tell("recording", 6);
    await expect.poll(() => view).toMatchObject({ seconds: 6, free: 500 });
  });

  test("is one at a time", async () => {
    await Promise.all([recording.start("A call"), recording.start("Another")]);
    expect(parts.did.filter((did) => did === "start" || did.startsWith("create")).length).toBe(2);
  });
});

describe("the next recording", () => {
  test("shows everybody again, and has nothing of how the one before ended", async () => {
    await recording.start("A call");
    parts.refusal = full();
    await expect(parts.sink?.append(new Uint8Array(1))).rejects.toThrow("full");
    await recording.stop();
    expect(view.ended).toBe("storage-full");
    parts.refusal = null;
    await recording.start("Another");
    expect(parts.shown).toEqual([["me"], ["me"]]);
    await recording.stop();
    expect(view.ended).toBe("kept");
  });

  test("hears nothing of the recorder before", async () => {
    await recording.start("A call");
    const { status: before } = parts;
    await recording.stop();
    const second = new Double();
    parts.makeRecorder = (sink, status) => second.makeRecorder(sink, status);
    await recording.start("Another");
    before({ state: "failed", seconds: 9, bytes: 9, droppedFrames: 0, why: null });
    expect(view).toMatchObject({ state: "recording", seconds: 0 });
  });
});

test("where nothing is recorded, nothing is paused or stopped, and nobody is told so", async () => {
  recording.pause(true);
  recording.pause(false);
  await recording.stop();
  expect(parts.did).toEqual([]);
});

describe("no recording", () => {
  test.each([
    ["the browser cannot", { supported: false }, "unsupported"],
    ["there is no vault yet", { is: "empty" }, "no-vault"],
    ["the storage is full", { opening: () => Promise.reject(full()) }, "storage-full"],
    ["the recorder does not start", { start: () => Promise.reject(new Error("odd")) }, "failed"],
    ["the vault fails", { opening: () => Promise.reject(new Error("odd")) }, "failed"],
  ])("is begun where %s", async (_, change, ended) => {
    Object.assign(parts, change);
    await recording.start("A call");
    expect(parts.did.filter((did) => did.startsWith("stage")).at(-1)).toBe("stage null");
    expect(parts.did).not.toContain("start");
    expect(parts.shown).toEqual([]);
    expect(view).toMatchObject({ state: "none", ended });
    // Nothing is left of it, and the next one can begin.
    await recording.stop();
    expect(parts.did.filter((did) => did.startsWith("create")).length).toBe(
      parts.did.filter((did) => did === "cancel").length,
    );
  });

  test("is begun where the person stops it while it is got ready", async () => {
    const waiting: (() => void)[] = [];
    parts.opening = () => new Promise((resolve) => waiting.push(resolve));
    const started = recording.start("A call");
    await recording.stop();
    await expect.poll(() => waiting.length).toBe(1);
    for (const open of waiting) open();
    await started;
    expect(parts.did.filter((did) => !did.startsWith("create"))).toEqual([
      "stage asked",
      "stage null",
      "stop",
      "cancel",
    ]);
    expect(view).toMatchObject({ state: "none", ended: null });
  });
});

describe("what was recorded is kept", () => {
  test("where the storage is full, which is said", async () => {
    await recording.start("A call");
    parts.tell("recording", 3);
    parts.refusal = full();
    await expect(parts.sink?.append(new Uint8Array(1))).rejects.toThrow("full");
    parts.stopped = () => Promise.reject(new Error("failed"));
    parts.tell("failed");
    await expect.poll(() => view).toMatchObject({ state: "none", ended: "storage-full" });
    expect(parts.finished).toEqual([{ ...MADE, seconds: 3 }]);
    expect(parts.did.slice(-2)).toEqual(["stop", "stage null"]);
  });

  test("where the recorder fails, which is said", async () => {
    await recording.start("A call");
    parts.tell("failed");
    await expect.poll(() => view).toMatchObject({ state: "none", ended: "failed" });
    expect(parts.finished).toEqual([MADE]);
  });
});

function full(): Error {
  return Object.assign(new Error("The storage is full."), { name: "StorageFullError" });
}
