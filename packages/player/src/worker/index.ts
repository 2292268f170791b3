export type {
  PlayerConfig,
  PlayerEvent,
  PlayerFigures,
  PlayerFrame,
  PlayerMode,
  PlayerOutputs,
} from "../shared/messages.ts";
export { StreamPlayer } from "./stream-player.ts";
