import type { DevicesChoice } from "../../session/devices/devices.ts";
import type { BackgroundChoice } from "../../session/devices/effects-view.ts";
import { recallHidesSpeech } from "../speech.tsx";
import { recall, remember } from "../stored.ts";

const keys = {
  background: "sealcast.background",
  ownPicture: "sealcast.background-picture",
  noise: "sealcast.suppress-noise",
  pushToTalk: "sealcast.push-to-talk",
} as const;

export const BACKGROUNDS = ["none", "blur", "dusk", "mist", "leaf", "own"] as const satisfies BackgroundChoice[];

/** What was chosen of the devices in this browser the last time. Who comes back with a hidden room has it hidden in any case. */
export function recallDevices(comeback: { hidesRoom: boolean } | null): DevicesChoice {
  const ownPicture = recall(keys.ownPicture);
  const background = recallBackground(ownPicture);
  return {
    hidesSpeech: recallHidesSpeech(),
    background: background === "none" && comeback?.hidesRoom ? "blur" : background,
    ownPicture,
    noise: recall(keys.noise) === "on",
    pushToTalk: recall(keys.pushToTalk) === "on",
  };
}

/** Who hid their room the last time is not shown in it, even where the picture before it is lost. */
function recallBackground(ownPicture: string): BackgroundChoice {
  const kept = recall(keys.background);
  if (kept === "" || kept === "none") return "none";
  const known = BACKGROUNDS.find((background) => background === kept);
  return known === undefined || (known === "own" && ownPicture === "") ? "blur" : known;
}

export const rememberBackground = (background: BackgroundChoice): void => remember(keys.background, background);

/** On this device alone. */
export const rememberOwnPicture = (picture: string): void => remember(keys.ownPicture, picture);

export const rememberNoise = (on: boolean): void => remember(keys.noise, on ? "on" : "off");

export const rememberPushToTalk = (on: boolean): void => remember(keys.pushToTalk, on ? "on" : "off");
