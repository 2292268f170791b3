export type { PlayerConfig, PlayerEvent, PlayerFigures, PlayerMode, PlayerOutputs } from "../shared/messages.ts";
export { WorkerPlayer } from "./worker-player.ts";
