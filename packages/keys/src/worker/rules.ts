import { equal, toHex, utf8 } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import type {
  CiphersuiteImpl,
  KeyPackage,
  LeafNode,
  Credential as MlsCredential,
  Proposal,
  ProposalAdd,
  ProposalGroupContextExtensions,
  ProposalPSK,
  ProposalRemove,
  PSK,
  RatchetTree,
} from "ts-mls";
import { encodeLeafNode, encodeLeafNodeData } from "ts-mls/leafNode.js";
import type { Member } from "../shared/messages.ts";
import { type Credential, isValidAt, parseCredential, sameSeat } from "./credential.ts";
import { nameOf } from "./leaf-name.ts";
import { hasUniqueKeys, leafAt } from "./ratchet-tree.ts";
import { encodeRoomState, NEW_LINK, parseRoomState, ROOM_EXTENSION, type RoomState } from "./room-state.ts";

/** A leaf index is 6 bits of every frame's key id. */
const MAX_LEAVES = 64;
/** The external pre-shared key that every commit with an addition carries: the link secret. */
export const LINK_PSK = utf8("Sealcast link");

export function linkPskProposal(suite: CiphersuiteImpl): Proposal {
  const preSharedKeyId = { psktype: "external", pskId: LINK_PSK, pskNonce: random(suite.kdf.size) } as const;
  return { proposalType: "psk", psk: { preSharedKeyId } };
}

export function roomProposal(room: RoomState): Proposal {
  return { proposalType: "group_context_extensions", groupContextExtensions: { extensions: [encodeRoomState(room)] } };
}

/** Whether this one makes the link another. */
export function isNewLink(proposal: Proposal): boolean {
  return proposal.proposalType === NEW_LINK.proposalType;
}

export function isAdd(proposal: Proposal): proposal is ProposalAdd {
  return proposal.proposalType === "add";
}

function isChange(proposal: Proposal): proposal is ProposalGroupContextExtensions {
  return proposal.proposalType === "group_context_extensions";
}

function isPsk(proposal: Proposal): proposal is ProposalPSK {
  return proposal.proposalType === "psk";
}

/** The leaves that these proposals remove. */
export function removedBy(proposals: readonly Proposal[]): number[] {
  const isRemove = (proposal: Proposal): proposal is ProposalRemove => proposal.proposalType === "remove";
  return proposals.filter(isRemove).map(({ remove }) => remove.removed);
}

/** What a commit is judged by. */
export interface Situation {
  readonly suite: CiphersuiteImpl;
  /** Wall clock, seconds since 1970. */
  readonly seconds: bigint;
  /** Before the commit. */
  readonly tree: RatchetTree;
  readonly room: RoomState;
  /** The leaf that commits. */
  readonly committer: number;
}

/**
 * What a commit may propose, beyond RFC 9420's own rules: additions with the link secret and as the room's mode has it,
 * of members whose credential is valid now; removals; and, by the creator, a change of the room's state.
 */
export function isAllowed(proposals: readonly Proposal[], situation: Situation): boolean {
  const adds = proposals.filter(isAdd);
  const psks = proposals.filter(isPsk);
  const removed = removedBy(proposals);
  const changes = proposals.filter(isChange);
  const links = proposals.filter(isNewLink);
  if (adds.length + psks.length + removed.length + changes.length + links.length !== proposals.length) return false;
  if (psks.length !== (adds.length > 0 ? 1 : 0) || changes.length > 1 || links.length > 1) return false;
  if (new Set(removed).size !== removed.length) return false;
  // Whoever was removed by it must not come back with whoever joins by it.
  if (links.length > 0 && (removed.length === 0 || adds.length > 0 || !byCreator(situation))) return false;
  return (
    psks.every(({ psk }) => isLinkPsk(psk, situation.suite)) &&
    adds.every(
      ({ add: { keyPackage } }) => isAddable(keyPackage, situation.seconds) && isLetIn(keyPackage, situation),
    ) &&
    changes.every((change) => isLegitimate(change, situation))
  );
}

function isLinkPsk({ preSharedKeyId: id }: PSK, suite: CiphersuiteImpl): boolean {
  return id.psktype === "external" && equal(id.pskId, LINK_PSK) && id.pskNonce.length === suite.kdf.size;
}

/** Whether a key package is one of ours, and valid now. */
export function isAddable({ leafNode, extensions }: KeyPackage, seconds: bigint): boolean {
  const credential = claimsOf(leafNode.credential);
  return (
    extensions.length === 0 &&
    nameOf(leafNode) !== null &&
    leafNode.capabilities.extensions.includes(ROOM_EXTENSION) &&
    credential !== null &&
    isValidAt(credential, seconds)
  );
}

/** Who is in the room may come back to it in every mode, and the creator may let in anybody. */
function isLetIn({ leafNode }: KeyPackage, situation: Situation): boolean {
  if (situation.room.mode === "open" || byCreator(situation)) return true;
  const claims = claimsOf(leafNode.credential);
  return claims !== null && membersOf(situation.tree, null).some(({ identity }) => identity === toHex(claims.identity));
}

/** Only the creator changes the room, and cannot give it away. */
function isLegitimate(
  { groupContextExtensions: { extensions } }: ProposalGroupContextExtensions,
  situation: Situation,
): boolean {
  const next = parseRoomState(extensions);
  return next !== null && byCreator(situation) && equal(next.creator, situation.room.creator);
}

/** Whether the room's creator sits on the leaf that commits. */
function byCreator({ tree, committer, room }: Situation): boolean {
  return memberAt(tree, committer, null)?.identity === toHex(room.creator);
}

/** What a leaf's credential says; null: not one of ours. */
export function claimsOf(credential: MlsCredential): Credential | null {
  return credential.credentialType === "basic" ? parseCredential(credential.identity) : null;
}

/** Whether all leaves can seal frames and have a name, nobody sits there twice, and no key is there twice. */
export function isSoundRoster(tree: RatchetTree): boolean {
  const seats: Credential[] = [];
  for (const [index, node] of tree.entries()) {
    if (node?.nodeType !== "leaf") continue;
    const claims = claimsOf(node.leaf.credential);
    if (claims === null || nameOf(node.leaf) === null || index / 2 >= MAX_LEAVES) return false;
    if (seats.some((other) => sameSeat(claims, other))) return false;
    seats.push(claims);
  }
  return hasUniqueKeys(tree);
}

/**
 * Whether every leaf that a commit did not remove is the same as before: its path could have put in another. The committer's
 * own has another HPKE key, since every commit has a path, and may have another name.
 */
export function keepsOccupants(
  before: RatchetTree,
  after: RatchetTree,
  removed: readonly number[],
  committer: number,
): boolean {
  return membersOf(before, null).every(({ leaf }) => {
    const [was, is] = [leafAt(before, leaf), leafAt(after, leaf)];
    if (removed.includes(leaf) || (was === is && leaf !== committer)) return true;
    if (was === undefined || is === undefined) return false;
    if (leaf !== committer) return equal(encodeLeafNode(was), encodeLeafNode(is));
    return equal(encodeLasting(was), encodeLasting(is)) && !equal(was.hpkePublicKey, is.hpkePublicKey);
  });
}

/** What stays of a leaf for as long as its member does. */
function encodeLasting(leaf: LeafNode): Uint8Array {
  return encodeLeafNodeData({ ...leaf, hpkePublicKey: new Uint8Array() });
}

/** In the order of the leaves. */
export function membersOf(tree: RatchetTree, ownLeaf: number | null): Member[] {
  return Array.from({ length: MAX_LEAVES }, (_, leaf) => memberAt(tree, leaf, ownLeaf)).filter(
    (member) => member !== null,
  );
}

export function memberAt(tree: RatchetTree, leaf: number, ownLeaf: number | null): Member | null {
  const node = leafAt(tree, leaf);
  const member = node === undefined ? null : memberOf(node);
  return member === null ? null : { leaf, ...member, me: leaf === ownLeaf };
}

/** Whom a leaf stands for; null: its credential or its name is not one of ours. */
export function memberOf(node: LeafNode): Pick<Member, "identity" | "seat" | "occupancy" | "name"> | null {
  const [claims, name] = [claimsOf(node.credential), nameOf(node)];
  if (claims === null || name === null) return null;
  const { identity, seat } = claims;
  return { identity: toHex(identity), seat: toHex(seat), occupancy: toHex(node.signaturePublicKey), name };
}
