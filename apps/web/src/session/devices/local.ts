import {
  type CameraShape,
  type Captured,
  openCamera,
  openMicrophone,
  openRearCamera,
  openScreen,
  resize,
} from "@sealcast/media";
import type { LineSource } from "@sealcast/network";

export type { Captured };

export type DeviceProblem = "denied" | "missing" | "busy";

export interface Device {
  /** Off: the device is released and nothing is captured. */
  on: boolean;
  problem: DeviceProblem | null;
}

export type DeviceKind = "camera" | "microphone" | "speaker";

export type LocalSource = "camera" | "microphone";

/** Of a shared screen, at most: what is read on it is to be sharp, and moves little. */
const SCREEN: CameraShape = { lines: 1080, framesPerSecond: 15 };

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
  readonly #tracks = new Map<LocalSource, MediaStreamTrack>();
  readonly #stream = new MediaStream();
  readonly #picture = new MediaStream();
  readonly #changed: () => void;
  /** The latest wish for a device; a device that opens after the wish has changed is released again. */
  readonly #wish = { camera: 0, microphone: 0, screen: 0 };
  #devices: Record<LocalSource, Device> = { camera: off(), microphone: off() };
  #screen: MediaStreamTrack | null = null;
  #chosen: Record<DeviceKind, string> = { camera: "", microphone: "", speaker: "" };
  /** Null: as the camera was opened. */
  #shape: CameraShape | null = null;
  #closed = false;

  /** `changed` is called after every change of track, state or choice. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get view(): LocalView {
    return {
      stream: this.#stream,
      picture: this.#picture,
      sound: this.track("microphone"),
      ...this.#devices,
      screen: this.#screen !== null,
      shared: this.#screen,
      chosen: this.#chosen,
    };
  }

  track(source: LineSource): MediaStreamTrack | null {
    return source === "screen-picture" ? this.#screen : (this.#tracks.get(source) ?? null);
  }

  async set(source: LocalSource, on: boolean): Promise<void> {
    const track = this.#tracks.get(source);
    if (source === "microphone" && track !== undefined) {
      track.enabled = on;
      this.#show(source, { on, problem: null });
    } else if (on) {
      await this.#open(source);
    } else {
      this.#wish[source]++;
      this.#release(source);
      this.#show(source, off());
    }
  }

  /** Has the person choose a screen, window or tab, or stops sharing it. To be called in the task of a click. */
  async share(on: boolean): Promise<void> {
    const wish = ++this.#wish.screen;
    const screen = on ? await openScreen(SCREEN, { sound: false }) : null;
    if (wish !== this.#wish.screen) return screen?.picture.stop();
    // Who closes the browser's window of choice goes on sharing what they share.
    if (on && screen === null) return;
    this.#screen?.stop();
    this.#screen = screen?.picture ?? null;
    // The browser's own "Stop sharing".
    screen?.picture.addEventListener("ended", () => screen.picture === this.#screen && this.share(false));
    this.#changed();
  }

  async choose(kind: DeviceKind, deviceId: string): Promise<void> {
    this.#chosen = { ...this.#chosen, [kind]: deviceId };
    this.#changed();
    if (kind === "speaker" || !this.#devices[kind].on) return;
    await this.#open(kind);
  }

  /** The camera's picture comes near to that from now on. */
  async reshape(shape: CameraShape): Promise<void> {
    this.#shape = shape;
    await this.#resize(this.#tracks.get("camera"));
  }

  /**
   * A camera to look through beside the call; the caller stops the track. The camera that is on is shared and not opened
   * again, since not every system opens one twice. `deviceId` "" is that one, or when it is off the rear one.
   */
  async lend(deviceId: string): Promise<Captured> {
    const own = this.#tracks.get("camera");
    if (own !== undefined && (deviceId === "" || own.getSettings().deviceId === deviceId))
      return { ok: true, track: own.clone() };
    return deviceId === "" ? openRearCamera() : openCamera(deviceId);
  }

  close(): void {
    this.#closed = true;
    this.#release("camera");
    this.#release("microphone");
    this.#wish.screen++;
    this.#screen?.stop();
    this.#screen = null;
  }

  async #open(source: LocalSource): Promise<void> {
    const wish = ++this.#wish[source];
    const captured = await (source === "camera" ? openCamera : openMicrophone)(this.#chosen[source]);
    if (source === "camera" && captured.ok) await this.#resize(captured.track);
    if (this.#closed || wish !== this.#wish[source]) return discard(captured);
    this.#release(source);
    if (!captured.ok) return this.#show(source, { on: false, problem: captured.problem });
    const { track } = captured;
    this.#tracks.set(source, track);
    this.#stream.addTrack(track);
    if (source === "camera") this.#picture.addTrack(track);
    track.addEventListener("ended", () => this.#unplugged(source, track));
    this.#show(source, { on: true, problem: null });
  }

  async #resize(camera: MediaStreamTrack | undefined): Promise<void> {
    if (camera !== undefined && this.#shape !== null) await resize(camera, "camera", this.#shape);
  }

  /** The device went away, or its permission was taken back. */
  #unplugged(source: LocalSource, track: MediaStreamTrack): void {
    if (this.#tracks.get(source) !== track) return;
    this.#release(source);
    this.#show(source, { on: false, problem: "missing" });
  }

  #release(source: LocalSource): void {
    const track = this.#tracks.get(source);
    if (track === undefined) return;
    track.stop();
    this.#stream.removeTrack(track);
    this.#picture.removeTrack(track);
    this.#tracks.delete(source);
  }

  #show(source: LocalSource, device: Device): void {
    this.#devices = { ...this.#devices, [source]: device };
    this.#changed();
  }
}

function off(): Device {
  return { on: false, problem: null };
}

function discard(captured: Captured): void {
  if (captured.ok) captured.track.stop();
}
