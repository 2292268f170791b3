import { MOST_SIZES } from "@sealcast/media";
import { Signal } from "@sealcast/network";
import * as v from "valibot";
import { Decodes, MAX_MESSAGE } from "../call/message.ts";
import { parseJson } from "../json.ts";
import { TimingAnswer, TimingAsk } from "../measuring/timing.ts";
import { RecordingStage } from "../recording/consent.ts";

/** Lengths of texts, UTF-16 code units. */
export const MAX_QUESTION = 500;
export const MAX_ANSWER = 1_000;
export const MAX_LINE = 320;
/** Answers that all viewers see, in one message; and questions. */
export const MOST_SHARED = 20;

/** 16 random bytes in base64url: a number would tell how many connections, or answers to others, there were. */
const LinkId = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{22}$/));
/** A title or a name: what others are shown of it, `shownLine` says. */
const Line = v.pipe(v.string(), v.maxLength(MAX_LINE));
const text = (most: number) => v.pipe(v.string(), v.minLength(1), v.maxLength(most));

const HostAnswer = v.strictObject({ id: LinkId, question: text(MAX_QUESTION), answer: text(MAX_ANSWER) });
/** A question and what the host answered. Who asked is never in it. */
export type HostAnswer = v.InferOutput<typeof HostAnswer>;
const SharedQuestion = v.strictObject({ id: LinkId, text: text(MAX_QUESTION) });
/** What a viewer has asked, and all can upvote. Who asked is never in it. */
export type SharedQuestion = v.InferOutput<typeof SharedQuestion>;
/** Of the connection `link` between the two. An offer on another one takes the present one's place. */
const Signalled = v.strictObject({ type: v.literal("signal"), link: LinkId, signal: Signal });

/** Pixels a side, of a picture. */
const MOST_PIXELS = 16_384;
const Pixels = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_PIXELS));
const Sizes = v.pipe(v.array(v.strictObject({ width: Pixels, height: Pixels })), v.maxLength(MOST_SIZES));

/** Microseconds since 1970. */
const FrameTime = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** A second of them. */
export const MOST_TIMED = 64;

const StreamWay = v.picklist(["connection", "relay"]);
/** How the stream comes to a viewer. */
export type StreamWay = v.InferOutput<typeof StreamWay>;

const RelayedCodec = v.picklist(["video/h264", "video/vp8", "video/vp9", "video/av1"]);
type RelayedCodec = v.InferOutput<typeof RelayedCodec>;
/** As a picture that relays carry may be; null: no such codec. */
export const relayedCodec = (codec: string): RelayedCodec | null =>
  RelayedCodec.options.find((one) => one === codec) ?? null;

const FromHost = v.variant("type", [
  Signalled,
  /** Whether the host sends a picture and sound now. */
  v.strictObject({ type: v.literal("sends"), picture: v.boolean(), sound: v.boolean() }),
  /** Of the host's own recording how it stands, null where there is none; and whether viewers may make theirs. */
  v.strictObject({ type: v.literal("recordings"), host: v.nullable(RecordingStage), viewersMay: v.boolean() }),
  /** What the stream and its host are called; "" is nothing. */
  v.strictObject({ type: v.literal("about"), title: Line, host: Line }),
  /** To the viewer who asked, alone. Of an `id` that was answered before, it takes that answer's place. */
  v.strictObject({ type: v.literal("answer"), answer: HostAnswer }),
  /** All answers that all viewers see, oldest first. */
  v.strictObject({ type: v.literal("answers"), answers: v.pipe(v.array(HostAnswer), v.maxLength(MOST_SHARED)) }),
  /** All questions that viewers can upvote now, oldest first. */
  v.strictObject({
    type: v.literal("questions"),
    questions: v.pipe(v.array(SharedQuestion), v.maxLength(MOST_SHARED)),
  }),
  /**
   * No connection is left: the stream is to be had over relays, its picture in this codec and these sizes, the largest first. None
   * are known before there was a picture.
   */
  v.strictObject({ type: v.literal("relay"), codec: RelayedCodec, sizes: Sizes }),
  /** What it measured, to who asked. */
  v.strictObject({ type: v.literal("timing"), message: TimingAnswer }),
  /** No more viewers fit in; a signal follows once there is room. */
  v.strictObject({ type: v.literal("full") }),
]);
export type FromHost = v.InferOutput<typeof FromHost>;

const FromViewer = v.variant("type", [
  Signalled,
  /**
   * Asks for the picture, and the sound where it `listens`. `plays`: codecs in which it can come over relays. `fresh`: the connection there was is of no use any more. `unreached`: the
   * way that does not come about from there, so that the other one may be tried.
   */
  v.strictObject({
    type: v.literal("hello"),
    decodes: Decodes,
    plays: Decodes,
    fresh: v.boolean(),
    listens: v.boolean(),
    unreached: v.exactOptional(StreamWay),
  }),
  /** Whether the sound is wanted from now on. */
  v.strictObject({ type: v.literal("listens"), listens: v.boolean() }),
  /**
   * What comes over relays is shown from now on, or is not any more, since a connection has taken its place. `late`: it comes later than
   * can be made up for, so that a smaller picture is watched where there is one.
   */
  v.strictObject({ type: v.literal("relayed"), shown: v.boolean(), late: v.exactOptional(v.boolean()) }),
  /** Of the viewer's recording how it stands; null where there is none. */
  v.strictObject({ type: v.literal("records"), stage: v.nullable(RecordingStage) }),
  /** What the viewer is called, for the host alone; "" is nothing. */
  v.strictObject({ type: v.literal("name"), name: Line }),
  v.strictObject({ type: v.literal("question"), text: text(MAX_QUESTION) }),
  /** Of a question that all viewers see: whether this one would like an answer to it. */
  v.strictObject({ type: v.literal("upvote"), question: LinkId, up: v.boolean() }),
  /** From who watches over relays: of these frames alone, by their times there. Of none where it is the host's clock that matters. */
  v.strictObject({
    type: v.literal("timing"),
    message: TimingAsk,
    frames: v.pipe(v.array(FrameTime), v.maxLength(MOST_TIMED)),
  }),
]);
export type FromViewer = v.InferOutput<typeof FromViewer>;

/** Null: not a message of this version. */
export const parseFromHost = (bytes: Uint8Array): FromHost | null => parseJson(FromHost, bytes, MAX_MESSAGE);
/** Null: not a message of this version. A viewer may send anything. */
export const parseFromViewer = (bytes: Uint8Array): FromViewer | null => parseJson(FromViewer, bytes, MAX_MESSAGE);
