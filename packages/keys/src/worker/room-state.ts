import { Cursor, concat } from "@sealcast/bytes";
import type { Extension, Proposal } from "ts-mls";
import type { RoomMode } from "../shared/messages.ts";

/** The GroupContext extension that holds the room's state; private use (RFC 9420 section 17.3). */
export const ROOM_EXTENSION = 0xf0a1;

const VERSION = 1;
const SIZE = 1 + 32 + 1;
const MODES: readonly RoomMode[] = ["open", "waiting", "locked"];

/**
 * The proposal by which the creator replaces the link, together with removals; private use.
 */
export const NEW_LINK: Proposal = { proposalType: 0xf0a2, proposalData: new Uint8Array() };

/** What a group has agreed on beside its roster. Only the creator changes it. */
export interface RoomState {
  /** Identity key of who founded the group. */
  readonly creator: Uint8Array;
  readonly mode: RoomMode;
}

/** `version (1) | creator (32) | mode (1)` */
export function encodeRoomState({ creator, mode }: RoomState): Extension {
  const extensionData = concat(Uint8Array.of(VERSION), creator, Uint8Array.of(MODES.indexOf(mode)));
  return { extensionType: ROOM_EXTENSION, extensionData };
}

/** Null: there is not exactly this one extension, or it is malformed. */
export function parseRoomState(extensions: readonly Extension[]): RoomState | null {
  const [only] = extensions;
  if (extensions.length !== 1 || only?.extensionType !== ROOM_EXTENSION) return null;
  if (only.extensionData.length !== SIZE) return null;
  const cursor = new Cursor(only.extensionData);
  if (cursor.u8() !== VERSION) return null;
  const creator = cursor.bytes(32);
  const mode = MODES[cursor.u8()];
  return mode === undefined ? null : { creator, mode };
}
