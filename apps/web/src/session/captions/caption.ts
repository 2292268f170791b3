import { shownLine } from "@sealcast/keys";
import * as v from "valibot";

/** Longest text of one caption, UTF-16 code units: twice what is said in the seven seconds that one holds. */
export const MAX_CAPTION = 400;

/** What a member's page says to all of captions of that member's own speech (PROTOCOL.md section 5.6). */
export const CaptionMessage = v.variant("type", [
  /** Whether the sender's device makes captions of their speech from now on. */
  v.strictObject({ type: v.literal("captioning"), on: v.boolean() }),
  /** What they said. */
  v.strictObject({ type: v.literal("caption"), text: v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_CAPTION)) }),
]);
export type CaptionMessage = v.InferOutput<typeof CaptionMessage>;

export function isCaption(message: { type: string }): message is CaptionMessage {
  return message.type === "caption" || message.type === "captioning";
}

/** As it is shown, whatever a member sent: one line without what is invisible or reaches out of it. "" where nothing is left. */
export function shownCaption(text: string): string {
  return shownLine(text, MAX_CAPTION);
}
