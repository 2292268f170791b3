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
import type { GroupMember } from "../../shared/messages.ts";
import { type Credential, isValidAt, parseCredential, sameSeat } from "../identity/credential.ts";
import { nameOf } from "../identity/leaf-name.ts";
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
 * of members whose credential is valid now; removals; and, by a host, a change of the room's state.
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
  // A member that it removes must not come back with one that joins by it.
  if (links.length > 0 && (removed.length === 0 || adds.length > 0 || !byHost(situation))) return false;
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

/** Members and the hosts of the list may come back in every mode, and a host may let in anybody. */
function isLetIn({ leafNode }: KeyPackage, situation: Situation): boolean {
  const { room, tree } = situation;
  if (room.mode === "open" || byHost(situation)) return true;
  const claims = claimsOf(leafNode.credential);
  if (claims === null) return false;
  const comes = toHex(claims.identity);
  return room.hosts.includes(comes) || membersOf(tree, null).some(({ identity }) => identity === comes);
}

/** Only hosts change the room. Who stands in for them takes none of them off the list, and can add itself alone. */
function isLegitimate(
  { groupContextExtensions: { extensions } }: ProposalGroupContextExtensions,
  situation: Situation,
): boolean {
  const next = parseRoomState(extensions);
  if (next === null || !byHost(situation)) return false;
  const { hosts } = situation.room;
  const own = committerOf(situation)?.identity ?? "";
  if (hosts.includes(own)) return true;
  return hosts.every((host) => next.hosts.includes(host)) && next.hosts.every((host) => [...hosts, own].includes(host));
}

function byHost(situation: Situation): boolean {
  const { tree, room } = situation;
  return hostsOf(membersOf(tree, null), room).includes(committerOf(situation)?.identity ?? "");
}

function committerOf({ tree, committer }: Situation): GroupMember | null {
  return memberAt(tree, committer, null);
}

/**
 * The identities (hex) that may act as host: those of the room's list that are in the group. While none is, the member on
 * the lowest leaf stands in, so that a room never stays locked. `members` in the order of their leaves.
 */
export function hostsOf(members: readonly GroupMember[], { hosts }: RoomState): readonly string[] {
  const present = hosts.filter((host) => members.some(({ identity }) => identity === host));
  return present.length > 0 ? present : members.slice(0, 1).map(({ identity }) => identity);
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
    if (claims === null || memberOf(node.leaf) === null || index / 2 >= MAX_LEAVES) return false;
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
export function membersOf(tree: RatchetTree, ownLeaf: number | null): GroupMember[] {
  return Array.from({ length: MAX_LEAVES }, (_, leaf) => memberAt(tree, leaf, ownLeaf)).filter(
    (member) => member !== null,
  );
}

export function memberAt(tree: RatchetTree, leaf: number, ownLeaf: number | null): GroupMember | null {
  const node = leafAt(tree, leaf);
  const member = node === undefined ? null : memberOf(node);
  return member === null ? null : { leaf, ...member, me: leaf === ownLeaf };
}

type Seated = Pick<GroupMember, "identity" | "seat" | "leafKeyId" | "name">;

/** Leaves stay the same objects from epoch to epoch, and each commit has all of them read several times. */
const READ = new WeakMap<LeafNode, Seated | null>();

/** Whom a leaf stands for; null: its credential or its name is not one of ours. */
export function memberOf(node: LeafNode): Seated | null {
  const read = READ.get(node);
  if (read !== undefined) return read;
  const member = readMember(node);
  READ.set(node, member);
  return member;
}

function readMember(node: LeafNode): Seated | null {
  const [claims, name] = [claimsOf(node.credential), nameOf(node)];
  if (claims === null || name === null) return null;
  const { identity, seat } = claims;
  return { identity: toHex(identity), seat: toHex(seat), leafKeyId: toHex(node.signaturePublicKey), name };
}
