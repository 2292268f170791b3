import { fromHex } from "@sealcast/bytes";
import { Secret } from "@sealcast/crypto";
import { systemClock } from "@sealcast/time";
import type { FromKeys, ToKeys } from "../shared/messages.ts";
import { type Identity, indexedDbIdentityStore, openIdentity } from "./identity.ts";
import { Member } from "./member.ts";
import { safetyCode } from "./safety-code.ts";
import { mlsSuite } from "./suite.ts";

type Start = Extract<ToKeys, { type: "start" }>;
type Tell = (message: FromKeys) => void;

/** One member of one room, and whose it is. */
interface Seated {
  member: Member;
  identity: Identity;
}

serve(self as DedicatedWorkerGlobalScope);

/** Answers the page: one member of one room for the life of the worker. */
function serve(page: DedicatedWorkerGlobalScope): void {
  const tell: Tell = (message) => page.postMessage(message);
  const started = Promise.withResolvers<Start>();
  const seated = started.promise.then((start) => openMember(start, tell));
  page.onmessage = ({ data }: MessageEvent<ToKeys>) => {
    if (data.type === "start") started.resolve(data);
    // Takes its time, and nothing else waits for it.
    else if (data.type === "compare") void seated.then((open) => open && compare(open.identity, data.identity, tell));
    else void seated.then((open) => open?.member.receive(data));
  };
}

/** Null, and the page was told, when this browser cannot keep an identity. */
async function openMember({ secret, room, layers, seat }: Start, tell: Tell): Promise<Seated | null> {
  const linkSecret = new Secret(secret);
  try {
    const identity = await openIdentity(indexedDbIdentityStore());
    const seconds = (): bigint => BigInt(Math.floor(Date.now() / 1000));
    const membership = { suite: await mlsSuite(), identity, room, layers, seat, linkSecret, seconds };
    return { identity, member: new Member(membership, systemClock, tell) };
  } catch {
    linkSecret.erase();
    tell({ type: "refused", why: "no-identity" });
    return null;
  }
}

async function compare(own: Identity, identity: string, tell: Tell): Promise<void> {
  const other = fromHex(identity);
  if (other === null) return;
  tell({ type: "code", identity, code: await safetyCode(own.publicKey, other) });
}
