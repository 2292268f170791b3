import * as v from "valibot";
import { MAX_DELIVERIES, MAX_LIVE_RELAYS, PROTOCOL_VERSION } from "./limits.ts";
import { Body, count, id128, Key, LiveRelayOrigin, MemberId, Room, Signature, SignedToken } from "./parts.ts";

/** Most viewers of one live room, here or away. */
export const MAX_VIEWERS = 5_000;
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
/** Asks what lets its sender use the relays of live streams: for the host, and viewers that it accepted. */
const AskLiveRelay = v.strictObject({ type: v.literal("live-relay") });

export const LiveUp = [Host, Doors, Watch, Tell, Deliver, Dismiss, End, AskLiveRelay] as const;
export type LiveUp = v.InferOutput<(typeof LiveUp)[number]>;

/** Answer to `host`, with the viewers who are here. `relays`: there are relays of live streams. */
const Hosting = v.strictObject({
  type: v.literal("hosting"),
  viewers: v.pipe(v.array(MemberId), v.maxLength(MAX_VIEWERS)),
  stunPort: v.nullable(count),
  turn: v.boolean(),
  relays: v.boolean(),
});
/** Answer to `watch`. `resumed`: the host knows this session by the same name as before. */
const Watching = v.strictObject({
  type: v.literal("watching"),
  token: id128,
  resumed: v.boolean(),
  host: v.picklist(["absent", "here", "away", "ended"]),
  stunPort: v.nullable(count),
  turn: v.boolean(),
  relays: v.boolean(),
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
/**
 * Answer to `live-relay`: relays that pass the stream on to each other, where on them it is, the name of the one broadcast there,
 * and what lets a page connect to them within `validFor` seconds: the host to publish that, a viewer to subscribe to it.
 */
export const LiveRelay = v.strictObject({
  type: v.literal("live-relay"),
  urls: v.pipe(v.array(LiveRelayOrigin), v.minLength(1), v.maxLength(MAX_LIVE_RELAYS)),
  path: v.pipe(v.string(), v.regex(/^\/live\/[A-Za-z0-9_-]{22}$/, "not a path of a stream")),
  name: id128,
  token: SignedToken,
  validFor: v.pipe(count, v.minValue(1)),
});

export const LiveDown = [Hosting, Watching, Told, Delivered, Viewer, HostIs] as const;
export type LiveDown = v.InferOutput<(typeof LiveDown)[number]>;

const TYPES: ReadonlySet<string> = new Set(LiveDown.map(({ entries }) => entries.type.literal));

/** Whether the server said this about a live room. */
export function isLive<T extends { type: string }>(message: T | LiveDown): message is LiveDown {
  return TYPES.has(message.type);
}
