import type {
  CiphersuiteImpl,
  ClientState,
  Extension,
  GroupContext,
  KeyPackage,
  PreSharedKeyID,
  Proposal,
  PskIndex,
  RatchetTree,
} from "ts-mls";
import { addHistoricalReceiverData, applyProposals, nextEpochContext } from "ts-mls/clientState.js";
import type { Commit } from "ts-mls/commit.js";
import { createGroupInfoWithRatchetTree } from "ts-mls/createCommit.js";
import { createConfirmationTag, createContentCommitSignature } from "ts-mls/framedContent.js";
import { makeKeyPackageRef } from "ts-mls/keyPackage.js";
import { type EpochSecrets, initializeEpoch } from "ts-mls/keySchedule.js";
import { encodeMlsMessage } from "ts-mls/message.js";
import { protect } from "ts-mls/messageProtection.js";
import { getCommitSecret, pathToPathSecrets } from "ts-mls/pathSecrets.js";
import { toPrivateKeyPath } from "ts-mls/privateKeyPath.js";
import { createSecretTree } from "ts-mls/secretTree.js";
import { treeHashRoot } from "ts-mls/treeHash.js";
import { type LeafIndex, leafToNodeIndex, leafWidth, toLeafIndex, toNodeIndex } from "ts-mls/treemath.js";
import { createUpdatePath, firstCommonAncestor, type PathSecret } from "ts-mls/updatePath.js";
import { type EncryptedGroupSecrets, encryptGroupInfo, encryptGroupSecrets } from "ts-mls/welcome.js";
import { leafAt } from "./ratchet-tree.ts";

const WIRE_FORMAT = "mls_private_message";
const NO_DATA = new Uint8Array();

export interface MadeCommit {
  /** MLSMessage, PrivateMessage. */
  readonly bytes: Uint8Array;
  /** MLSMessage, Welcome, for everybody added, with the whole tree in it; null: nobody is added. */
  readonly welcome: Uint8Array | null;
  /** The state in the epoch that the commit begins. */
  readonly next: ClientState;
}

/** What the proposals make of the state. */
interface Applied {
  readonly tree: RatchetTree;
  /** Of the present epoch, with the extensions of the next. */
  readonly context: GroupContext;
  readonly added: readonly (readonly [LeafIndex, KeyPackage])[];
  readonly pskSecret: Uint8Array;
  readonly pskIds: PreSharedKeyID[];
}

interface Path {
  readonly update: NonNullable<Commit["path"]>;
  readonly tree: RatchetTree;
  readonly secrets: PathSecret[];
  readonly privateKeys: Record<number, Uint8Array>;
}

interface Epoch {
  readonly context: GroupContext;
  readonly secrets: EpochSecrets;
  readonly confirmationTag: Uint8Array;
}

type Signed = Awaited<ReturnType<typeof createContentCommitSignature>>;

/**
 * Commits these proposals (RFC 9420 section 12.4.1), always with a path: the keys of the committer's leaf and of all parents
 * above it are new. `state` stays as it is. `extensions`: those of the committer's leaf from then on. Throws when ts-mls
 * refuses a proposal.
 *
 * ts-mls's createCommit leaves the path out where nobody is removed, and seals it for another group context than receivers
 * have where that changes. The steps therefore stand here, on ts-mls's parts.
 */
export async function makeCommit(
  state: ClientState,
  proposals: readonly Proposal[],
  extensions: Extension[],
  psks: PskIndex,
  suite: CiphersuiteImpl,
): Promise<MadeCommit> {
  const listed = proposals.map((proposal) => ({ proposalOrRefType: "proposal", proposal }) as const);
  const applied = await apply(state, listed, extensions, psks, suite);
  const path = await makePath(state, applied, suite);
  const signed = await createContentCommitSignature(
    state.groupContext,
    WIRE_FORMAT,
    { proposals: listed, path: path.update },
    { senderType: "member", leafIndex: state.privatePath.leafIndex },
    NO_DATA,
    state.signaturePrivateKey,
    suite.signature,
  );
  const epoch = await begin(state, applied, path, signed, suite);
  const bytes = await seal(state, signed, epoch, suite);
  const welcome = applied.added.length === 0 ? null : await invite(state, applied, path, epoch, suite);
  return { bytes, welcome, next: await enter(state, path, epoch, suite) };
}

async function apply(
  state: ClientState,
  listed: Commit["proposals"],
  extensions: Extension[],
  psks: PskIndex,
  suite: CiphersuiteImpl,
): Promise<Applied> {
  const own = toLeafIndex(state.privatePath.leafIndex);
  const {
    tree,
    additionalResult: effects,
    pskSecret,
    pskIds,
  } = await applyProposals(state, listed, own, psks, true, suite);
  const leaf = leafAt(tree, own);
  if (effects.kind !== "memberCommit" || leaf === undefined) throw new Error("not a commit by a member that stays");
  const changed = effects.extensions.length > 0;
  const context = changed ? { ...state.groupContext, extensions: effects.extensions } : state.groupContext;
  const withOwn = tree.with(leafToNodeIndex(own), { nodeType: "leaf", leaf: { ...leaf, extensions } });
  return { tree: withOwn, context, added: effects.addedLeafNodes, pskSecret, pskIds };
}

/** The newcomers get their secrets from the Welcome, so nothing of the path is sealed to them. */
async function makePath(state: ClientState, applied: Applied, suite: CiphersuiteImpl): Promise<Path> {
  const { leafIndex, privateKeys: before } = state.privatePath;
  const own = toLeafIndex(leafIndex);
  const [tree, update, secrets, leafKey] = await createUpdatePath(
    applied.tree,
    own,
    applied.context,
    state.signaturePrivateKey,
    suite,
    applied.added.map(([leaf]) => leafToNodeIndex(leaf)),
  );
  const parents = await toPrivateKeyPath(pathToPathSecrets(secrets), leafIndex, suite);
  const ownKey = { [leafToNodeIndex(own)]: await suite.hpke.exportPrivateKey(leafKey) };
  return { tree, update, secrets, privateKeys: { ...before, ...parents.privateKeys, ...ownKey } };
}

/** The key schedule of the next epoch (section 8). */
async function begin(
  state: ClientState,
  { context: changed, pskSecret }: Applied,
  path: Path,
  { framedContent, signature }: Signed,
  suite: CiphersuiteImpl,
): Promise<Epoch> {
  const { kdf, hash } = suite;
  const treeHash = await treeHashRoot(path.tree, hash);
  const { confirmationTag: tag, keySchedule } = state;
  const context = await nextEpochContext(changed, WIRE_FORMAT, framedContent, signature, treeHash, tag, hash);
  const commitSecret = await commitSecretOf(path, suite);
  const secrets = await initializeEpoch(keySchedule.initSecret, commitSecret, context, pskSecret, kdf);
  commitSecret.fill(0);
  const { confirmationKey } = secrets.keySchedule;
  const confirmationTag = await createConfirmationTag(confirmationKey, context.confirmedTranscriptHash, hash);
  return { context, secrets, confirmationTag };
}

/** Alone there is no parent, and nobody to agree with. */
async function commitSecretOf({ tree, secrets }: Path, { kdf }: CiphersuiteImpl): Promise<Uint8Array> {
  const top = secrets.at(-1);
  return top === undefined
    ? new Uint8Array(kdf.size)
    : getCommitSecret(tree, toNodeIndex(top.nodeIndex), top.secret, kdf);
}

async function seal(
  { keySchedule, groupContext, secretTree, privatePath, clientConfig }: ClientState,
  { framedContent, signature }: Signed,
  { confirmationTag }: Epoch,
  suite: CiphersuiteImpl,
): Promise<Uint8Array> {
  const { privateMessage } = await protect(
    keySchedule.senderDataSecret,
    NO_DATA,
    groupContext,
    secretTree,
    { ...framedContent, auth: { contentType: "commit", signature, confirmationTag } },
    privatePath.leafIndex,
    clientConfig.paddingConfig,
    suite,
  );
  return encodeMlsMessage({ version: "mls10", wireformat: WIRE_FORMAT, privateMessage });
}

/** Section 12.4.3.1. */
async function invite(
  state: ClientState,
  { added, pskIds: psks }: Applied,
  { tree, secrets: path }: Path,
  { context, secrets, confirmationTag }: Epoch,
  suite: CiphersuiteImpl,
): Promise<Uint8Array> {
  const info = await createGroupInfoWithRatchetTree(context, confirmationTag, state, tree, [], suite);
  const encryptedGroupInfo = await encryptGroupInfo(info, secrets.welcomeSecret, suite);
  const inviter = toLeafIndex(state.privatePath.leafIndex);
  const one = async ([leaf, keyPackage]: Applied["added"][number]): Promise<EncryptedGroupSecrets> => {
    const common = firstCommonAncestor(tree, leaf, inviter);
    const pathSecret = path.find(({ nodeIndex }) => nodeIndex === common)?.secret;
    const initKey = await suite.hpke.importPublicKey(keyPackage.initKey);
    const groupSecrets = { joinerSecret: secrets.joinerSecret, pathSecret, psks };
    const sealed = await encryptGroupSecrets(initKey, encryptedGroupInfo, groupSecrets, suite.hpke);
    const newMember = await makeKeyPackageRef(keyPackage, suite.hash);
    return { newMember, encryptedGroupSecrets: { kemOutput: sealed.enc, ciphertext: sealed.ct } };
  };
  const welcome = { cipherSuite: context.cipherSuite, secrets: await Promise.all(added.map(one)), encryptedGroupInfo };
  return encodeMlsMessage({ version: "mls10", wireformat: "mls_welcome", welcome });
}

async function enter(
  state: ClientState,
  { tree, privateKeys }: Path,
  { context, secrets, confirmationTag }: Epoch,
  { kdf }: CiphersuiteImpl,
): Promise<ClientState> {
  const { encryptionSecret, joinerSecret, keySchedule } = secrets;
  const secretTree = await createSecretTree(leafWidth(tree.length), encryptionSecret, kdf);
  for (const spent of [encryptionSecret, joinerSecret]) spent.fill(0);
  const [historicalReceiverData] = addHistoricalReceiverData(state);
  const privatePath = { leafIndex: state.privatePath.leafIndex, privateKeys };
  return {
    ...state,
    groupContext: context,
    ratchetTree: tree,
    privatePath,
    keySchedule,
    secretTree,
    confirmationTag,
    historicalReceiverData,
  };
}
