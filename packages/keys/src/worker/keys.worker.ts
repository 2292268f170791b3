import { fromHex } from "@sealcast/bytes";
import { Secret } from "@sealcast/crypto";
import { SerialQueue, systemClock } from "@sealcast/time";
import type { FromKeys, ToKeys } from "../shared/messages.ts";
import { indexedDbIdentityStore, openIdentity } from "./identity/identity.ts";
import { meetingCode } from "./identity/meeting-code.ts";
import { safetyCode } from "./identity/safety-code.ts";
import { mlsSuite } from "./mls/suite.ts";
import { Member } from "./room/member.ts";
import { encodeToRoom, type FromMember, parseFromRoom, type ToMember } from "./room/wire.ts";

type Start = Extract<ToKeys, { type: "start" }>;
type Tell = (message: FromKeys) => void;

serve(self as DedicatedWorkerGlobalScope);

/**
 * Answers the page: one member of one room for the life of the worker. Or, in a worker of its own, computes safety and
 * meeting codes, one after the other: each takes 64 MiB.
 */
function serve(page: DedicatedWorkerGlobalScope): void {
  const tell: Tell = (message) => page.postMessage(message);
  const started = Promise.withResolvers<Start>();
  const seated = started.promise.then((start) => openMember(start, tell));
  const comparing = new SerialQueue();
  page.onmessage = ({ data }: MessageEvent<ToKeys>) => {
    if (data.type === "start") started.resolve(data);
    else if (data.type === "compare") void comparing.run(() => compare(data.identity, tell));
    else if (data.type === "compare-meeting") void comparing.run(() => compareMeeting(data, tell));
    else void seated.then((member) => member?.receive(forMember(data)));
  };
}

/** Null, and the page was told, when this browser cannot keep an identity. */
async function openMember({ secret, room, layers, seat, host }: Start, tell: Tell): Promise<Member | null> {
  const linkSecret = new Secret(secret);
  try {
    const identity = await openIdentity(indexedDbIdentityStore());
    const seconds = (): bigint => BigInt(Math.floor(Date.now() / 1000));
    const membership = { suite: await mlsSuite(), identity, room, host, layers, seat, linkSecret, seconds, name: "" };
    return new Member(membership, systemClock, (message) => tell(forPage(message)));
  } catch {
    linkSecret.erase();
    tell({ type: "refused", why: "no-identity" });
    return null;
  }
}

function forMember(message: Exclude<ToKeys, { type: "start" | "compare" | "compare-meeting" }>): ToMember {
  return message.type === "room" ? { type: "room", event: parseFromRoom(message.event) } : message;
}

function forPage(message: FromMember): FromKeys {
  return message.type === "to-room" ? { type: "to-room", message: encodeToRoom(message.message) } : message;
}

async function compare(identity: string, tell: Tell): Promise<void> {
  const other = fromHex(identity);
  // Anyone who has no identity of their own is in no call, and the page knows.
  const own = await openIdentity(indexedDbIdentityStore()).catch(() => null);
  if (own === null || other === null) return;
  tell({ type: "code", identity, code: safetyCode(own.publicKey, other) });
}

function compareMeeting({ room, identities }: Extract<ToKeys, { type: "compare-meeting" }>, tell: Tell): void {
  const keys = identities.flatMap((identity) => fromHex(identity) ?? []);
  tell({ type: "meeting-code", identities, digits: meetingCode(room, keys) });
}
