import * as v from "valibot";
import { DESCRIPTION } from "./description.ts";

/**
 * What two members' connections say to each other, inside the group's encryption. Parsed like anything that arrives: a
 * member may be hostile too.
 */
const MAX_LINES = 16;

const Line = v.strictObject({
  mid: v.pipe(v.string(), v.maxLength(16)),
  source: v.picklist(["microphone", "camera", "screen-sound", "screen-picture"]),
});

export const Signal = v.variant("type", [
  v.strictObject({
    type: v.literal("description"),
    description: v.strictObject({
      type: v.picklist(["offer", "answer"]),
      sdp: v.pipe(v.string(), v.maxLength(DESCRIPTION.characters)),
    }),
    /** Which source of the sender each media line carries. */
    lines: v.pipe(v.array(Line), v.maxLength(MAX_LINES)),
  }),
  v.strictObject({
    type: v.literal("candidates"),
    candidates: v.pipe(
      v.array(
        v.strictObject({
          candidate: v.pipe(v.string(), v.maxLength(1024)),
          sdpMid: v.nullable(v.pipe(v.string(), v.maxLength(16))),
          sdpMLineIndex: v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(MAX_LINES))),
          usernameFragment: v.nullable(v.pipe(v.string(), v.maxLength(256))),
        }),
      ),
      v.maxLength(64),
    ),
  }),
  /** To the caller, which alone offers: it is to offer again, with an ICE restart where that is true. */
  v.strictObject({ type: v.literal("renegotiate"), iceRestart: v.boolean() }),
]);
export type Signal = v.InferOutput<typeof Signal>;
export type AnnouncedLine = v.InferOutput<typeof Line>;
export type LineSource = AnnouncedLine["source"];
/** What a shared screen gives. */
export type ScreenSource = Extract<LineSource, `screen-${string}`>;

export function kindOf(source: LineSource): "audio" | "video" {
  return source === "microphone" || source === "screen-sound" ? "audio" : "video";
}
