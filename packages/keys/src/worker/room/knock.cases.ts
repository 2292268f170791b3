import { encodeKeyPackage } from "ts-mls/keyPackage.js";
import type { Group } from "../mls/group.ts";
import { type Applicant, type Membership, makeKeyPackage, readApplication } from "../mls/key-package.ts";
import { offerKnockKey } from "../mls/knock-key.ts";
import type { OwnKeyPackage } from "../mls/welcome.ts";
import { openKnock, sealKnock, unwrapKnock } from "./knock.ts";
import type { FromRoom, ToRoom } from "./wire.ts";

type Epoch = Pick<Group, "place" | "externalSecret">;

/** What the server gives a newcomer who can knock at this epoch with one of these links. */
export async function knockKeysOf(
  { place, externalSecret }: Epoch,
  { room, suite }: Membership,
  ...links: Uint8Array[]
): Promise<Extract<FromRoom, { type: "knock-keys" }>> {
  const at = place.node;
  return { type: "knock-keys", tips: [{ at, ...(await offerKnockKey(externalSecret, { room, at }, links, suite)) }] };
}

/** A knock at this epoch by who has this membership, with a key package of its own or this one. */
export async function knockAt(
  epoch: Epoch | { readonly at: string; readonly key: string },
  membership: Membership,
  { from = "S", own }: { from?: string; own?: OwnKeyPackage } = {},
): Promise<Extract<FromRoom, { type: "knocked" }>> {
  const { room, suite, linkSecret, seconds } = membership;
  const { publicPackage } = own ?? (await makeKeyPackage(membership));
  const tips = "place" in epoch ? (await knockKeysOf(epoch, membership)).tips : [epoch];
  const [{ at, key }] = tips as [{ at: string; key: string }];
  const context = { room, at, link: linkSecret.reveal(), suite, seconds: seconds() };
  const body = await sealKnock(context, key, encodeKeyPackage(publicPackage));
  if (body === null) throw new Error("no key to knock at");
  return { type: "knocked", from, at, body };
}

/** Who knocks, as a member of this epoch reads it. */
export async function readKnock(
  { place, externalSecret }: Epoch,
  membership: Membership,
  { at, body }: Pick<Extract<ToRoom, { type: "knock" }>, "at" | "body">,
): Promise<Applicant | null> {
  const { room, suite, linkSecret, seconds } = membership;
  const sealed = await unwrapKnock({ room, link: linkSecret.reveal(), seconds: seconds() }, body);
  const application = at === place.node && sealed ? await openKnock({ room, at, suite }, externalSecret, sealed) : null;
  return application && readApplication(membership, application);
}
