import * as v from "valibot";
import { Body, count, id128, MemberId, PROTOCOL_VERSION, Room } from "./parts.ts";

/** Most viewers of one live room, here or away. */
export const MAX_VIEWERS = 5_000;
/** Most bodies in one `deliver`. */
export const MAX_DELIVERIES = 64;

/**
 * First message on the socket of a live room's host. The first `token` that comes holds the room for as long as the server
 * remembers it; `load` names one load of the host's page.
 */
const Host = v.strictObject({
  type: v.literal("host"),
  version: v.literal(PROTOCOL_VERSION),
  room: Room,
  token: id128,
  load: id128,
});
/** First message on the socket of a viewer. `resume` is the token of a session that dropped. */
const Watch = v.strictObject({
  type: v.literal("watch"),
  version: v.literal(PROTOCOL_VERSION),
  room: Room,
  resume: v.nullable(id128),
});
/** From a viewer to the host. */
const Tell = v.strictObject({ type: v.literal("tell"), body: Body });
/** From the host, to each of these viewers what is for it. */
const Deliver = v.strictObject({
  type: v.literal("deliver"),
  items: v.pipe(v.array(v.strictObject({ to: MemberId, body: Body })), v.minLength(1), v.maxLength(MAX_DELIVERIES)),
});
/** From the host, the same to every viewer who is here. */
const Broadcast = v.strictObject({ type: v.literal("broadcast"), body: Body });
/** From the host: these viewers' sessions end. */
const Dismiss = v.strictObject({
  type: v.literal("dismiss"),
  viewers: v.pipe(v.array(MemberId), v.minLength(1), v.maxLength(MAX_DELIVERIES)),
});
/** From the host: the stream is over. */
const End = v.strictObject({ type: v.literal("end") });

export const LiveUp = [Host, Watch, Tell, Deliver, Broadcast, Dismiss, End] as const;

/** Answer to `host`, with the viewers who are here. */
const Hosting = v.strictObject({
  type: v.literal("hosting"),
  viewers: v.pipe(v.array(MemberId), v.maxLength(MAX_VIEWERS)),
  stunPort: v.nullable(count),
});
/** Answer to `watch`. `resumed`: the host knows this session by the same name as before. */
const Watching = v.strictObject({
  type: v.literal("watching"),
  token: id128,
  resumed: v.boolean(),
  host: v.picklist(["absent", "here", "away", "ended"]),
  stunPort: v.nullable(count),
});
/** A viewer's `tell`, to the host. */
const Told = v.strictObject({ type: v.literal("told"), from: MemberId, body: Body });
/** The host's `deliver` or `broadcast`, to a viewer. */
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
