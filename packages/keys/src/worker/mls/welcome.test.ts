import { toHex, utf8 } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import type {
  ClientConfig,
  ClientState,
  GroupInfo,
  KeyPackage,
  Node,
  PreSharedKeyID,
  PskIndex,
  RatchetTree,
  Welcome,
} from "ts-mls";
import { createGroup } from "ts-mls/clientState.js";
import { createCommit } from "ts-mls/createCommit.js";
import { extractWelcomeSecret, ratchetTreeFromExtension, signGroupInfo } from "ts-mls/groupInfo.js";
import type { GroupSecrets } from "ts-mls/groupSecrets.js";
import { makeKeyPackageRef } from "ts-mls/keyPackage.js";
import { deriveKeySchedule } from "ts-mls/keySchedule.js";
import { accumulatePskSecret } from "ts-mls/pskIndex.js";
import { encodeRatchetTree } from "ts-mls/ratchetTree.js";
import { treeHashRoot } from "ts-mls/treeHash.js";
import { decryptGroupInfo, decryptGroupSecrets, encryptGroupInfo, encryptGroupSecrets } from "ts-mls/welcome.js";
import { describe, expect, test } from "vitest";
import { newMembership } from "../room/room.cases.ts";
import { makeKeyPackage } from "./key-package.ts";
import { leafAt } from "./ratchet-tree.ts";
import { encodeRoomState } from "./room-state.ts";
import { LINK_PSK, linkPskProposal } from "./rules.ts";
import { mlsSuite } from "./suite.ts";
import { joinWithWelcome, type OwnKeyPackage } from "./welcome.ts";

const suite = await mlsSuite();
const secret = random(32);
const psks: PskIndex = { findPsk: () => secret };
const NO_PSKS: PskIndex = { findPsk: () => undefined };
const config: ClientConfig = {
  keyRetentionConfig: { retainKeysForGenerations: 10, retainKeysForEpochs: 4, maximumForwardRatchetSteps: 200 },
  lifetimeConfig: { maximumTotalLifetime: 0n, validateLifetimeOnReceive: false },
  keyPackageEqualityConfig: { compareKeyPackages: () => false, compareKeyPackageToLeafNode: () => false },
  paddingConfig: { kind: "padUntilLength", padUntilLength: 0 },
  authService: { validateCredential: async () => true },
};
const rules = { psks, requiredPsk: LINK_PSK, config };

const someone = async (): Promise<OwnKeyPackage> => makeKeyPackage(await newMembership(secret));

async function adding(state: ClientState, ...own: OwnKeyPackage[]) {
  const extraProposals = [
    ...own.map(({ publicPackage }) => ({ proposalType: "add", add: { keyPackage: publicPackage } }) as const),
    linkPskProposal(suite),
  ];
  const context = { state, cipherSuite: suite, pskIndex: psks };
  const { newState, welcome } = await createCommit(context, { extraProposals, ratchetTreeExtension: true });
  if (welcome === undefined) throw new Error("no welcome");
  return { newState, welcome };
}

/**
 * Five members, of whom the fourth was removed and replaced by the newcomer. The first has renewed its path in between, so
 * that two parents one above the other list the newcomer as unmerged.
 */
async function room() {
  const founder = await someone();
  const state = encodeRoomState({ mode: "open", hosts: [toHex(random(32))] });
  const { publicPackage, privatePackage } = founder;
  const alone = await createGroup(random(16), publicPackage, privatePackage, [state], suite, config);
  const [own, ...others] = await Promise.all([someone(), someone(), someone(), someone(), someone()]);
  const five = await adding(alone, ...others);
  const context = { state: five.newState, cipherSuite: suite, pskIndex: psks };
  const extraProposals = [{ proposalType: "remove", remove: { removed: 3 } } as const];
  const four = await createCommit(context, { extraProposals });
  const { newState, welcome } = await adding(four.newState, own);
  return { own, inviter: newState, welcome };
}

const { own, inviter, welcome } = await room();
const reference = await makeKeyPackageRef(own.publicPackage, suite.hash);
const initKey = await suite.hpke.importPrivateKey(own.privatePackage.initPrivateKey);
const secrets = must(await decryptGroupSecrets(initKey, reference, welcome, suite.hpke));
const noPsk = new Uint8Array(suite.kdf.size);
const [linkSecret] = await accumulatePskSecret(secrets.psks, psks, suite, noPsk);
const info = must(await decryptGroupInfo(welcome, secrets.joinerSecret, linkSecret, suite));
const tree = must(ratchetTreeFromExtension(info));

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("missing");
  return value;
}

interface Forgery {
  info?: Partial<GroupInfo>;
  context?: Partial<GroupInfo["groupContext"]>;
  /** Changes a copy of the tree, whose hash is computed again. */
  tree?: (tree: RatchetTree) => void;
  secrets?: Partial<GroupSecrets>;
  /** Whom it is for. */
  to?: KeyPackage;
  tag?: Uint8Array;
  signature?: Uint8Array;
}

/** The Welcome as an inviter would make it that changes this, and gets all the rest right. */
async function forge(forgery: Forgery): Promise<Welcome> {
  const changedTree = tree.slice();
  forgery.tree?.(changedTree);
  const groupSecrets = { ...secrets, ...forgery.secrets };
  const [pskSecret] = await accumulatePskSecret(groupSecrets.psks, psks, suite, noPsk);
  const treeHash = forgery.context?.treeHash ?? (await treeHashRoot(changedTree, suite.hash));
  const groupContext = { ...info.groupContext, ...forgery.context, treeHash };
  const [{ confirmationKey }] = await deriveKeySchedule(groupSecrets.joinerSecret, pskSecret, groupContext, suite.kdf);
  const changed = {
    ...info,
    groupContext,
    extensions: [{ extensionType: "ratchet_tree", extensionData: encodeRatchetTree(changedTree) } as const],
    confirmationTag: forgery.tag ?? (await suite.hash.mac(confirmationKey, groupContext.confirmedTranscriptHash)),
    ...forgery.info,
  };
  const signed = await signGroupInfo(changed, inviter.signaturePrivateKey, suite.signature);
  const signature = forgery.signature ?? signed.signature;
  const welcomeSecret = await extractWelcomeSecret(groupSecrets.joinerSecret, pskSecret, suite.kdf);
  const encryptedGroupInfo = await encryptGroupInfo({ ...signed, signature }, welcomeSecret, suite);
  const to = forgery.to ?? own.publicPackage;
  const publicKey = await suite.hpke.importPublicKey(to.initKey);
  const sealed = await encryptGroupSecrets(publicKey, encryptedGroupInfo, groupSecrets, suite.hpke);
  return {
    cipherSuite: welcome.cipherSuite,
    secrets: [
      {
        newMember: await makeKeyPackageRef(to, suite.hash),
        encryptedGroupSecrets: { kemOutput: sealed.enc, ciphertext: sealed.ct },
      },
    ],
    encryptedGroupInfo,
  };
}

const join = (forged: Welcome, as = own, differs: Partial<typeof rules> = {}) =>
  joinWithWelcome(forged, as, { ...rules, ...differs }, suite);

async function refusal(forgery: Forgery): Promise<string> {
  const forged = await forge(forgery);
  return join(forged).then(
    () => "joined",
    (error: Error) => error.message.replace("welcome refused: ", ""),
  );
}

function parentAt(nodes: RatchetTree, index: number): Extract<Node, { nodeType: "parent" }>["parent"] {
  const node = nodes[index];
  if (node?.nodeType !== "parent") throw new Error(`no parent at ${index}`);
  return node.parent;
}

/** Changes to the parent at `index`. */
const parent =
  (index: number, changes: Partial<ReturnType<typeof parentAt>>) =>
  (nodes: RatchetTree): void => {
    nodes[index] = { nodeType: "parent", parent: { ...parentAt(nodes, index), ...changes } };
  };

/** Changes to a leaf; its signature does not hold any more. */
const leaf =
  (at: number, changes: object) =>
  (nodes: RatchetTree): void => {
    nodes[2 * at] = { nodeType: "leaf", leaf: { ...must(leafAt(nodes, at)), ...changes } };
  };

test("the room has parents that list the newcomer, and a leaf that came by a commit", () => {
  const [l, p] = ["leaf", "parent"];
  expect(tree.map((node) => node?.nodeType).slice(0, 9)).toEqual([l, p, l, p, l, undefined, l, p, l]);
  expect([1, 3, 7].map((index) => parentAt(tree, index).unmergedLeaves)).toEqual([[], [3], [3]]);
  expect([0, 1].map((at) => leafAt(tree, at)?.leafNodeSource)).toEqual(["commit", "key_package"]);
  expect(leafAt(tree, 5)).toBeUndefined();
});

test("a welcome is taken as it is, and when it is made again from the same", async () => {
  expect(await refusal({})).toBe("joined");
  const { state } = await join(await forge({}));
  expect(toHex(state.keySchedule.epochAuthenticator)).toBe(toHex(inviter.keySchedule.epochAuthenticator));
  expect(state.privatePath.leafIndex).toBe(3);
  expect(state).toMatchObject({ groupActiveState: { kind: "active" }, unappliedProposals: {} });
});

describe("a welcome is refused", () => {
  test("without the link, with another pre-shared key, or with more than the link", async () => {
    const [link] = secrets.psks;
    const other: PreSharedKeyID = { psktype: "external", pskId: utf8("other"), pskNonce: random(64) };
    const resumption: PreSharedKeyID = {
      psktype: "resumption",
      usage: "application",
      pskGroupId: LINK_PSK,
      pskEpoch: 0n,
      pskNonce: random(64),
    };
    for (const named of [[], [other], [resumption], [must(link), other], [must(link), must(link)]])
      expect(await refusal({ secrets: { psks: named } })).toBe("the pre-shared key is missing");
    await expect(join(await forge({}), own, { psks: { findPsk: () => random(32) } })).rejects.toThrow();
    await expect(join(await forge({}), own, { psks: NO_PSKS })).rejects.toThrow();
  });

  test("in another suite", async () => {
    const cipherSuite = "MLS_256_XWING_CHACHA20POLY1305_SHA512_Ed25519";
    expect(await refusal({ context: { cipherSuite } })).toBe("cipher suite");
    const publicPackage = { ...own.publicPackage, cipherSuite } as const;
    await expect(join(await forge({ to: publicPackage }), { ...own, publicPackage })).rejects.toThrow("cipher suite");
  });

  test("without the room's state, or without the tree", async () => {
    expect(await refusal({ context: { extensions: [] } })).toBe("the room's state");
    expect(await refusal({ info: { extensions: [] } })).toBe("no ratchet tree");
  });

  test("signed by nobody, by another member, or not at all", async () => {
    expect(await refusal({ info: { signer: 1 } })).toBe("group info signature");
    expect(await refusal({ info: { signer: 5 } })).toBe("no signer's leaf");
    expect(await refusal({ info: { signer: 40_000 } })).toBe("no signer's leaf");
    expect(await refusal({ signature: random(64) })).toBe("group info signature");
  });

  test("with another confirmation tag or another tree hash", async () => {
    expect(await refusal({ tag: random(64) })).toBe("confirmation tag");
    expect(await refusal({ context: { treeHash: random(64) } })).toBe("tree hash");
  });

  test("for a key package that is not in the tree, or for someone else's", async () => {
    const stranger = await someone();
    await expect(join(await forge({ to: stranger.publicPackage }), stranger)).rejects.toThrow("no own leaf");
    await expect(join(await forge({}), stranger)).rejects.toThrow();
  });

  test("with a key twice in the tree", async () => {
    const [first, newcomer] = [must(leafAt(tree, 0)), must(leafAt(tree, 3))];
    for (const change of [
      leaf(1, { hpkePublicKey: first.hpkePublicKey }),
      leaf(1, { signaturePublicKey: first.signaturePublicKey }),
      parent(3, { hpkePublicKey: first.hpkePublicKey }),
      parent(7, { hpkePublicKey: parentAt(tree, 3).hpkePublicKey }),
      leaf(3, { hpkePublicKey: parentAt(tree, 1).hpkePublicKey }),
    ])
      expect(await refusal({ tree: change })).toBe("two equal keys in the tree");
    expect(toHex(first.hpkePublicKey)).not.toBe(toHex(newcomer.hpkePublicKey));
  });

  test("with a path secret that does not yield the keys of the tree", async () => {
    expect(await refusal({ secrets: { pathSecret: random(64) } })).toBe("path secret");
  });

  test("with a node on the wrong level", async () => {
    const swapped = (from: number, to: number) => (nodes: RatchetTree) => {
      [nodes[from], nodes[to]] = [nodes[to], nodes[from]];
    };
    for (const change of [swapped(3, 2), swapped(2, 1)])
      expect(await refusal({ tree: change, context: { treeHash: random(64) } })).toBe("node on the wrong level");
  });

  test("with a leaf that is not signed by itself, whether it came by a key package or by a commit", async () => {
    expect(await refusal({ tree: leaf(1, { signature: random(64) }) })).toBe("leaf signature");
    expect(await refusal({ tree: leaf(0, { signature: random(64) }) })).not.toBe("joined");
  });

  test("with a credential that does not hold, whether it came by a key package or by a commit", async () => {
    for (const at of [1, 0]) {
      const { signaturePublicKey } = must(leafAt(tree, at));
      const validateCredential = async (_: unknown, key: Uint8Array) => toHex(key) !== toHex(signaturePublicKey);
      const strict = { config: { ...config, authService: { validateCredential } } };
      await expect(join(await forge({}), own, strict)).rejects.toThrow(at === 1 ? "credential" : /./);
    }
  });

  test("with a parent hash that does not hold", async () => {
    expect(await refusal({ tree: leaf(0, { parentHash: random(64) }) })).not.toBe("joined");
    expect(await refusal({ tree: parent(1, { parentHash: random(64) }) })).toBe("parent hash");
  });

  test("with unmerged leaves out of order, twice, where there are none, or not listed on their way up", async () => {
    const unmergedLeaves = (index: number, leaves: number[]): Promise<string> =>
      refusal({ tree: parent(index, { unmergedLeaves: leaves }) });
    for (const leaves of [
      [3, 1],
      [3, 3],
    ])
      expect(await unmergedLeaves(7, leaves)).toBe("unmerged leaves out of order");
    expect(await unmergedLeaves(3, [3, 4])).toBe("unmerged leaf not below its parent");
    for (const outside of [5, 8, 1_000_000])
      expect(await unmergedLeaves(3, [3, outside])).toBe("unmerged leaf that is not there");
    expect(await unmergedLeaves(3, [])).toBe("unmerged leaf not listed on its way up");
    expect(await unmergedLeaves(7, [1, 3])).toBe("unmerged leaf not listed on its way up");
    const blank = (nodes: RatchetTree): void => {
      nodes[6] = undefined;
    };
    expect(await refusal({ tree: blank })).toBe("unmerged leaf that is not there");
  });
});
