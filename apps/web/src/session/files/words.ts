import { fileChunks } from "@sealcast/media";
import { MAX_WORD } from "@sealcast/network";
import * as v from "valibot";
import { parseJson } from "../json.ts";
import { FileId, FileSecret } from "./offer.ts";
import { MAX_FILE_BYTES } from "./view.ts";

/** What members say to each other about files (PROTOCOL.md section 5.7). */

/** Chunks that a receiver asks for beyond what it has written. */
export const AHEAD = 32;
/** Chunks that a sender lets itself be asked for at a time. */
export const MOST_AHEAD = 2 * AHEAD;
/** Letters of a name. */
export const MAX_FILE_NAME = 255;

const CHUNK = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(fileChunks(MAX_FILE_BYTES)));

/** Why a receiver takes no more of a file. */
const REASONS = ["declined", "cancelled", "damaged", "full", "unwritable", "stopped"] as const;

const FileWord = v.variant("type", [
  // From who receives.
  v.strictObject({ type: v.literal("ask"), id: FileId }),
  /** Chunks `next` to `upTo`, without the latter. Another `slot` begins at `next`, the same one goes on. */
  v.strictObject({
    type: v.literal("want"),
    id: FileId,
    slot: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(0xffff)),
    next: CHUNK,
    upTo: CHUNK,
  }),
  v.strictObject({ type: v.literal("hold"), id: FileId }),
  v.strictObject({ type: v.literal("got"), id: FileId }),
  v.strictObject({ type: v.literal("stop"), id: FileId, why: v.picklist(REASONS) }),
  // From who sends.
  v.strictObject({ type: v.literal("details"), id: FileId, sealed: v.pipe(v.string(), v.maxLength(3_000)) }),
  v.strictObject({ type: v.literal("paused"), id: FileId, on: v.boolean() }),
  v.strictObject({ type: v.literal("end"), id: FileId, why: v.picklist(["cancelled", "changed", "gone"]) }),
]);
export type FileWord = v.InferOutput<typeof FileWord>;
export type StopReason = (typeof REASONS)[number];

/** Null: nothing that is said of files. The other end may say anything. */
export const parseFileWord = (body: Uint8Array): FileWord | null => parseJson(FileWord, body, MAX_WORD);

export const FileDetails = v.strictObject({
  name: v.pipe(v.string(), v.maxLength(MAX_FILE_NAME)),
  size: v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(MAX_FILE_BYTES)),
  /** With the offer's secret it makes the file's key. */
  salt: FileSecret,
});
