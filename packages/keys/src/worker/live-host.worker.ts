import { systemClock } from "@sealcast/time";
import { hostFingerprint } from "../shared/live-link.ts";
import type { FromHostKeys, ToHostKeys } from "../shared/live-messages.ts";
import { type Identity, indexedDbIdentityStore, openIdentity } from "./identity/identity.ts";
import { LiveAdmission } from "./live/admission.ts";
import { LiveHost } from "./live/host.ts";
import { LiveStream } from "./live/stream.ts";

type Host = Extract<ToHostKeys, { type: "host" }>;
type Tell = (message: FromHostKeys) => void;

serve(self as DedicatedWorkerGlobalScope);

/** Answers the page: the host of one stream for the life of the worker. */
function serve(page: DedicatedWorkerGlobalScope): void {
  const tell: Tell = (message) => page.postMessage(message);
  const begun = Promise.withResolvers<Host>();
  const started = begun.promise.then((begin) => openHost(begin, tell));
  page.onmessage = ({ data }: MessageEvent<ToHostKeys>) => {
    if (data.type === "host") begun.resolve(data);
    else void started.then((host) => host?.receive(data));
  };
}

/** Null, and the page was told, when this browser cannot host. */
async function openHost({ kept, server }: Host, tell: Tell): Promise<LiveHost | null> {
  const identity = await openIdentity(indexedDbIdentityStore()).catch(() => null);
  if (identity === null) {
    tell({ type: "refused", why: "no-identity" });
    return null;
  }
  const admission = await admissionOf(identity, kept);
  if (admission === null) {
    tell({ type: "refused", why: "not-host" });
    return null;
  }
  const seconds = (): bigint => BigInt(Math.floor(Date.now() / 1000));
  const stream = await LiveStream.begin();
  return LiveHost.start({ identity, admission, stream, server, clock: systemClock, seconds, tell });
}

async function admissionOf({ publicKey }: Identity, kept: Uint8Array | null): Promise<LiveAdmission | null> {
  const host = await hostFingerprint(publicKey);
  return kept === null ? LiveAdmission.create(host) : LiveAdmission.parse(host, kept);
}
