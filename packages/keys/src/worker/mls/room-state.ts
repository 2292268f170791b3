import { Cursor, concat, fromHex, toHex } from "@sealcast/bytes";
import type { Extension, Proposal } from "ts-mls";
import type { RoomMode } from "../../shared/messages.ts";

/** The GroupContext extension that holds the room's state; private use (RFC 9420 section 17.3). */
export const ROOM_EXTENSION = 0xf0a1;

const VERSION = 2;
const HEAD_SIZE = 3;
const IDENTITY_SIZE = 32;
const MAX_HOSTS = 16;
const MODES: readonly RoomMode[] = ["open", "waiting", "locked"];

/** The proposal by which a host replaces the link, together with removals; private use. */
export const NEW_LINK: Proposal = { proposalType: 0xf0a2, proposalData: new Uint8Array() };

/** What a group has agreed on beside its roster. Only hosts change it (rules.ts). */
export interface RoomState {
  readonly mode: RoomMode;
  /** Identities, hex: see areHosts. */
  readonly hosts: readonly string[];
}

/** Whether a room can have these hosts: 1 to 16 identities in hex, none twice. */
export function areHosts(identities: readonly string[]): boolean {
  const isDistinct = new Set(identities).size === identities.length;
  const areIdentities = identities.every((identity) => fromHex(identity)?.length === IDENTITY_SIZE);
  return identities.length > 0 && identities.length <= MAX_HOSTS && isDistinct && areIdentities;
}

/** `version (1) | mode (1) | number of hosts (1) | their identities (32 each)`. Throws unless areHosts. */
export function encodeRoomState({ mode, hosts }: RoomState): Extension {
  if (!areHosts(hosts)) throw new Error("a room cannot have these hosts");
  const identities = hosts.map((identity) => fromHex(identity) ?? new Uint8Array());
  const head = Uint8Array.of(VERSION, MODES.indexOf(mode), hosts.length);
  return { extensionType: ROOM_EXTENSION, extensionData: concat(head, ...identities) };
}

/** Null: there is not exactly this one extension, or it is malformed. */
export function parseRoomState(extensions: readonly Extension[]): RoomState | null {
  const [only] = extensions;
  if (extensions.length !== 1 || only?.extensionType !== ROOM_EXTENSION) return null;
  const { extensionData } = only;
  const [version, code, count] = extensionData;
  const mode = MODES[code ?? MODES.length];
  if (version !== VERSION || mode === undefined || count === undefined) return null;
  if (extensionData.length !== HEAD_SIZE + count * IDENTITY_SIZE) return null;
  const cursor = new Cursor(extensionData.subarray(HEAD_SIZE));
  const hosts = Array.from({ length: count }, () => toHex(cursor.bytes(IDENTITY_SIZE)));
  return areHosts(hosts) ? { mode, hosts } : null;
}
