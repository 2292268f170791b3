import { toHex, utf8 } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import type { Credential, KeyPackage, LeafNode, Proposal, RatchetTree } from "ts-mls";
import { describe, expect, test } from "vitest";
import type { RoomMode } from "../../shared/messages.ts";
import { encodeName, NAME_EXTENSION } from "../identity/leaf-name.ts";
import { newMembership } from "../room/room.cases.ts";
import { type Membership, makeKeyPackage } from "./key-package.ts";
import { encodeRoomState, NEW_LINK, ROOM_EXTENSION } from "./room-state.ts";
import {
  hostsOf,
  isAddable,
  isAllowed,
  isNewLink,
  isSoundRoster,
  keepsOccupants,
  LINK_PSK,
  linkPskProposal,
  memberAt,
  memberOf,
  membersOf,
  removedBy,
  roomProposal,
  type Situation,
} from "./rules.ts";
import { mlsSuite } from "./suite.ts";

const suite = await mlsSuite();
const seconds = BigInt(Math.floor(Date.now() / 1000));
const DAY = 24n * 60n * 60n;

async function packageOf(differs: Partial<Membership> = {}): Promise<KeyPackage> {
  return (await makeKeyPackage(await newMembership(random(32), { seconds: () => seconds, ...differs }))).publicPackage;
}

const [founder, other, stranger, third] = await Promise.all([packageOf(), packageOf(), packageOf(), packageOf()]);

/** A tree without parents: leaf k has place k. */
function treeOf(...leaves: (LeafNode | null)[]): RatchetTree {
  return leaves.flatMap((leaf, k) => [
    ...(k === 0 ? [] : [undefined]),
    leaf === null ? undefined : ({ nodeType: "leaf", leaf } as const),
  ]);
}

/** Hex. */
function identityOf({ leafNode }: KeyPackage): string {
  return memberOf(leafNode)?.identity ?? "";
}

function withCredential(leaf: LeafNode, identity: Uint8Array): LeafNode {
  return { ...leaf, credential: { credentialType: "basic", identity } };
}

/** The founder, a host, on leaf 0 and another on leaf 1. */
function situation(mode: RoomMode, committer: number, hosts = [identityOf(founder)]): Situation {
  const tree = treeOf(founder.leafNode, other.leafNode);
  return { suite, seconds, tree, room: { hosts, mode }, committer };
}

const adding = (keyPackage: KeyPackage): Proposal => ({ proposalType: "add", add: { keyPackage } });
const removing = (removed: number): Proposal => ({ proposalType: "remove", remove: { removed } });
const psk = (): Proposal => linkPskProposal(suite);

describe("a commit", () => {
  test("of nothing, of removals, of an addition with the link", () => {
    expect(isAllowed([], situation("open", 1))).toBe(true);
    expect(isAllowed([removing(0), removing(1)], situation("open", 1))).toBe(true);
    expect(isAllowed([adding(stranger), psk()], situation("open", 1))).toBe(true);
    expect(isAllowed([removing(0), adding(stranger), adding(founder), psk()], situation("open", 1))).toBe(true);
  });

  test("needs the link exactly once with any addition, and not without one", () => {
    expect(isAllowed([adding(stranger)], situation("open", 1))).toBe(false);
    expect(isAllowed([adding(stranger), psk(), psk()], situation("open", 1))).toBe(false);
    expect(isAllowed([psk()], situation("open", 1))).toBe(false);
  });

  test("takes no pre-shared key but the link, with a nonce as long as RFC 9420 has it", () => {
    const ours = { psktype: "external", pskId: LINK_PSK, pskNonce: random(64) } as const;
    const allows = (preSharedKeyId: typeof ours): boolean =>
      isAllowed([adding(stranger), { proposalType: "psk", psk: { preSharedKeyId } }], situation("open", 1));
    expect(allows(ours)).toBe(true);
    expect(allows({ ...ours, pskId: utf8("Sealcast lint") })).toBe(false);
    expect(allows({ ...ours, pskNonce: random(63) })).toBe(false);
    expect(allows({ ...ours, pskNonce: random(65) })).toBe(false);
    const resumption = { psktype: "resumption", usage: "application", pskGroupId: LINK_PSK, pskEpoch: 0n } as const;
    const preSharedKeyId = { ...ours, ...resumption };
    const proposals: Proposal[] = [adding(stranger), { proposalType: "psk", psk: { preSharedKeyId } }];
    expect(isAllowed(proposals, situation("open", 1))).toBe(false);
  });

  test("takes no kind of proposal that is not named, even beside one that is", () => {
    const update: Proposal = {
      proposalType: "external_init",
      externalInit: { kemOutput: random(32) },
    };
    expect(isAllowed([update], situation("open", 0))).toBe(false);
    expect(isAllowed([removing(1), update], situation("open", 0))).toBe(false);
  });

  test("judges every addition, not only the first", async () => {
    const old = await packageOf({ seconds: () => seconds - 2n * DAY });
    expect(isAllowed([adding(stranger), adding(old), psk()], situation("open", 1))).toBe(false);
    expect(isAllowed([adding(old), adding(stranger), psk()], situation("open", 1))).toBe(false);
    expect(isAllowed([adding(other), adding(stranger), psk()], situation("locked", 1))).toBe(false);
  });

  test("lets in a stranger in an open room, in a waiting or locked room by a host alone", () => {
    const lets = (mode: RoomMode, committer: number, who: KeyPackage): boolean =>
      isAllowed([adding(who), psk()], situation(mode, committer));
    expect([lets("open", 0, stranger), lets("open", 1, stranger)]).toEqual([true, true]);
    expect([lets("waiting", 0, stranger), lets("waiting", 1, stranger)]).toEqual([true, false]);
    expect([lets("locked", 0, stranger), lets("locked", 1, stranger)]).toEqual([true, false]);
    expect([lets("waiting", 1, founder), lets("locked", 1, other)]).toEqual([true, true]);
  });

  test("lets back in a host of the list, in every mode and by anybody", () => {
    const lets = (who: KeyPackage): boolean =>
      isAllowed([adding(who), psk()], situation("locked", 1, [identityOf(founder), identityOf(stranger)]));
    expect([lets(stranger), lets(third)]).toEqual([true, false]);
  });

  test("changes the room only by a host, one change at a time, which may hand on, share and give up", () => {
    const [mine, theirs] = [identityOf(founder), identityOf(other)];
    const locked = roomProposal({ hosts: [mine], mode: "locked" });
    expect(isAllowed([locked], situation("open", 0))).toBe(true);
    expect(isAllowed([locked], situation("open", 1))).toBe(false);
    expect(isAllowed([locked, locked], situation("open", 0))).toBe(false);
    for (const hosts of [[theirs], [mine, theirs], [toHex(random(32))]]) {
      expect(isAllowed([roomProposal({ hosts, mode: "open" })], situation("open", 0))).toBe(true);
      expect(isAllowed([roomProposal({ hosts, mode: "open" })], situation("open", 1))).toBe(false);
    }
    expect(isAllowed([locked], situation("open", 1, [theirs, mine]))).toBe(true);
    const malformed: Proposal = {
      proposalType: "group_context_extensions",
      groupContextExtensions: { extensions: [] },
    };
    expect(isAllowed([malformed], situation("open", 0))).toBe(false);
  });

  test("while no host is here, is the lowest leaf's as a host's is, but takes no host off the list", () => {
    const [away, mine, theirs] = [identityOf(stranger), identityOf(founder), identityOf(other)];
    const may = (hosts: string[], committer = 0): boolean =>
      isAllowed([roomProposal({ hosts, mode: "locked" })], situation("waiting", committer, [away]));
    expect([may([away]), may([away, mine]), may([mine, away])]).toEqual([true, true, true]);
    expect([may([mine]), may([away, theirs]), may([away, mine, theirs])]).toEqual([false, false, false]);
    expect([may([away], 1), may([away, theirs], 1)]).toEqual([false, false]);
    expect(isAllowed([removing(1), NEW_LINK], situation("waiting", 0, [away]))).toBe(true);
    expect(isAllowed([removing(0), NEW_LINK], situation("waiting", 1, [away]))).toBe(false);
    expect(isAllowed([adding(third), psk()], situation("waiting", 0, [away]))).toBe(true);
    expect(isAllowed([adding(third), psk()], situation("waiting", 1, [away]))).toBe(false);
  });

  test("knows who may act as host: those of the list who are here, else the lowest leaf", () => {
    const [away, mine, theirs] = [identityOf(stranger), identityOf(founder), identityOf(other)];
    const members = membersOf(treeOf(null, other.leafNode, founder.leafNode), null);
    const acting = (hosts: string[]) => hostsOf(members, { hosts, mode: "open" });
    expect(acting([mine])).toEqual([mine]);
    expect(acting([away, mine, theirs])).toEqual([mine, theirs]);
    expect(acting([away])).toEqual([theirs]);
    expect(hostsOf([], { hosts: [away], mode: "open" })).toEqual([]);
  });

  test("replaces the link only by a host, once, with a removal and without a newcomer", () => {
    expect(isAllowed([removing(1), NEW_LINK], situation("open", 0))).toBe(true);
    expect(isAllowed([removing(1), NEW_LINK], situation("open", 1))).toBe(false);
    expect(isAllowed([NEW_LINK], situation("open", 0))).toBe(false);
    expect(isAllowed([removing(1), NEW_LINK, NEW_LINK], situation("open", 0))).toBe(false);
    expect(isAllowed([removing(1), NEW_LINK, adding(stranger), psk()], situation("open", 0))).toBe(false);
  });

  test("removes a leaf once", () => {
    expect(isAllowed([removing(1), removing(1)], situation("open", 0))).toBe(false);
    expect(removedBy([removing(1), NEW_LINK, psk(), removing(4)])).toEqual([1, 4]);
    expect([NEW_LINK, removing(1)].map(isNewLink)).toEqual([true, false]);
  });
});

describe("a key package", () => {
  test("may be added while its credential is valid", () => {
    for (const [at, may] of [
      [seconds - DAY - 1n, false],
      [seconds - DAY, true],
      [seconds + DAY, true],
      [seconds + DAY + 1n, false],
    ] as const)
      expect(isAddable(stranger, at)).toBe(may);
  });

  test("may be added with a name and without other extensions, and if it knows of the room's and of names", () => {
    const extension = encodeRoomState({ mode: "open", hosts: [toHex(random(32))] });
    const { leafNode } = stranger;
    expect(isAddable({ ...stranger, extensions: [extension] }, seconds)).toBe(false);
    const extended = { ...leafNode, extensions: [extension] };
    expect(isAddable({ ...stranger, leafNode: extended }, seconds)).toBe(false);
    expect(isAddable({ ...stranger, extensions: [extension], leafNode: extended }, seconds)).toBe(false);
    expect(isAddable({ ...stranger, leafNode: { ...leafNode, extensions: [] } }, seconds)).toBe(false);
    for (const extensions of [[], [NAME_EXTENSION], [ROOM_EXTENSION]]) {
      const capabilities = { ...leafNode.capabilities, extensions };
      expect(isAddable({ ...stranger, leafNode: { ...leafNode, capabilities } }, seconds)).toBe(false);
    }
  });

  test("may be added with a credential of ours only", () => {
    const certificates: Credential = { credentialType: "x509", certificates: [random(5)] };
    for (const credential of [certificates, { credentialType: "basic", identity: random(5) } as const]) {
      const leafNode = { ...stranger.leafNode, credential };
      expect(isAddable({ ...stranger, leafNode }, seconds)).toBe(false);
      expect(memberOf(leafNode)).toBeNull();
    }
  });
});

describe("a roster", () => {
  test("is sound when everybody sits once, with a credential of ours", async () => {
    expect(isSoundRoster(treeOf(founder.leafNode, null, other.leafNode))).toBe(true);
    expect(isSoundRoster(treeOf(founder.leafNode, other.leafNode, founder.leafNode))).toBe(false);
    expect(isSoundRoster(treeOf(founder.leafNode, withCredential(other.leafNode, random(5))))).toBe(false);
    expect(isSoundRoster(treeOf(founder.leafNode, { ...other.leafNode, extensions: [] }))).toBe(false);
    // Another tab of the same browser.
    const membership = await newMembership(random(32));
    const [one, two] = [await packageOf({ identity: membership.identity }), await packageOf(membership)];
    const again = await packageOf({ identity: membership.identity, seat: membership.seat });
    expect(isSoundRoster(treeOf(one.leafNode, two.leafNode))).toBe(true);
    expect(isSoundRoster(treeOf(one.leafNode, two.leafNode, again.leafNode))).toBe(false);
  });

  test("is not sound with a key twice, whether of leaves or of parents", () => {
    const parent = { hpkePublicKey: random(1216), parentHash: new Uint8Array(), unmergedLeaves: [] };
    const { hpkePublicKey, signaturePublicKey } = founder.leafNode;
    const withParents = (leaf: LeafNode, ...keys: Uint8Array[]): RatchetTree => {
      const tree = treeOf(founder.leafNode, leaf, stranger.leafNode);
      for (const [i, key] of keys.entries())
        tree[2 * i + 1] = { nodeType: "parent", parent: { ...parent, hpkePublicKey: key } };
      return tree;
    };
    const [one, two] = [random(1216), random(1216)];
    expect(isSoundRoster(withParents(other.leafNode, one, two))).toBe(true);
    expect(isSoundRoster(withParents(other.leafNode, one, one))).toBe(false);
    expect(isSoundRoster(withParents(other.leafNode, one, hpkePublicKey))).toBe(false);
    expect(isSoundRoster(withParents({ ...other.leafNode, hpkePublicKey }, one, two))).toBe(false);
    expect(isSoundRoster(withParents({ ...other.leafNode, signaturePublicKey }, one, two))).toBe(false);
  });

  test("is sound up to leaf 63", () => {
    const none = Array.from({ length: 63 }, () => null);
    expect(isSoundRoster(treeOf(...none, other.leafNode))).toBe(true);
    expect(isSoundRoster(treeOf(...none, null, other.leafNode))).toBe(false);
  });

  test("skips parents", () => {
    const parent = { hpkePublicKey: random(1216), parentHash: new Uint8Array(), unmergedLeaves: [] };
    const tree = treeOf(founder.leafNode, other.leafNode);
    tree[1] = { nodeType: "parent", parent };
    expect(isSoundRoster(tree)).toBe(true);
    expect(membersOf(tree, 1).map(({ leaf, me }) => [leaf, me])).toEqual([
      [0, false],
      [1, true],
    ]);
  });

  test("says who sits where", () => {
    const tree = treeOf(founder.leafNode, null, other.leafNode);
    expect(memberAt(tree, 2, null)).toEqual({
      leaf: 2,
      identity: identityOf(other),
      seat: memberOf(other.leafNode)?.seat,
      leafKeyId: toHex(other.leafNode.signaturePublicKey),
      name: "Ada",
      me: false,
    });
    expect([memberAt(tree, 1, null), memberAt(tree, 3, null)]).toEqual([null, null]);
  });
});

describe("a member who stays", () => {
  const before = treeOf(founder.leafNode, other.leafNode);
  /** Of the leaves in question. */
  const NOBODY = 63;

  /** `leaf` for the other, in a commit that has a path if it is the founder's. */
  const kept = (leaf: LeafNode, committer: number): boolean => {
    const own = committer === 0 ? { ...founder.leafNode, hpkePublicKey: random(1216) } : founder.leafNode;
    return keepsOccupants(before, treeOf(own, leaf), [], committer);
  };

  test("keeps its leaf, and the committer all but its HPKE key and its name", () => {
    const { leafNode } = other;
    const update = {
      ...leafNode,
      hpkePublicKey: random(1216),
      leafNodeSource: "commit",
      parentHash: random(64),
    } as const;
    for (const leaf of [
      { ...update, signature: random(64) },
      { ...update, extensions: [encodeName("Bo")] },
    ])
      expect([kept(leaf, 1), kept(leaf, 0)]).toEqual([true, false]);
    const certificates: Credential = { credentialType: "x509", certificates: [] };
    for (const leaf of [
      { ...update, signaturePublicKey: random(32) },
      { ...update, credential: stranger.leafNode.credential },
      { ...update, credential: certificates },
      { ...update, capabilities: { ...leafNode.capabilities, extensions: [] } },
    ])
      expect([kept(leaf, 1), kept(leaf, 0)]).toEqual([false, false]);
    expect([kept({ ...leafNode }, 0), kept({ ...leafNode }, 1), kept(leafNode, 1)]).toEqual([true, false, false]);
  });

  test("has gone only if removed, and then anybody may sit there", () => {
    expect(keepsOccupants(before, treeOf(founder.leafNode, null), [], NOBODY)).toBe(false);
    expect(keepsOccupants(before, treeOf(founder.leafNode, null), [1], NOBODY)).toBe(true);
    expect(keepsOccupants(before, treeOf(founder.leafNode, stranger.leafNode), [1], NOBODY)).toBe(true);
    expect(keepsOccupants(before, treeOf(stranger.leafNode, stranger.leafNode), [1], NOBODY)).toBe(false);
    expect(keepsOccupants(treeOf(null, other.leafNode), treeOf(founder.leafNode, other.leafNode), [], NOBODY)).toBe(
      true,
    );
  });
});
