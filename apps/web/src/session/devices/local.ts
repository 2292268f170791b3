import {
  type CameraShape,
  type Captured,
  openCamera,
  openMicrophone,
  openRearCamera,
  resizeCamera,
} from "@sealcast/media";
import type { LineSource } from "@sealcast/network";
import { type Clock, milli } from "@sealcast/time";
import type { OverloadStep } from "../audit/overload-steps.ts";
import { SharedScreen } from "./shared-screen.ts";

export type { Captured };

export type DeviceProblem =
  | "denied"
  | "missing"
  | "busy"
  /** It went away while it was on. */
  | "unplugged"
  /** The system gives nothing of it for now, as during a phone call. It stays open. */
  | "interrupted";

export interface Device {
  /** Off: the device is released and nothing is captured. */
  on: boolean;
  problem: DeviceProblem | null;
}

export type DeviceKind = "camera" | "microphone" | "speaker";

export type LocalSource = "camera" | "microphone";

/** A device's track as others get it, and what ends whatever treats it. */
export interface Treated {
  readonly track: MediaStreamTrack;
  end(): void;
}

/** Puts effects between a device and all else. Null: the device must not be shown as it is, and cannot be treated. */
export type Treat = (source: LocalSource, raw: MediaStreamTrack, signal: AbortSignal) => Promise<Treated | null>;

/** A device's track that is not treated. */
export function asItIs(track: MediaStreamTrack): Treated {
  return { track, end: () => undefined };
}

/** An open device: the track that it gives, which nobody gets, and what is made of it. */
interface OpenDevice extends Treated {
  readonly raw: MediaStreamTrack;
}

/** As cameras are opened. */
const USUAL: CameraShape = { lines: 720, framesPerSecond: 30 };
/** What the camera gives at most. At the last step nothing of it is sent: it costs little then, and is back at once. */
const EASED: Record<OverloadStep, CameraShape> = {
  0: { lines: Number.POSITIVE_INFINITY, framesPerSecond: Number.POSITIVE_INFINITY },
  1: { lines: 360, framesPerSecond: 15 },
  2: { lines: 180, framesPerSecond: 10 },
  3: { lines: 180, framesPerSecond: 10 },
};

/** A device that is not open though the person had it on, or wants it on. */
interface Waiting {
  /** "" where none was open. */
  deviceId: string;
  /** Of a microphone: whether it was heard. */
  on: boolean;
}

/** A device that is being opened. */
interface Opening {
  readonly ending: AbortController;
  /** Whether it was to be on when that began. */
  readonly on: boolean;
}

/** A microphone that the system silences for so long was taken by something else, and so was a camera that gives no frame. */
const INTERRUPTED = { microphone: milli(2_000), camera: milli(5_000) };

export interface LocalView {
  /** What others are sent: the camera's and the microphone's tracks belong together. */
  stream: MediaStream;
  /** The camera alone, to look at oneself: a video element plays a sound track into nothing where it is muted. */
  picture: MediaStream;
  sound: MediaStreamTrack | null;
  camera: Device;
  microphone: Device;
  /** Whether a screen is shared. */
  screen: boolean;
  /** Its picture, to look at what others see; null while none is shared. */
  shared: MediaStreamTrack | null;
  chosen: Record<DeviceKind, string>;
}

/**
 * This person's own devices. The camera is opened when it goes on and released when it goes off: its light tells the
 * truth. The microphone stays open while it is off, sending silence, so that the first word after it goes on is heard.
 */
export class LocalMedia {
  readonly #opened = new Map<LocalSource, OpenDevice>();
  readonly #opening = new Map<LocalSource, Opening>();
  /** Kept once the latest of that source is open, failed or gave way to none. */
  readonly #opens = new Map<LocalSource, Promise<void>>();
  readonly #stream = new MediaStream();
  readonly #picture = new MediaStream();
  readonly screen: SharedScreen;
  readonly #changed: () => void;
  readonly #lost: (source: LocalSource) => void;
  readonly #clock: Clock;
  readonly #treat: Treat;
  readonly #waiting = new Map<LocalSource, Waiting>();
  #devices: Record<LocalSource, Device> = { camera: off(), microphone: off() };
  #chosen: Record<DeviceKind, string> = { camera: "", microphone: "", speaker: "" };
  /** Null: as the camera was opened. */
  #shape: CameraShape | null = null;
  #step: OverloadStep = 0;
  #closed = false;

  /** `changed` is called after every change of track, state or choice; `lost` when a device went away while it was on. */
  constructor(clock: Clock, treat: Treat, changed: () => void, lost: (source: LocalSource) => void) {
    this.#clock = clock;
    this.#treat = treat;
    this.#changed = changed;
    this.#lost = lost;
    this.screen = new SharedScreen(changed);
  }

  get view(): LocalView {
    return {
      stream: this.#stream,
      picture: this.#picture,
      sound: this.track("microphone"),
      ...this.#devices,
      screen: this.screen.picture !== null,
      shared: this.screen.picture,
      chosen: this.#chosen,
    };
  }

  track(source: LineSource): MediaStreamTrack | null {
    if (source === "screen-picture") return this.screen.picture;
    return source === "screen-sound" ? this.screen.sound : (this.#opened.get(source)?.track ?? null);
  }

  /** The browser's name for the device that is open; null where none is. */
  labelOf(source: LocalSource): string | null {
    return this.#opened.get(source)?.raw.label ?? null;
  }

  /** Once none of that source is being opened any more: one that the person chose meanwhile has been, too. */
  async settled(source: LocalSource): Promise<void> {
    while (this.#opening.has(source)) await this.#opens.get(source);
  }

  /** What is not open though it is wanted. */
  get waiting(): ReadonlyMap<LocalSource, Waiting> {
    return this.#waiting;
  }

  async set(source: LocalSource, on: boolean): Promise<void> {
    const open = this.#opened.get(source);
    if (source === "microphone" && open !== undefined) {
      enable(open, on);
      this.#show(source, { on, problem: this.#devices.microphone.problem });
    } else if (on) {
      await this.#open(source, "on");
    } else {
      this.#letGo(source);
      this.#show(source, off());
    }
  }

  /** Opens the microphone, silent until it is turned on. */
  async openSilent(): Promise<void> {
    await this.#open("microphone", "off");
  }

  /**
   * Opens a device that is on again, to be treated in another way. `hidden`: nothing of it may be seen meanwhile. Without that
   * others get what they got so far until the new track is there.
   */
  async reopen(source: LocalSource, { hidden }: { hidden: boolean }): Promise<void> {
    if (!this.#opened.has(source) && !this.#opening.has(source)) return;
    if (hidden) {
      this.#release(source);
      this.#show(source, off());
    }
    await this.#open(source, "as-it-was");
  }

  async choose(kind: DeviceKind, deviceId: string): Promise<void> {
    this.#chosen = { ...this.#chosen, [kind]: deviceId };
    this.#changed();
    if (kind === "speaker") return;
    const isWanted = this.#opened.has(kind) || this.#opening.has(kind) || this.#waiting.has(kind);
    if (isWanted) await this.#open(kind, "as-it-was");
  }

  /** Opens that device in the place of the one there was, and sends no more of it than was sent of that. */
  async resume(source: LocalSource, deviceId: string): Promise<void> {
    this.#chosen = { ...this.#chosen, [source]: deviceId };
    await this.#open(source, "as-it-was");
  }

  /** Why a device is not open, where that was found out afterwards. */
  blame(source: LocalSource, problem: DeviceProblem): void {
    this.#show(source, { on: false, problem });
  }

  /** The camera's picture comes near to that from now on. */
  async reshape(shape: CameraShape): Promise<void> {
    this.#shape = shape;
    await this.#resize(this.#opened.get("camera")?.raw);
  }

  /** This computer keeps up with sound alone: no video is to be sent. */
  get isSoundAlone(): boolean {
    return this.#step === 3;
  }

  /** The camera's picture is smaller and has fewer frames from now on, or is as it was: this computer does not keep up, or does again. */
  async ease(step: OverloadStep): Promise<void> {
    this.#step = step;
    const camera = this.#opened.get("camera")?.raw;
    // What the browser opened smaller than usual is made no larger.
    const {
      width = USUAL.lines,
      height = USUAL.lines,
      frameRate = USUAL.framesPerSecond,
    } = camera?.getSettings() ?? {};
    this.#shape ??= { lines: Math.min(width, height, USUAL.lines), framesPerSecond: frameRate };
    await this.#resize(camera);
  }

  /**
   * A camera to look through beside the call; the caller stops the track. The camera that is on is shared and not opened
   * again, since not every system opens one twice. `deviceId` "" is that one, or when it is off the rear one. No background
   * is put into it: nobody else sees it.
   */
  async lend(deviceId: string): Promise<Captured> {
    const own = this.#opened.get("camera")?.raw;
    if (own !== undefined && (deviceId === "" || own.getSettings().deviceId === deviceId))
      return { ok: true, track: own.clone() };
    return deviceId === "" ? openRearCamera() : openCamera(deviceId);
  }

  close(): void {
    this.#closed = true;
    this.#letGo("camera");
    this.#letGo("microphone");
    this.screen.close();
  }

  async #open(source: LocalSource, how: "on" | "off" | "as-it-was"): Promise<void> {
    if (this.#closed) return;
    const wasOn = this.#wasOn(source, this.#opening.get(source)?.on ?? true);
    const { ending, on } = this.#begin(source, how === "as-it-was" ? wasOn : how === "on");
    const opens = this.#openUntil(ending.signal, source, how, on);
    this.#opens.set(source, opens);
    await opens;
  }

  /** Who turns a microphone off while another one opens has it off. Of a device that is to be treated nothing shows before. */
  async #openUntil(
    signal: AbortSignal,
    source: LocalSource,
    how: "on" | "off" | "as-it-was",
    begunOn: boolean,
  ): Promise<void> {
    const { deviceId = "" } = this.#waiting.get(source) ?? {};
    const isOn = () => (how === "as-it-was" ? this.#wasOn(source, begunOn) : begunOn);
    const captured = await (source === "camera" ? openCamera : openMicrophone)(this.#chosen[source]);
    if (source === "camera" && captured.ok) await this.#resize(captured.track);
    if (signal.aborted) return discard(captured);
    if (!captured.ok) {
      const isGone = captured.problem === "missing" && deviceId !== "";
      const waiting = { deviceId, on: isOn() };
      this.#letGo(source);
      this.#waiting.set(source, waiting);
      return this.#show(source, { on: false, problem: isGone ? "unplugged" : captured.problem });
    }
    const treated = await this.#treated(source, captured.track, signal);
    if (signal.aborted) return treated?.end();
    const on = isOn();
    this.#opening.delete(source);
    this.#letGo(source);
    if (treated === null) return this.#show(source, off());
    this.#take(source, { ...treated, raw: captured.track }, on);
  }

  /** Also of one that goes away while another one opens in its place: who was not heard is not heard over that. */
  #wasOn(source: LocalSource, otherwise: boolean): boolean {
    return this.#opened.has(source) ? this.#devices[source].on : (this.#waiting.get(source)?.on ?? otherwise);
  }

  /** What was being opened before is let go. */
  #begin(source: LocalSource, on: boolean): Opening {
    this.#opening.get(source)?.ending.abort();
    const opening = { ending: new AbortController(), on };
    this.#opening.set(source, opening);
    return opening;
  }

  /** The device is released at once where nobody wants it any more, and where it cannot be treated. */
  async #treated(source: LocalSource, raw: MediaStreamTrack, signal: AbortSignal): Promise<Treated | null> {
    const stop = () => raw.stop();
    signal.addEventListener("abort", stop);
    const treated = await this.#treat(source, raw, signal);
    signal.removeEventListener("abort", stop);
    if (treated === null) raw.stop();
    return treated;
  }

  #take(source: LocalSource, open: OpenDevice, on: boolean): void {
    const { raw, track } = open;
    enable(open, on);
    this.#opened.set(source, open);
    this.#stream.addTrack(track);
    if (source === "camera") this.#picture.addTrack(track);
    raw.addEventListener("ended", () => this.#unplugged(source, raw));
    for (const event of ["mute", "unmute"]) raw.addEventListener(event, () => this.#silenced(source, raw));
    this.#show(source, { on, problem: null });
    // Of one that is silenced already no event says so.
    this.#silenced(source, raw);
  }

  /** The system gives nothing of it, or gives it again. What lasts a moment is no word worth. */
  #silenced(source: LocalSource, track: MediaStreamTrack): void {
    const look = () => {
      if (this.#opened.get(source)?.raw !== track) return;
      const problem = track.muted ? "interrupted" : null;
      if (problem !== this.#devices[source].problem) this.#show(source, { ...this.#devices[source], problem });
    };
    if (track.muted) this.#clock.after(INTERRUPTED[source], look);
    else look();
  }

  async #resize(camera: MediaStreamTrack | undefined): Promise<void> {
    if (camera === undefined || this.#shape === null) return;
    const { lines, framesPerSecond } = this.#shape;
    const { lines: most, framesPerSecond: often } = EASED[this.#step];
    const shape = { lines: Math.min(lines, most), framesPerSecond: Math.min(framesPerSecond, often) };
    await resizeCamera(camera, shape);
  }

  /** The device went away, or its permission was taken back. */
  #unplugged(source: LocalSource, raw: MediaStreamTrack): void {
    if (this.#opened.get(source)?.raw !== raw) return;
    const { deviceId = "" } = raw.getSettings();
    this.#waiting.set(source, { deviceId, on: raw.enabled });
    this.#release(source);
    this.#show(source, { on: false, problem: "unplugged" });
    this.#lost(source);
  }

  /** Neither opens, nor is waited for, nor is open any more. */
  #letGo(source: LocalSource): void {
    const opening = this.#opening.get(source);
    this.#opening.delete(source);
    opening?.ending.abort();
    this.#waiting.delete(source);
    this.#release(source);
  }

  #release(source: LocalSource): void {
    const open = this.#opened.get(source);
    if (open === undefined) return;
    open.end();
    open.raw.stop();
    this.#stream.removeTrack(open.track);
    this.#picture.removeTrack(open.track);
    this.#opened.delete(source);
  }

  #show(source: LocalSource, device: Device): void {
    this.#devices = { ...this.#devices, [source]: device };
    this.#changed();
  }
}

function enable({ raw, track }: OpenDevice, on: boolean): void {
  raw.enabled = on;
  track.enabled = on;
}

function off(): Device {
  return { on: false, problem: null };
}

function discard(captured: Captured): void {
  if (captured.ok) captured.track.stop();
}
