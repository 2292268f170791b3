import * as v from "valibot";
import { ChatMessage } from "./chat.ts";
import { Hand, HandLowered } from "./hands.ts";
import { MuteRequest } from "./muting.ts";
import { Reaction } from "./reactions.ts";

/** What members say beside the talk. */
export const TalkMessage = v.variant("type", [ChatMessage, Reaction, Hand, HandLowered, MuteRequest]);
export type TalkMessage = v.InferOutput<typeof TalkMessage>;

const TYPES: readonly string[] = TalkMessage.options.map(({ entries }) => entries.type.literal);

export const isTalk = (message: { type: string }): message is TalkMessage => TYPES.includes(message.type);
