import { Secret } from "@sealcast/crypto";
import { systemClock } from "@sealcast/time";
import type { FromKeys, ToKeys } from "../shared/messages.ts";
import { indexedDbIdentityStore, openIdentity } from "./identity.ts";
import { Member } from "./member.ts";
import { mlsSuite } from "./suite.ts";

type Start = Extract<ToKeys, { type: "start" }>;

serve(self as DedicatedWorkerGlobalScope);

/** Answers the page: one member of one room for the life of the worker. */
function serve(page: DedicatedWorkerGlobalScope): void {
  const tell = (message: FromKeys): void => page.postMessage(message);
  const started = Promise.withResolvers<Start>();
  const member = started.promise.then((start) => openMember(start, tell));
  page.onmessage = ({ data }: MessageEvent<ToKeys>) => {
    if (data.type === "start") started.resolve(data);
    else void member.then((open) => open?.receive(data));
  };
}

/** Null, and the page was told, when this browser cannot keep an identity. */
async function openMember(
  { secret, room, layers, seat }: Start,
  tell: (message: FromKeys) => void,
): Promise<Member | null> {
  const linkSecret = new Secret(secret);
  try {
    const identity = await openIdentity(indexedDbIdentityStore());
    const seconds = (): bigint => BigInt(Math.floor(Date.now() / 1000));
    return new Member(
      { suite: await mlsSuite(), identity, room, layers, seat, linkSecret, seconds },
      systemClock,
      tell,
    );
  } catch {
    linkSecret.erase();
    tell({ type: "refused", why: "no-identity" });
    return null;
  }
}
