import { equal } from "@sealcast/bytes";
import type {
  CiphersuiteImpl,
  ClientConfig,
  ClientState,
  GroupInfo,
  KeyPackage,
  LeafNode,
  PrivateKeyPackage,
  PskIndex,
  RatchetTree,
  Welcome,
} from "ts-mls";
import { throwIfDefined, validateLeafNodeUpdateOrCommit } from "ts-mls/clientState.js";
import { deriveSecret } from "ts-mls/crypto/kdf.js";
import {
  ratchetTreeFromExtension,
  verifyGroupInfoConfirmationTag,
  verifyGroupInfoSignature,
} from "ts-mls/groupInfo.js";
import { makeKeyPackageRef } from "ts-mls/keyPackage.js";
import { deriveKeySchedule } from "ts-mls/keySchedule.js";
import { verifyLeafNodeSignatureKeyPackage } from "ts-mls/leafNode.js";
import { verifyParentHashes } from "ts-mls/parentHash.js";
import { pathToRoot } from "ts-mls/pathSecrets.js";
import { accumulatePskSecret } from "ts-mls/pskIndex.js";
import { findLeafIndex } from "ts-mls/ratchetTree.js";
import { createSecretTree } from "ts-mls/secretTree.js";
import { treeHashRoot } from "ts-mls/treeHash.js";
import { directPath, leafToNodeIndex, leafWidth, type NodeIndex, toLeafIndex, toNodeIndex } from "ts-mls/treemath.js";
import { firstCommonAncestor } from "ts-mls/updatePath.js";
import { decryptGroupInfo, decryptGroupSecrets } from "ts-mls/welcome.js";
import { encryptionKeyAt, hasUniqueKeys, leafAt } from "./ratchet-tree.ts";
import { parseRoomState } from "./room-state.ts";

/** A key package and the private keys it was made with. */
export interface OwnKeyPackage {
  readonly publicPackage: KeyPackage;
  readonly privatePackage: PrivateKeyPackage;
}

export interface WelcomeRules {
  /** Must know every pre-shared key named in the Welcome. */
  readonly psks: PskIndex;
  /** The name of the pre-shared key without which no Welcome counts. */
  readonly requiredPsk: Uint8Array;
  readonly config: ClientConfig;
}

/** A group that was joined. */
interface Joined {
  readonly state: ClientState;
  /** The leaf whose member signed the group's description in the Welcome. */
  readonly inviter: number;
}

/**
 * Joins the group of a Welcome (RFC 9420 section 12.4.3.1). Throws when anything in it does not verify.
 *
 * ts-mls's own joinGroup takes a Welcome without any pre-shared key, and it refuses every tree in which a parent lists
 * other unmerged leaves than a parent below it: no second newcomer could join after someone was removed. The steps
 * therefore stand here, on ts-mls's parts.
 */
export async function joinWithWelcome(
  welcome: Welcome,
  { publicPackage, privatePackage }: OwnKeyPackage,
  rules: WelcomeRules,
  suite: CiphersuiteImpl,
): Promise<Joined> {
  const reference = await makeKeyPackageRef(publicPackage, suite.hash);
  const initKey = await suite.hpke.importPrivateKey(privatePackage.initPrivateKey);
  const secrets = must(await decryptGroupSecrets(initKey, reference, welcome, suite.hpke), "group secrets");
  const [psk] = secrets.psks;
  const onlyRequired = secrets.psks.length === 1 && psk?.psktype === "external" && equal(psk.pskId, rules.requiredPsk);
  check(onlyRequired, "the pre-shared key is missing");
  const [pskSecret] = await accumulatePskSecret(secrets.psks, rules.psks, suite, new Uint8Array(suite.kdf.size));

  const info = must(await decryptGroupInfo(welcome, secrets.joinerSecret, pskSecret, suite), "group info");
  check(info.groupContext.cipherSuite === suite.name && publicPackage.cipherSuite === suite.name, "cipher suite");
  check(parseRoomState(info.groupContext.extensions) !== null, "the room's state");
  const tree = must(ratchetTreeFromExtension(info), "ratchet tree");
  const signer = must(leafAt(tree, info.signer), "signer's leaf");
  check(await verifyGroupInfoSignature(info, signer.signaturePublicKey, suite.signature), "group info signature");
  await validateTree(tree, info, rules.config, suite);

  const leaf = must(findLeafIndex(tree, publicPackage.leafNode), "own leaf");
  const ancestor = firstCommonAncestor(tree, leaf, toLeafIndex(info.signer));
  const parents = secrets.pathSecret === undefined ? {} : await keysAbove(tree, ancestor, secrets.pathSecret, suite);
  const privateKeys = { ...parents, [leafToNodeIndex(leaf)]: privatePackage.hpkePrivateKey };

  const confirmed = await verifyGroupInfoConfirmationTag(info, secrets.joinerSecret, pskSecret, suite);
  check(confirmed, "confirmation tag");
  const [keySchedule, encryptionSecret] = await deriveKeySchedule(
    secrets.joinerSecret,
    pskSecret,
    info.groupContext,
    suite.kdf,
  );
  const secretTree = await createSecretTree(leafWidth(tree.length), encryptionSecret, suite.kdf);
  for (const spent of [encryptionSecret, secrets.joinerSecret, pskSecret]) spent.fill(0);

  const state: ClientState = {
    groupContext: info.groupContext,
    ratchetTree: tree,
    privatePath: { leafIndex: leaf, privateKeys },
    signaturePrivateKey: privatePackage.signaturePrivateKey,
    confirmationTag: info.confirmationTag,
    unappliedProposals: {},
    keySchedule,
    secretTree,
    historicalReceiverData: new Map(),
    groupActiveState: { kind: "active" },
    clientConfig: rules.config,
  };
  return { state, inviter: info.signer };
}

/** The private keys from this parent up, by node index: each fits the public key that the tree has (section 12.4.3.1). */
async function keysAbove(
  tree: RatchetTree,
  parent: NodeIndex,
  pathSecret: Uint8Array,
  suite: CiphersuiteImpl,
): Promise<Record<number, Uint8Array>> {
  const keys: Record<number, Uint8Array> = {};
  for (const [index, secret] of Object.entries(await pathToRoot(tree, parent, pathSecret, suite.kdf))) {
    const expected = encryptionKeyAt(tree, Number(index));
    // A path leaves out a root below which one side is empty; ts-mls derives on to it all the same.
    if (expected === undefined) continue;
    const pair = await suite.hpke.deriveKeyPair(await deriveSecret(secret, "node", suite.kdf));
    check(equal(await suite.hpke.exportPublicKey(pair.publicKey), expected), "path secret");
    keys[Number(index)] = await suite.hpke.exportPrivateKey(pair.privateKey);
  }
  return keys;
}

/** RFC 9420 sections 7.3, 7.9 and 12.4.3.1: every leaf, every parent, and the tree as the group context names it. */
async function validateTree(
  tree: RatchetTree,
  { groupContext }: GroupInfo,
  config: ClientConfig,
  suite: CiphersuiteImpl,
): Promise<void> {
  check(hasUniqueKeys(tree), "two equal keys in the tree");
  for (const [index, node] of tree.entries()) {
    if (node === undefined) continue;
    check((node.nodeType === "leaf") === (index % 2 === 0), "node on the wrong level");
    if (node.nodeType === "leaf") {
      await validateLeaf(node.leaf, index / 2, groupContext, config, suite);
    } else {
      validateUnmerged(tree, index, node.parent.unmergedLeaves);
    }
  }
  check(await verifyParentHashes(tree, suite.hash), "parent hash");
  check(equal(groupContext.treeHash, await treeHashRoot(tree, suite.hash)), "tree hash");
}

async function validateLeaf(
  leaf: LeafNode,
  index: number,
  context: GroupInfo["groupContext"],
  config: ClientConfig,
  suite: CiphersuiteImpl,
): Promise<void> {
  if (leaf.leafNodeSource !== "key_package") {
    throwIfDefined(await validateLeafNodeUpdateOrCommit(leaf, index, context, config.authService, suite.signature));
    return;
  }
  check(await verifyLeafNodeSignatureKeyPackage(leaf, suite.signature), "leaf signature");
  check(await config.authService.validateCredential(leaf.credential, leaf.signaturePublicKey), "credential");
}

/** Section 7.9: an unmerged leaf lies below its parent, in ascending order, and every parent between lists it too. */
function validateUnmerged(tree: RatchetTree, parent: number, unmerged: readonly number[]): void {
  for (const [i, leaf] of unmerged.entries()) {
    check(i === 0 || leaf > (unmerged[i - 1] ?? leaf), "unmerged leaves out of order");
    // Before its path is asked for: that of a leaf outside the tree has no end.
    check(leafAt(tree, leaf) !== undefined, "unmerged leaf that is not there");
    const path = directPath(leafToNodeIndex(toLeafIndex(leaf)), leafWidth(tree.length));
    const height = path.indexOf(toNodeIndex(parent));
    check(height >= 0, "unmerged leaf not below its parent");
    for (const between of path.slice(0, height)) {
      const node = tree[between];
      const listed = node?.nodeType !== "parent" || node.parent.unmergedLeaves.includes(leaf);
      check(listed, "unmerged leaf not listed on its way up");
    }
  }
}

function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`welcome refused: ${what}`);
}

function must<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`welcome refused: no ${what}`);
  return value;
}
