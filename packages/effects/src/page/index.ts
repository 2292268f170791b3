export type {
  Backdrop,
  DrawnBackdrop,
  EffectCost,
  EffectFault,
} from "../shared/messages.ts";
export { BackgroundEffect, type BackgroundEvents } from "./background-effect.ts";
export { canTreat } from "./breakout-box.ts";
export { NoiseEffect } from "./noise-effect.ts";
export { ownPicture } from "./own-picture.ts";
