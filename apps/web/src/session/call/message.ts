import { Signal } from "@sealcast/network";
import * as v from "valibot";
import { CaptionMessage } from "../captions/caption.ts";
import { FileOffer } from "../files/offer.ts";
import { parseJson } from "../json.ts";
import { TalkMessage } from "../talk/talk-message.ts";

/** Longest message between members, or between host and viewer, bytes of JSON: a description with its lines is the large one. */
export const MAX_MESSAGE = 40 * 1024;

/** Of what a member is called at the media relay; those that our server gives have 22. */
const MAX_IDENTITY = 64;

/** Video codecs that someone decodes, as lower-case MIME types, preferred ones first. */
export const Decodes = v.pipe(v.array(v.pipe(v.string(), v.maxLength(32))), v.maxLength(16));

/** What a member sends, and decodes. The highest `version` counts: direct messages and those to all may cross. */
const Profile = v.strictObject({
  type: v.literal("profile"),
  version: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  camera: v.boolean(),
  microphone: v.boolean(),
  screen: v.boolean(),
  screenSound: v.boolean(),
  decodes: Decodes,
});
export type Profile = v.InferOutput<typeof Profile>;

const Percent = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100));

/** The sender leaves readable what `policy` says of this source's frames in this epoch. Of sound there is none. */
const Announcement = v.strictObject({
  type: v.literal("policy"),
  source: v.picklist(["camera", "screen-picture"]),
  epoch: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  policy: v.variant("mode", [
    v.strictObject({ mode: v.literal("everything") }),
    v.strictObject({ mode: v.literal("key-frames") }),
    v.strictObject({ mode: v.literal("rate"), percent: Percent, keyFrames: v.boolean() }),
  ]),
});
export type Announcement = v.InferOutput<typeof Announcement>;

/** What the sender is called at the media relay. */
const RelayMessage = v.strictObject({
  type: v.literal("relay"),
  identity: v.pipe(v.string(), v.maxLength(MAX_IDENTITY)),
});
export type RelayMessage = v.InferOutput<typeof RelayMessage>;

/** Everything that one member's page says to another's, always inside the group's encryption. */
const MemberMessage = v.variant("type", [
  Profile,
  Announcement,
  FileOffer,
  RelayMessage,
  ...TalkMessage.options,
  ...CaptionMessage.options,
  ...Signal.options,
]);
export type MemberMessage = v.InferOutput<typeof MemberMessage>;

/** Null: not a message of this version. A member may send anything. */
export const parseMessage = (bytes: Uint8Array): MemberMessage | null => parseJson(MemberMessage, bytes, MAX_MESSAGE);
