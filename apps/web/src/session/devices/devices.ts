import type { Samples } from "../audit/encryption-audit.ts";
import { PacketSizeLeakCheck } from "../audit/packet-size-leak-check.ts";
import type { Lifetime } from "../lifetime.ts";
import { type Captured, type DeviceKind, LocalMedia, type LocalView } from "./local.ts";

/** This person's devices, and what they give. */
export interface DevicesView {
  /** `picture`: the camera's; `screen`: whether this person shares theirs. */
  me: Pick<LocalView, "picture" | "sound" | "camera" | "microphone" | "screen" | "shared">;
  devices: { cameras: MediaDeviceInfo[]; microphones: MediaDeviceInfo[]; speakers: MediaDeviceInfo[] };
  chosen: Record<DeviceKind, string>;
  /** Packets of this person's sound have one size, so that sizes do not tell what is said. */
  hidesSpeech: boolean;
  /** They were to have one size, and this browser goes on sending them in many. */
  speechShows: boolean;
}

export interface DeviceActions {
  setCamera(on: boolean): void;
  setMicrophone(on: boolean): void;
  choose(kind: DeviceKind, deviceId: string): void;
  hideSpeech(on: boolean): void;
}

/** Which of the two are on. */
export interface DevicesOn {
  camera: boolean;
  microphone: boolean;
}

const BOTH: DevicesOn = { camera: true, microphone: true };

interface DevicesOptions {
  hidesSpeech: boolean;
  /** At first; both where it is not given. */
  devicesOn?: DevicesOn | undefined;
  show(change: Partial<DevicesView>): void;
  /** A device went on or off, or another one was chosen. */
  changed(): void;
  /** Sound is to be encoded in another way from now on. */
  renegotiate(): void;
}

/** This person's devices as a call or stream shows them and lets the person choose. */
export class Devices {
  readonly local: LocalMedia;
  readonly actions: DeviceActions = {
    setCamera: (on) => void this.local.set("camera", on),
    setMicrophone: (on) => void this.local.set("microphone", on),
    choose: (kind, deviceId) => void this.local.choose(kind, deviceId),
    hideSpeech: (on) => this.#hideSpeech(on),
  };
  readonly #options: DevicesOptions;
  readonly #speech = new PacketSizeLeakCheck();
  #hidesSpeech: boolean;

  constructor(life: Lifetime, options: DevicesOptions) {
    this.#options = options;
    this.#hidesSpeech = options.hidesSpeech;
    this.local = new LocalMedia(() => {
      options.show(this.#now);
      options.changed();
    });
    life.on(navigator.mediaDevices, "devicechange", () => void this.list());
    life.bind(() => this.local.close());
  }

  /** Before any is open. */
  get firstView(): DevicesView {
    const none = { cameras: [], microphones: [], speakers: [] };
    return { ...this.#now, devices: none, hidesSpeech: this.#hidesSpeech, speechShows: false };
  }

  get hidesSpeech(): boolean {
    return this.#hidesSpeech;
  }

  /** The camera and the microphone, those that are to be on; what keeps one of them closed shows. */
  async open(): Promise<void> {
    const { camera, microphone } = this.#options.devicesOn ?? BOTH;
    await Promise.all([this.local.set("camera", camera), this.local.set("microphone", microphone)]);
    await this.list();
  }

  async list(): Promise<void> {
    const all = await navigator.mediaDevices.enumerateDevices();
    const of = (kind: MediaDeviceKind) => all.filter((device) => device.kind === kind && device.deviceId !== "");
    this.#options.show({
      devices: { cameras: of("videoinput"), microphones: of("audioinput"), speakers: of("audiooutput") },
    });
  }

  /** A camera to look through beside the call; `deviceId` "" leaves the choice open. The caller stops the track. */
  async lend(deviceId: string): Promise<Captured> {
    const captured = await this.local.lend(deviceId);
    // With the first permission cameras get their names.
    await this.list();
    return captured;
  }

  /** Whether sizes of sound tell what is said, where they are not to. */
  examine({ samples }: Samples): void {
    this.#options.show({ speechShows: this.#hidesSpeech && this.#speech.shows(samples) });
  }

  get #now(): Pick<DevicesView, "me" | "chosen"> {
    const { picture, sound, camera, microphone, screen, shared, chosen } = this.local.view;
    return { me: { picture, sound, camera, microphone, screen, shared }, chosen };
  }

  #hideSpeech(on: boolean): void {
    this.#hidesSpeech = on;
    this.#options.show({ hidesSpeech: on, speechShows: false });
    this.#options.renegotiate();
  }
}
