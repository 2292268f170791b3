import type { Device, DeviceKind } from "./local.ts";

/** This person's devices, and what they give. */
export interface DevicesView {
  me: { sound: MediaStreamTrack | null; camera: Device; microphone: Device };
  devices: { cameras: MediaDeviceInfo[]; microphones: MediaDeviceInfo[]; speakers: MediaDeviceInfo[] };
  chosen: { camera: string; microphone: string; speaker: string };
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
