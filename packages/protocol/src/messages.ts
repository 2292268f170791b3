import * as v from "valibot";
import { LiveDown, LiveUp } from "./live.ts";
import {
  Body,
  base64url,
  count,
  Epoch,
  FaultCode,
  id128,
  LargeBody,
  MAX_BEAT,
  MAX_EPOCH,
  MemberId,
  PROTOCOL_VERSION,
  Room,
} from "./parts.ts";

/** Where a member's group stands: names the branch as well as the number. */
export const Head = v.strictObject({ epoch: Epoch, authenticator: v.nullable(base64url(128)) });
export type Head = v.InferOutput<typeof Head>;

/** First message on a socket. `resume` takes up a dropped session; `state` says that this client is in a live group. */
const Join = v.strictObject({
  type: v.literal("join"),
  version: v.literal(PROTOCOL_VERSION),
  room: Room,
  resume: v.nullable(v.strictObject({ token: id128, seq: count })),
  state: v.nullable(Head),
});
/** A group message for every admitted member, the sender included, in the room's one order. */
const Relay = v.strictObject({ type: v.literal("relay"), body: Body });
/** A sealed key package for the admitted members. */
const Knock = v.strictObject({ type: v.literal("knock"), body: Body });
/** From an admitted member to one that knocked. */
const Answer = v.strictObject({ type: v.literal("answer"), to: MemberId, body: Body });
/** A heartbeat for every other admitted member that is connected: it has no place in the order and is kept nowhere. */
const Beat = v.strictObject({ type: v.literal("beat"), body: base64url(MAX_BEAT) });
/** A commit that ends `epoch`; the first one per epoch is ordered, others are refused. */
const Commit = v.strictObject({
  type: v.literal("commit"),
  epoch: v.pipe(count, v.maxValue(MAX_EPOCH - 1)),
  body: LargeBody,
  welcome: v.nullable(
    v.strictObject({ to: v.pipe(v.array(MemberId), v.minLength(1), v.maxLength(50)), body: LargeBody }),
  ),
});
/** The commit with this number was invalid: frees its epoch's slot for another. */
const Skip = v.strictObject({ type: v.literal("skip"), seq: count });
/** Asks for the ordered commits from `epoch` on. */
const Fetch = v.strictObject({ type: v.literal("fetch"), epoch: Epoch });
/** A commit this member holds, supplied again to a server that restarted. */
const Restock = v.strictObject({ type: v.literal("restock"), epoch: Epoch, body: LargeBody });
const Leave = v.strictObject({ type: v.literal("leave") });
const Ping = v.strictObject({ type: v.literal("ping") });

export const Up = v.variant("type", [
  Join,
  Relay,
  Knock,
  Answer,
  Beat,
  Commit,
  Skip,
  Fetch,
  Restock,
  Leave,
  Ping,
  ...LiveUp,
]);
export type Up = v.InferOutput<typeof Up>;

/**
 * Answer to `join`. `seq` is where this session stands: all that concerns it follows with higher numbers. `resumed` says
 * that nothing is missing. `founder` is true for exactly one new session of an empty room. `head` is what the server
 * knows of the group.
 */
const Joined = v.strictObject({
  type: v.literal("joined"),
  member: MemberId,
  token: id128,
  seq: count,
  resumed: v.boolean(),
  founder: v.boolean(),
  head: v.nullable(Head),
  stunPort: v.nullable(count),
});
const Relayed = v.strictObject({ type: v.literal("relayed"), seq: count, from: MemberId, body: Body });
const Knocked = v.strictObject({ type: v.literal("knocked"), seq: count, from: MemberId, body: Body });
const Answered = v.strictObject({ type: v.literal("answered"), seq: count, from: MemberId, body: Body });
const Beaten = v.strictObject({ type: v.literal("beaten"), from: MemberId, body: base64url(MAX_BEAT) });
/** The one commit that ends `epoch`. */
const Ordered = v.strictObject({
  type: v.literal("ordered"),
  seq: count,
  from: MemberId,
  epoch: Epoch,
  body: LargeBody,
});
/** Your commit for `epoch` was not ordered: another came first, or the epoch is over. */
const Refused = v.strictObject({ type: v.literal("refused"), epoch: Epoch, head: v.nullable(Head) });
const Welcomed = v.strictObject({ type: v.literal("welcomed"), seq: count, from: MemberId, body: LargeBody });
/**
 * Answer to `fetch`: consecutive commits from that epoch on, oldest first; none when that epoch's is not there. It may
 * stop short of the head when they are large: fetch again from where it ends.
 */
const History = v.strictObject({
  type: v.literal("history"),
  commits: v.pipe(v.array(v.strictObject({ epoch: Epoch, body: LargeBody })), v.maxLength(16)),
});
/** A member's socket: dropped, back, or given up. A hint about liveness, never about membership. */
const Presence = v.strictObject({
  type: v.literal("presence"),
  seq: count,
  member: MemberId,
  is: v.picklist(["away", "back", "gone"]),
});
/** Nobody admitted is left in the room: found a new group. */
const Found = v.strictObject({ type: v.literal("found"), seq: count });
/** A live group came back to this room: a lone founder drops its own group and knocks. */
const Yield = v.strictObject({ type: v.literal("yield"), seq: count });
const Pong = v.strictObject({ type: v.literal("pong") });
/** The socket closes after this. */
const Fault = v.strictObject({
  type: v.literal("fault"),
  code: FaultCode,
  message: v.pipe(v.string(), v.maxLength(200)),
});

export const Down = v.variant("type", [
  Joined,
  Relayed,
  Knocked,
  Answered,
  Beaten,
  Ordered,
  Refused,
  Welcomed,
  History,
  Presence,
  Found,
  Yield,
  Pong,
  Fault,
  ...LiveDown,
]);
export type Down = v.InferOutput<typeof Down>;
