import type { Samples } from "../audit/encryption-audit.ts";
import type { OverloadStep } from "../audit/overload-steps.ts";
import { PacketSizeLeakCheck } from "../audit/packet-size-leak-check.ts";
import type { Lifetime } from "../lifetime.ts";
import { type DeviceNews, DeviceWatch } from "./device-watch.ts";
import { Effects } from "./effects.ts";
import type { BackgroundChoice, EffectsChoice, EffectsView } from "./effects-view.ts";
import { type Captured, type DeviceKind, LocalMedia, type LocalSource, type LocalView, type Treat } from "./local.ts";
import type { ScreenChoice } from "./shared-screen.ts";

/** This person's devices, and what they give. */
export interface DevicesView {
  /** `picture`: the camera's; `screen`: whether this person shares theirs. */
  me: Pick<LocalView, "picture" | "sound" | "camera" | "microphone" | "screen" | "shared">;
  devices: { cameras: MediaDeviceInfo[]; microphones: MediaDeviceInfo[]; speakers: MediaDeviceInfo[] };
  chosen: Record<DeviceKind, string>;
  /** The last thing that became of a device without the person's doing; a new object each time. */
  deviceNews: DeviceNews | null;
  /** How this person's screen is shared, now or when they share it. */
  screenChoice: ScreenChoice;
  /** Whether the screen's own sound goes with it; null while no screen is shared. */
  sharesSound: boolean | null;
  /** Packets of this person's sound have one size, so that sizes do not tell what is said. */
  hidesSpeech: boolean;
  /** They were to have one size, and this browser goes on sending them in many. */
  speechShows: boolean;
  /** What lies between the devices and all else. */
  effects: EffectsView;
  /** The microphone is on only while the person holds a key or a button. */
  pushToTalk: boolean;
}

/** What a person chose of their devices the last time. */
export interface DevicesChoice extends EffectsChoice {
  readonly hidesSpeech: boolean;
  readonly pushToTalk: boolean;
}

export interface DeviceActions {
  setCamera(on: boolean): void;
  setMicrophone(on: boolean): void;
  choose(kind: DeviceKind, deviceId: string): void;
  /** Shares a screen, or stops that. To be called in the task of a click: the browser has the person choose. */
  share(on: boolean): void;
  /** A camera to scan with; `deviceId` "" leaves the choice open. The caller stops the track. */
  lendCamera(deviceId: string): Promise<Captured>;
  /** Also of a screen that is shared now. */
  chooseScreen(choice: ScreenChoice): void;
  hideSpeech(on: boolean): void;
  chooseBackground(background: BackgroundChoice): void;
  /** The picture stands behind the person from then on. Gives what to keep of it; null: it is no picture, or too large. */
  chooseOwnPicture(file: Blob): Promise<string | null>;
  suppressNoise(on: boolean): void;
  /** Turns the microphone off until it is held on. */
  setPushToTalk(on: boolean): void;
}

/** Which of the two are on. */
export interface DevicesOn {
  camera: boolean;
  microphone: boolean;
}

const BOTH: DevicesOn = { camera: true, microphone: true };

interface DevicesOptions {
  choice: DevicesChoice;
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
    choose: (kind, deviceId) => {
      this.#watch.forget(kind);
      void this.local.choose(kind, deviceId);
    },
    share: (on) => void this.local.screen.share(on),
    lendCamera: (deviceId) => this.#lend(deviceId),
    chooseScreen: (choice) => void this.local.screen.choose(choice),
    hideSpeech: (on) => this.#hideSpeech(on),
    chooseBackground: (background) => this.#effects.chooseBackground(background),
    chooseOwnPicture: (file) => this.#effects.chooseOwnPicture(file),
    suppressNoise: (on) => this.#effects.suppressNoise(on),
    setPushToTalk: (on) => this.#setPushToTalk(on),
  };
  readonly #options: DevicesOptions;
  readonly #effects: Effects;
  readonly #watch: DeviceWatch;
  readonly #speech = new PacketSizeLeakCheck();
  #hidesSpeech: boolean;
  #pushToTalk: boolean;

  constructor(life: Lifetime, options: DevicesOptions) {
    this.#options = options;
    this.#hidesSpeech = options.choice.hidesSpeech;
    this.#pushToTalk = options.choice.pushToTalk;
    const effects = {
      clock: life.clock,
      show: (effects: EffectsView) => options.show({ effects }),
      reopen: (source: LocalSource, how: { hidden: boolean }) => void this.local.reopen(source, how),
      closeCamera: () => void this.local.set("camera", false),
    };
    this.#effects = new Effects(effects, options.choice);
    const treat: Treat = (...device) => this.#effects.treat(...device);
    const changed = () => {
      options.show(this.#now);
      options.changed();
    };
    this.local = new LocalMedia(life.clock, treat, changed, (source) => void this.#watch.lost(source));
    const news = (deviceNews: DeviceNews) => options.show({ deviceNews });
    this.#watch = new DeviceWatch(life, { local: this.local, news, list: () => this.list() });
    life.bind(() => this.local.close());
  }

  /** Before any is open. */
  get firstView(): DevicesView {
    const none = { cameras: [], microphones: [], speakers: [] };
    const chosen = { hidesSpeech: this.#hidesSpeech, pushToTalk: this.#pushToTalk, effects: this.#effects.view };
    return { ...this.#now, ...chosen, devices: none, deviceNews: null, speechShows: false };
  }

  get hidesSpeech(): boolean {
    return this.#hidesSpeech;
  }

  /** The camera and the microphone, those that are to be on; what keeps one of them closed shows. */
  async open(): Promise<void> {
    const { camera, microphone } = this.#options.devicesOn ?? BOTH;
    await Promise.all([this.local.set("camera", camera), this.#openMicrophone(microphone)]);
    await this.#watch.look();
  }

  async list(): Promise<MediaDeviceInfo[]> {
    const all = await navigator.mediaDevices.enumerateDevices();
    const of = (kind: MediaDeviceKind) => all.filter((device) => device.kind === kind && device.deviceId !== "");
    this.#options.show({
      devices: { cameras: of("videoinput"), microphones: of("audioinput"), speakers: of("audiooutput") },
    });
    return all;
  }

  /** Whether sizes of sound tell what is said, where they are not to. */
  examine({ samples }: Samples): void {
    this.#options.show({ speechShows: this.#hidesSpeech && this.#speech.shows(samples) });
  }

  /** The camera gives less from now on, or as much as it did, and effects make way: this computer does not keep up, or does again. */
  ease(step: OverloadStep): void {
    void this.local.ease(step);
    if (step > 0) this.#effects.relieve();
  }

  get #now(): Pick<DevicesView, "me" | "chosen" | "screenChoice" | "sharesSound"> {
    const { picture, sound, camera, microphone, screen, shared, chosen } = this.local.view;
    const { choice, sound: heard } = this.local.screen;
    const me = { picture, sound, camera, microphone, screen, shared };
    return { me, chosen, screenChoice: choice, sharesSound: screen ? heard !== null : null };
  }

  async #lend(deviceId: string): Promise<Captured> {
    const captured = await this.local.lend(deviceId);
    // With the first permission cameras get their names.
    await this.list();
    return captured;
  }

  /** Who talks by holding a key has it open, and off. */
  async #openMicrophone(on: boolean): Promise<void> {
    if (on && this.#pushToTalk) await this.local.openSilent();
    else await this.local.set("microphone", on);
  }

  #setPushToTalk(on: boolean): void {
    this.#pushToTalk = on;
    this.#options.show({ pushToTalk: on });
    if (on) void this.local.set("microphone", false);
  }

  #hideSpeech(on: boolean): void {
    this.#hidesSpeech = on;
    this.#options.show({ hidesSpeech: on, speechShows: false });
    this.#options.renegotiate();
  }
}
