export type { PlayerConfig, PlayerEvent, PlayerFigures, PlayerMode, PlayerOutputs } from "../shared/messages.ts";
export { StreamOutput, transferablesOf } from "./stream-output.ts";
