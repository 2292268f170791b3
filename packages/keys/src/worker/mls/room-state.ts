import { constant, fromHex, hex, type Infer, list, oneOf, struct, uint8 } from "@sealcast/bytes";
import type { Extension, Proposal } from "ts-mls";
import { IDENTITY_SIZE, MAX_HOSTS } from "../../shared/messages.ts";

/** The GroupContext extension that holds the room's state; private use (RFC 9420 section 17.3). */
export const ROOM_EXTENSION = 0xf0a1;

const roomState = struct({
  version: constant(2),
  mode: oneOf({ open: 0, waiting: 1, locked: 2 }),
  /** Identities: see areHosts. */
  hosts: list(uint8, hex(IDENTITY_SIZE)),
});

/** What a group has agreed on beside its roster. Only hosts change it (rules.ts). */
export type RoomState = Infer<typeof roomState>;

/** The proposal by which a host replaces the link, together with removals; private use. */
export const NEW_LINK: Proposal = { proposalType: 0xf0a2, proposalData: new Uint8Array() };

/** Whether a room can have these hosts: 1 to 16 identities in hex, none twice. */
export function areHosts(identities: readonly string[]): boolean {
  const isDistinct = new Set(identities).size === identities.length;
  const areIdentities = identities.every((identity) => fromHex(identity)?.length === IDENTITY_SIZE);
  return identities.length > 0 && identities.length <= MAX_HOSTS && isDistinct && areIdentities;
}

/** Throws unless areHosts. */
export function encodeRoomState(state: RoomState): Extension {
  if (!areHosts(state.hosts)) throw new Error("a room cannot have these hosts");
  return { extensionType: ROOM_EXTENSION, extensionData: roomState.encode(state) };
}

/** Null: there is not exactly this one extension, or it is malformed. */
export function parseRoomState(extensions: readonly Extension[]): RoomState | null {
  const [only] = extensions;
  if (extensions.length !== 1 || only?.extensionType !== ROOM_EXTENSION) return null;
  const state = roomState.parse(only.extensionData);
  return state !== null && areHosts(state.hosts) ? state : null;
}
