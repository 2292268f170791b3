export type {
  PlayerConfig,
  PlayerEvent,
  PlayerFigures,
  PlayerFrame,
  PlayerMode,
  PlayerOutputs,
} from "../shared/messages.ts";
export { TierByLateness } from "../shared/tier-by-lateness.ts";
export { StreamPlayer } from "./stream-player.ts";
