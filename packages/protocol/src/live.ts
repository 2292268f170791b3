import * as v from "valibot";
import { PROTOCOL_VERSION } from "./limits.ts";
import { Body, count, id128, Key, MemberId, Room, Signature } from "./parts.ts";

/** Most viewers of one live room, here or away. */
export const MAX_VIEWERS = 5_000;
/** Most bodies, and most accepted viewers, in one `deliver`; most viewers in one `dismiss`. */
export const MAX_DELIVERIES = 64;
/** Most doors of a live room: the present one and eight that it replaced. */
const MAX_DOORS = 9;

/** The viewers' doors: the present one first. */
const ViewerDoors = v.pipe(v.array(Key), v.minLength(1), v.maxLength(MAX_DOORS));

/**
 * First message on the socket of a live room's host. The room's name is the hash of `key`, whose private half made the
 * signature over the socket's challenge. `load` names one load of the host's page.
 */
const Host = v.strictObject({
  type: v.literal("host"),
  version: v.literal(PROTOCOL_VERSION),
  key: Key,
  signature: Signature,
  load: id128,
  doors: ViewerDoors,
});
/** From the host: a removal replaced the viewers' link. */
const Doors = v.strictObject({ type: v.literal("doors"), doors: ViewerDoors });
/** First message on the socket of a viewer, who proves a link. `resume` is the token of a session that dropped. */
const Watch = v.strictObject({
  type: v.literal("watch"),
  version: v.literal(PROTOCOL_VERSION),
  room: Room,
  door: Key,
  signature: Signature,
  resume: v.nullable(id128),
});
/** From a viewer to the host. */
const Tell = v.strictObject({ type: v.literal("tell"), body: Body });
/**
 * From the host, to each of these viewers what is for it. Those in `accept` are answered now: they may `tell` as often as
 * others, and stay, whatever becomes of the door that they came by.
 */
const Deliver = v.strictObject({
  type: v.literal("deliver"),
  accept: v.pipe(v.array(MemberId), v.maxLength(MAX_DELIVERIES)),
  items: v.pipe(v.array(v.strictObject({ to: MemberId, body: Body })), v.minLength(1), v.maxLength(MAX_DELIVERIES)),
});
/** From the host: these viewers' sessions end. */
const Dismiss = v.strictObject({
  type: v.literal("dismiss"),
  viewers: v.pipe(v.array(MemberId), v.minLength(1), v.maxLength(MAX_DELIVERIES)),
});
/** From the host: the stream is over. */
const End = v.strictObject({ type: v.literal("end") });

export const LiveUp = [Host, Doors, Watch, Tell, Deliver, Dismiss, End] as const;
export type LiveUp = v.InferOutput<(typeof LiveUp)[number]>;

/** Answer to `host`, with the viewers who are here. */
const Hosting = v.strictObject({
  type: v.literal("hosting"),
  viewers: v.pipe(v.array(MemberId), v.maxLength(MAX_VIEWERS)),
  stunPort: v.nullable(count),
  turn: v.boolean(),
});
/** Answer to `watch`. `resumed`: the host knows this session by the same name as before. */
const Watching = v.strictObject({
  type: v.literal("watching"),
  token: id128,
  resumed: v.boolean(),
  host: v.picklist(["absent", "here", "away", "ended"]),
  stunPort: v.nullable(count),
  turn: v.boolean(),
});
/** A viewer's `tell`, to the host. */
const Told = v.strictObject({ type: v.literal("told"), from: MemberId, body: Body });
/** The host's `deliver`, to a viewer. */
const Delivered = v.strictObject({ type: v.literal("delivered"), body: Body });
/** To the host: a viewer's socket came, dropped, came back, or was given up. */
const Viewer = v.strictObject({
  type: v.literal("viewer"),
  viewer: MemberId,
  is: v.picklist(["here", "away", "back", "gone"]),
});
/** To every viewer: `here` is another load of the host's page than before, `back` the same one. */
const HostIs = v.strictObject({ type: v.literal("host-is"), is: v.picklist(["here", "away", "back", "ended"]) });

export const LiveDown = [Hosting, Watching, Told, Delivered, Viewer, HostIs] as const;
export type LiveDown = v.InferOutput<(typeof LiveDown)[number]>;

const TYPES: ReadonlySet<string> = new Set(LiveDown.map(({ entries }) => entries.type.literal));

/** Whether the server said this about a live room. */
export function isLive<T extends { type: string }>(message: T | LiveDown): message is LiveDown {
  return TYPES.has(message.type);
}
