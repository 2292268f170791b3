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

/** What was chosen of the devices in this browser the last time. */
export function recallDevices(): DevicesChoice {
  const ownPicture = recall(keys.ownPicture);
  return {
    hidesSpeech: recallHidesSpeech(),
    background: recallBackground(ownPicture),
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
