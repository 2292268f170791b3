import * as v from "valibot";
import {
  MAX_BEAT,
  MAX_KNOCK_KEYS,
  MAX_LINKS,
  MAX_MEMBERS,
  MAX_NODES,
  MAX_TURN_URLS,
  PROTOCOL_VERSION,
} from "./limits.ts";
import { LiveDown, LiveRelay, LiveUp } from "./live.ts";
import {
  Body,
  base64url,
  count,
  FaultCode,
  id128,
  KemKey,
  Key,
  LargeBody,
  MemberId,
  RelayOrigin,
  Signature,
  SignedToken,
  TurnUrl,
} from "./parts.ts";

/** A door and the signature that proves it (see [Note: Proof of a door]). */
const SignedDoor = v.strictObject({ door: Key, signature: Signature });
const Nodes = v.pipe(v.array(Key), v.maxLength(MAX_NODES));
/** What knocks at an epoch are sealed to, and a tag under each link by which one may knock. */
const KnockKey = v.strictObject({ key: KemKey, tags: v.pipe(v.array(id128), v.minLength(1), v.maxLength(MAX_LINKS)) });
export type KnockKey = v.InferOutput<typeof KnockKey>;

/** First message on a socket, signed for role 1. `resume` takes up a dropped session. */
const Join = v.strictObject({
  type: v.literal("join"),
  version: v.literal(PROTOCOL_VERSION),
  door: Key,
  signature: Signature,
  resume: v.nullable(v.strictObject({ token: id128, seq: count })),
});
/** A former door, signed for role 2, that leads to the sender's room, too, from now on. */
const Listen = v.strictObject({ type: v.literal("listen"), door: Key, signature: Signature });
/**
 * The token of the epoch in which the sender is now: it stands at that token's node, with proof. `knockKey` is that epoch's,
 * where the server may not have it.
 */
const Enter = v.strictObject({ type: v.literal("enter"), token: Key, knockKey: v.nullable(KnockKey) });
/** A group message for the sender's neighbourhood, the sender included, in the room's one order. */
const Relay = v.strictObject({ type: v.literal("relay"), body: Body });
/** Asks for the knock keys of the oldest group's present epoch, or of `all` groups'. */
const RequestKeys = v.strictObject({ type: v.literal("request-keys"), all: v.boolean() });
/** A sealed key package for members of the epoch `at`, which `knock-keys` has named. */
const Knock = v.strictObject({ type: v.literal("knock"), at: Key, body: Body });
/** From a member to a session that knocked. */
const Answer = v.strictObject({ type: v.literal("answer"), to: MemberId, body: Body });
/** A heartbeat for the sender's neighbourhood as far as it is connected: it has no place in the order and is kept nowhere. */
const Beat = v.strictObject({ type: v.literal("beat"), body: base64url(MAX_BEAT) });
/**
 * A commit that leads from node `at` to node `next`. `despite` names the successors of `at` that the sender found invalid.
 * `door` is the room's door from then on, signed for role 3. `knockKey` is that of the epoch `next`.
 */
const Commit = v.strictObject({
  type: v.literal("commit"),
  at: Key,
  next: Key,
  body: LargeBody,
  welcome: v.nullable(
    v.strictObject({ to: v.pipe(v.array(MemberId), v.minLength(1), v.maxLength(MAX_MEMBERS)), body: LargeBody }),
  ),
  despite: Nodes,
  door: v.nullable(SignedDoor),
  knockKey: KnockKey,
});
/** A commit that the sender holds, supplied again to a server that may have lost it. `token` is that of the epoch it ended. */
const Restock = v.strictObject({ type: v.literal("restock"), token: Key, next: Key, body: LargeBody });
/** Asks for the commits that lead on from this token's node. */
const Fetch = v.strictObject({ type: v.literal("fetch"), token: Key });
/** Asks for a token of the media relay, for who is inside. */
const AskRelayToken = v.strictObject({ type: v.literal("relay-token") });
/** Asks for credentials of the TURN server. Of a call it is for who is inside, of a stream for the host and viewers let in. */
const AskTurn = v.strictObject({ type: v.literal("turn") });
const Leave = v.strictObject({ type: v.literal("leave") });
const Ping = v.strictObject({ type: v.literal("ping") });

export const Up = v.variant("type", [
  Join,
  Listen,
  Enter,
  Relay,
  RequestKeys,
  Knock,
  Answer,
  Beat,
  Commit,
  Restock,
  Fetch,
  AskRelayToken,
  AskTurn,
  Leave,
  Ping,
  ...LiveUp,
]);
export type Up = v.InferOutput<typeof Up>;
/** What a member of a call says to the server once it has joined. */
export type RoomUp = Exclude<Up, LiveUp | { type: "join" | "relay-token" | "turn" | "leave" | "ping" }>;

/** First message on every socket, with the nonce of [Note: Proof of a door]. */
const Challenge = v.strictObject({ type: v.literal("challenge"), nonce: Key });
/**
 * Answer to `join`. `seq` is where this session stands: all that concerns it follows with higher numbers. `resumed` says
 * that nothing is missing, `relay` whether there is a media relay, `turn` a TURN server.
 */
const Joined = v.strictObject({
  type: v.literal("joined"),
  member: MemberId,
  token: id128,
  seq: count,
  resumed: v.boolean(),
  stunPort: v.nullable(count),
  relay: v.boolean(),
  turn: v.boolean(),
});
/** Nobody is inside: found a group and `enter`, within 5 s. */
const Alone = v.strictObject({ type: v.literal("alone") });
/**
 * Answer to `enter`: whether that node has successors, or was unknown until now, and the fingerprints of the knock keys that
 * the server has for it.
 */
const Entered = v.strictObject({
  type: v.literal("entered"),
  at: Key,
  is: v.picklist(["tip", "ended", "new"]),
  knockKeys: v.pipe(v.array(Key), v.maxLength(MAX_KNOCK_KEYS)),
});
/** There are several groups: their tips, the oldest group first, with the number of sessions that are there. */
const Groups = v.strictObject({
  type: v.literal("groups"),
  tips: v.pipe(v.array(v.strictObject({ at: Key, sessions: count })), v.maxLength(MAX_NODES)),
});
const Relayed = v.strictObject({ type: v.literal("relayed"), seq: count, from: MemberId, body: Body });
/**
 * Where a session that is outside can knock, the oldest group first, and by which keys: after `joined`, and on request. Of
 * several keys of one node, members gave the first one first.
 */
const KnockKeys = v.strictObject({
  type: v.literal("knock-keys"),
  tips: v.pipe(
    v.array(v.strictObject({ at: Key, ...KnockKey.entries })),
    v.minLength(1),
    v.maxLength(MAX_NODES * MAX_KNOCK_KEYS),
  ),
});
const Knocked = v.strictObject({ type: v.literal("knocked"), seq: count, from: MemberId, at: Key, body: Body });
const Answered = v.strictObject({ type: v.literal("answered"), seq: count, from: MemberId, body: Body });
const HeartbeatRelayed = v.strictObject({
  type: v.literal("heartbeat-relayed"),
  from: MemberId,
  body: base64url(MAX_BEAT),
});
/** A commit that leads from `at` to `next`. */
const Ordered = v.strictObject({
  type: v.literal("ordered"),
  seq: count,
  from: MemberId,
  at: Key,
  next: Key,
  body: LargeBody,
});
/** Your commit was not ordered: you do not stand at `at` with proof, or it has these successors. */
const Refused = v.strictObject({ type: v.literal("refused"), at: Key, successors: Nodes });
const Welcomed = v.strictObject({ type: v.literal("welcomed"), seq: count, from: MemberId, body: LargeBody });
/** Answer to `fetch`: the commits that lead on from `at`, in their order there. */
const History = v.strictObject({
  type: v.literal("history"),
  at: Key,
  edges: v.pipe(v.array(v.strictObject({ next: Key, body: LargeBody })), v.maxLength(MAX_NODES)),
});
/** A session's socket: dropped, back, or given up. A hint about liveness, never about membership. */
const Presence = v.strictObject({
  type: v.literal("presence"),
  seq: count,
  member: MemberId,
  is: v.picklist(["away", "back", "gone"]),
});
/**
 * Answer to `relay-token`: where the media relay is, in which of its rooms this session's group meets, under which random name
 * this session stands there, and what lets it in within `validFor` seconds. The room changes when the server starts again.
 */
const RelayToken = v.strictObject({
  type: v.literal("relay-token"),
  url: RelayOrigin,
  room: id128,
  identity: id128,
  token: SignedToken,
  validFor: v.pipe(count, v.minValue(1)),
});
/** Answer to `turn`: credentials for these URLs (RFC 7065), for that many seconds. */
const Turn = v.strictObject({
  type: v.literal("turn"),
  urls: v.pipe(v.array(TurnUrl), v.minLength(1), v.maxLength(MAX_TURN_URLS)),
  username: v.pipe(v.string(), v.minLength(1), v.maxLength(128)),
  credential: v.pipe(v.string(), v.minLength(1), v.maxLength(128)),
  validFor: v.pipe(count, v.minValue(1)),
});
const Pong = v.strictObject({ type: v.literal("pong") });
/** The socket closes after this. */
const Fault = v.strictObject({
  type: v.literal("fault"),
  code: FaultCode,
  message: v.pipe(v.string(), v.maxLength(200)),
});

export const Down = v.variant("type", [
  Challenge,
  Joined,
  Alone,
  Entered,
  Groups,
  KnockKeys,
  Relayed,
  Knocked,
  Answered,
  HeartbeatRelayed,
  Ordered,
  Refused,
  Welcomed,
  History,
  Presence,
  RelayToken,
  Turn,
  LiveRelay,
  Pong,
  Fault,
  ...LiveDown,
]);
export type Down = v.InferOutput<typeof Down>;
/** What the server says to a member of a call. */
export type RoomDown = Exclude<Down, LiveDown | { type: "relay-token" | "turn" | "live-relay" | "pong" | "fault" }>;
