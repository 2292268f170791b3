export type { FromCaptions } from "../shared/messages.ts";
export { CaptionMaker } from "./caption-maker.ts";
