import { equal, toHex, utf8 } from "@sealcast/bytes";
import { random, type Secret } from "@sealcast/crypto";
import type { KnockKey } from "@sealcast/protocol";
import type {
  ClientConfig,
  ClientState,
  EpochReceiverData,
  Extension,
  KeyPackage,
  MLSMessage,
  PrivateMessage,
  Proposal,
  PskIndex,
  RatchetTree,
  SecretTree,
} from "ts-mls";
import { createGroup } from "ts-mls/clientState.js";
import { createApplicationMessage } from "ts-mls/createMessage.js";
import { defaultKeyPackageEqualityConfig } from "ts-mls/keyPackageEqualityConfig.js";
import { mlsExporter } from "ts-mls/keySchedule.js";
import { defaultLifetimeConfig } from "ts-mls/lifetimeConfig.js";
import { decodeMlsMessage, encodeMlsMessage } from "ts-mls/message.js";
import { defaultPaddingConfig } from "ts-mls/paddingConfig.js";
import { decryptSenderData } from "ts-mls/privateMessage.js";
import { processPrivateMessage } from "ts-mls/processMessages.js";
import type { GroupMember } from "../../shared/messages.ts";
import { verifyCredential } from "../identity/credential.ts";
import { DoorKey } from "../identity/door-key.ts";
import { encodeName, nameOf } from "../identity/leaf-name.ts";
import { type MadeCommit, makeCommit } from "./commit.ts";
import { canSealTo } from "./kem-key.ts";
import { type Membership, makeKeyPackage } from "./key-package.ts";
import { offerKnockKey } from "./knock-key.ts";
import { type EpochNode, nodeOf } from "./node.ts";
import { keysSince, leafAt } from "./ratchet-tree.ts";
import { encodeRoomState, NEW_LINK, parseRoomState, type RoomState } from "./room-state.ts";
import {
  hostsOf,
  isAdd,
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
import { joinWithWelcome, type OwnKeyPackage } from "./welcome.ts";

/** Bytes. The server relays 64 KiB of base64url, and 256 KiB of a commit with its Welcome. */
const MAX_MESSAGE = 48 * 1024;
const MAX_HANDSHAKE = 192 * 1024;
const LINK_LABEL = "Sealcast link";
const LINK_SIZE = 32;
const RETENTION = { retainKeysForGenerations: 256, maximumForwardRatchetSteps: 4096, retainKeysForEpochs: 4 };

/** A commit made but not yet ordered by the server. The group stays where it is until adopt(). */
export interface PendingCommit extends MadeCommit {
  /** The epoch it ends. */
  readonly epoch: number;
  readonly removed: readonly number[];
  /** Of the link that it makes; null: the link stays. */
  readonly door: DoorKey | null;
  /** Of the epoch that it begins, as the next two are. */
  readonly place: EpochNode;
  readonly knockKey: KnockKey;
}

/** What a commit is to do. */
export interface Wanted {
  readonly add: readonly KeyPackage[];
  readonly remove: readonly number[];
  /** The room's state from then on. */
  readonly room?: RoomState | undefined;
  /** Replaces the link. */
  readonly newLink?: boolean | undefined;
  /** Puts this member's present name into its leaf. */
  readonly rename?: boolean | undefined;
}

/** What a commit did. */
export interface Change {
  /** The committer could act as host. */
  readonly byHost: boolean;
  readonly added: readonly GroupMember[];
  /** As they were before it. */
  readonly removed: readonly GroupMember[];
  /** The link secret is another one from now on. */
  readonly newLink: boolean;
}

export type Processed =
  | { ok: true; change: Change }
  /**
   * This member was removed: `byHost`, or `successor` is the leaf key (hex) of who was added on its seat. The group
   * stays.
   */
  | { ok: true; change: null; byHost: boolean; successor: string | null }
  | { ok: false; drop: "malformed" | "other-epoch" | "other-node" | "forbidden" | "invalid" };

export type OpenedMessage =
  | { ok: true; epoch: number; from: GroupMember; plaintext: Uint8Array }
  | { ok: false; drop: "future-epoch"; epoch: number }
  | { ok: false; drop: "malformed" | "past-epoch" | "replayed" | "own" | "invalid" };

/**
 * An MLS group (RFC 9420) and this member's place in it. Knows no time and no transport. Not re-entrant: the caller
 * awaits each call before the next, since two at once would use one ratchet generation twice.
 */
export class Group {
  /** The identity (hex) of who took this member in; null for a founder. */
  readonly inviter: string | null;
  readonly #membership: Membership;
  #state: ClientState;
  #place: EpochNode;
  /** Read from its tree once: a member looks at them with every message. */
  #members: { readonly tree: RatchetTree; readonly list: readonly GroupMember[] };
  /** Likewise. */
  #room: { readonly extensions: readonly Extension[]; readonly state: RoomState } | null = null;

  private constructor(membership: Membership, state: ClientState, place: EpochNode, inviter: string | null = null) {
    this.inviter = inviter;
    this.#membership = membership;
    this.#state = state;
    this.#place = place;
    this.#members = { tree: state.ratchetTree, list: membersOf(state.ratchetTree, this.leaf) };
  }

  /** A new group of one, at epoch 0. */
  static async create(membership: Membership): Promise<Group> {
    const { publicPackage, privatePackage } = await makeKeyPackage(membership);
    const config = clientConfig(membership.room);
    const room = encodeRoomState({ mode: "open", hosts: [toHex(membership.identity.publicKey)] });
    const state = await createGroup(random(16), publicPackage, privatePackage, [room], membership.suite, config);
    return new Group(membership, state, await nodeOf(state, membership.suite));
  }

  /** Null: the Welcome is for none of these key packages, is of another link, or does not verify. */
  static async join(
    membership: Membership,
    packages: readonly OwnKeyPackage[],
    welcome: Uint8Array,
    linkSecret: Secret = membership.linkSecret,
  ): Promise<Group | null> {
    const message = decodeMessage(welcome, MAX_HANDSHAKE);
    if (message?.wireformat !== "mls_welcome") return null;
    const rules = { psks: linkPsk({ linkSecret }), requiredPsk: LINK_PSK, config: clientConfig(membership.room) };
    for (const own of packages) {
      try {
        const { state, inviter } = await joinWithWelcome(message.welcome, own, rules, membership.suite);
        if (!isSoundRoster(state.ratchetTree)) return null;
        const by = memberAt(state.ratchetTree, inviter, null)?.identity;
        return new Group(membership, state, await nodeOf(state, membership.suite), by);
      } catch {
        // For another of our key packages, or not sound.
      }
    }
    return null;
  }

  get epoch(): number {
    return Number(this.#state.groupContext.epoch);
  }

  /** This member's leaf. */
  get leaf(): number {
    return this.#state.privatePath.leafIndex;
  }

  /** What shows a server that this member is in the present epoch. */
  get place(): EpochNode {
    return this.#place;
  }

  /** What the key is derived from to which knocks at the present epoch are sealed (RFC 9420 section 8). */
  get externalSecret(): Uint8Array {
    return this.#state.keySchedule.externalSecret;
  }

  /** The leaf whose turn it is to heal this epoch: all see the same, and each has one sooner or later. */
  get next(): number {
    return this.members[this.epoch % this.members.length]?.leaf ?? this.leaf;
  }

  /** RFC 9420 section 8.7: equal for all who are in this epoch of this branch. */
  get authenticator(): Uint8Array {
    return this.#state.keySchedule.epochAuthenticator;
  }

  /** Everybody in the group in the order of their leaves, this member included. */
  get members(): readonly GroupMember[] {
    const tree = this.#state.ratchetTree;
    if (this.#members.tree !== tree) this.#members = { tree, list: membersOf(tree, this.leaf) };
    return this.#members.list;
  }

  /** Whether this member calls itself something else than its leaf says. */
  get isRenamed(): boolean {
    return this.#name !== this.#membership.name;
  }

  /** What the group has agreed on beside its roster. */
  get room(): RoomState {
    const { extensions } = this.#state.groupContext;
    if (this.#room?.extensions === extensions) return this.#room.state;
    const state = parseRoomState(extensions);
    if (state === null) throw new Error("a group without its room's state");
    this.#room = { extensions, state };
    return state;
  }

  /** The identities (hex) that may act as host now. */
  get hosts(): readonly string[] {
    return hostsOf(this.members, this.room);
  }

  /** Whether this member may act as host now, in this or another tab. */
  get isHost(): boolean {
    return this.hosts.includes(toHex(this.#membership.identity.publicKey));
  }

  /** The secret that the link has from the present epoch on, where a commit of a new link began it. The caller erases it. */
  laterLinkSecret(): Promise<Uint8Array> {
    return linkSecretOf(this.#state, this.#membership);
  }

  /** MLS-Exporter (RFC 9420 section 8.5) of the current epoch. The caller erases it. */
  exportSecret(label: string, length: number, context: Uint8Array = new Uint8Array()): Promise<Uint8Array> {
    const { exporterSecret } = this.#state.keySchedule;
    return mlsExporter(exporterSecret, label, context, length, this.#membership.suite);
  }

  /** What this member's leaf says of itself. */
  get credential(): Uint8Array {
    const credential = leafAt(this.#state.ratchetTree, this.leaf)?.credential;
    if (credential?.credentialType !== "basic") throw new Error("a leaf without a credential of ours");
    return credential.identity;
  }

  /** `message` begins with a label that is not MLS's own (RFC 9420 section 5.1.2). */
  sign(message: Uint8Array): Promise<Uint8Array> {
    return this.#membership.suite.signature.sign(this.#state.signaturePrivateKey, message);
  }

  /** That key, for media workers, which sign frames with it under a label of their own. Not extractable. */
  signingKey(): Promise<CryptoKey> {
    const key = new Uint8Array(this.#state.signaturePrivateKey);
    return crypto.subtle.importKey("pkcs8", key, "Ed25519", false, ["sign"]);
  }

  /** Throws when a key package cannot be added or the result would break a rule. */
  async commit({ add, remove, room, newLink = false, rename = false }: Wanted): Promise<PendingCommit> {
    const { suite } = this.#membership;
    const proposals: Proposal[] = [
      ...remove.map((removed): Proposal => ({ proposalType: "remove", remove: { removed } })),
      ...add.map((keyPackage): Proposal => ({ proposalType: "add", add: { keyPackage } })),
    ];
    if (add.length > 0) proposals.push(linkPskProposal(suite));
    if (room !== undefined) proposals.push(roomProposal(room));
    if (newLink) proposals.push(NEW_LINK);
    if (!isAllowed(proposals, this.#situation(this.leaf))) throw new Error("the commit is not allowed");
    const name = rename ? this.#membership.name : this.#name;
    const made = await makeCommit(this.#state, proposals, [encodeName(name)], linkPsk(this.#membership), suite);
    if (!this.#isSound(made.next.ratchetTree, remove, this.leaf)) throw new Error("the commit would be refused");
    const place = await nodeOf(made.next, suite);
    return {
      epoch: this.epoch,
      removed: remove,
      ...(await entrance(made.next, place, newLink, this.#membership)),
      place,
      ...made,
    };
  }

  /** Takes the step of a commit of one's own, once the server has ordered it. */
  adopt(pending: PendingCommit): Change {
    if (pending.epoch !== this.epoch) throw new Error("this commit was made for another epoch");
    const before = this.#state;
    const epoch = before.groupContext.epoch;
    const history = new Map(pending.next.historicalReceiverData);
    const ended = history.get(epoch);
    // Messages opened since the commit was made have moved the ratchets on.
    if (ended !== undefined) history.set(epoch, { ...ended, secretTree: before.secretTree });
    this.#state = { ...pending.next, historicalReceiverData: history };
    this.#place = pending.place;
    before.keySchedule.initSecret.fill(0);
    return this.#changeSince(before, this.leaf, pending.removed, pending.door !== null);
  }

  /** Takes the step of another member's commit, or refuses it and stays. `next`: the node to which it has to lead. */
  async process(bytes: Uint8Array, next: string | null = null): Promise<Processed> {
    const message = this.#privateMessage(decodeMessage(bytes, MAX_HANDSHAKE), "commit");
    if (message === null) return { ok: false, drop: "malformed" };
    if (message.epoch !== this.#state.groupContext.epoch) return { ok: false, drop: "other-epoch" };
    const { suite } = this.#membership;
    const before = this.#state;
    let [proposals, committer]: [Proposal[], number] = [[], -1];
    try {
      const result = await processPrivateMessage(before, message, linkPsk(this.#membership), suite, (incoming) => {
        if (incoming.kind !== "commit" || incoming.senderLeafIndex === undefined) return "reject";
        const proposed = incoming.proposals.map(({ proposal }) => proposal);
        if (!isAllowed(proposed, this.#situation(incoming.senderLeafIndex))) return "reject";
        [proposals, committer] = [proposed, incoming.senderLeafIndex];
        // ts-mls would take the newcomer on this member's old leaf for this member.
        return removedBy(proposed).includes(this.leaf) ? "reject" : "accept";
      });
      const removed = removedBy(proposals);
      const newLink = proposals.some(isNewLink);
      if (removed.includes(this.leaf))
        return { ok: true, change: null, byHost: newLink, successor: this.#successorIn(proposals) };
      if (result.kind !== "newState" || result.actionTaken !== "accept") return { ok: false, drop: "forbidden" };
      const { ratchetTree } = result.newState;
      const isSound = this.#isSound(ratchetTree, removed, committer);
      if (!isSound || !(await canSealTo(keysSince(before.ratchetTree, ratchetTree), suite)))
        return { ok: false, drop: "forbidden" };
      const place = await nodeOf(result.newState, suite);
      if (next !== null && place.node !== next) return { ok: false, drop: "other-node" };
      this.#state = result.newState;
      this.#place = place;
      for (const spent of result.consumed) spent.fill(0);
      return { ok: true, change: this.#changeSince(before, committer, removed, newLink) };
    } catch {
      return { ok: false, drop: "invalid" };
    }
  }

  /** Seals an application message for everybody in the current epoch. */
  async seal(plaintext: Uint8Array): Promise<Uint8Array> {
    const result = await createApplicationMessage(this.#state, plaintext, this.#membership.suite);
    this.#state = result.newState;
    for (const spent of result.consumed) spent.fill(0);
    const { privateMessage } = result;
    return encodeMlsMessage({ version: "mls10", wireformat: "mls_private_message", privateMessage });
  }

  /** Opens an application message of the current epoch or of a retained one. `from` is authenticated. */
  async open(bytes: Uint8Array): Promise<OpenedMessage> {
    const message = this.#privateMessage(decodeMessage(bytes, MAX_MESSAGE), "application");
    if (message === null) return { ok: false, drop: "malformed" };
    const state = this.#state;
    const epoch = Number(message.epoch);
    if (message.epoch > state.groupContext.epoch) return { ok: false, drop: "future-epoch", epoch };
    const of =
      message.epoch === state.groupContext.epoch ? current(state) : state.historicalReceiverData.get(message.epoch);
    if (of === undefined) return { ok: false, drop: "past-epoch" };
    try {
      const sender = await decryptSenderData(message, of.senderDataSecret, this.#membership.suite);
      const from = sender === undefined ? null : memberAt(of.ratchetTree, sender.leafIndex, this.leaf);
      if (sender === undefined || from === null) return { ok: false, drop: "invalid" };
      if (from.me) return { ok: false, drop: "own" };
      if (isUsed(of.secretTree, from.leaf, sender.generation)) return { ok: false, drop: "replayed" };
      const result = await processPrivateMessage(state, message, linkPsk(this.#membership), this.#membership.suite);
      if (result.kind !== "applicationMessage") return { ok: false, drop: "invalid" };
      this.#state = result.newState;
      for (const spent of result.consumed) spent.fill(0);
      return { ok: true, epoch, from, plaintext: result.message };
    } catch {
      return { ok: false, drop: "invalid" };
    }
  }

  /** Drops the keys of an epoch that was left: its messages can no longer be opened. */
  forget(epoch: number): void {
    const history = new Map(this.#state.historicalReceiverData);
    if (history.delete(BigInt(epoch))) this.#state = { ...this.#state, historicalReceiverData: history };
  }

  /** Null: not one that ts-mls is to see. It would take public messages and standalone proposals from anybody. */
  #privateMessage(message: MLSMessage | null, contentType: "commit" | "application"): PrivateMessage | null {
    if (message?.wireformat !== "mls_private_message") return null;
    const { privateMessage } = message;
    const ours = equal(privateMessage.groupId, this.#state.groupContext.groupId);
    return ours && privateMessage.contentType === contentType ? privateMessage : null;
  }

  /** What this member's leaf says. */
  get #name(): string {
    const leaf = leafAt(this.#state.ratchetTree, this.leaf);
    const name = leaf === undefined ? null : nameOf(leaf);
    if (name === null) throw new Error("a member without a name");
    return name;
  }

  #situation(committer: number): Situation {
    const { suite, seconds } = this.#membership;
    return { suite, seconds: seconds(), tree: this.#state.ratchetTree, room: this.room, committer };
  }

  /** Whether a commit leaves a tree behind that every member accepts. One's own is judged as others' are. */
  #isSound(after: RatchetTree, removed: readonly number[], committer: number): boolean {
    return isSoundRoster(after) && keepsOccupants(this.#state.ratchetTree, after, removed, committer);
  }

  #successorIn(proposals: readonly Proposal[]): string | null {
    const own = memberAt(this.#state.ratchetTree, this.leaf, null);
    const added = proposals.flatMap((proposal) =>
      isAdd(proposal) ? [memberOf(proposal.add.keyPackage.leafNode)] : [],
    );
    return added.find((member) => member?.identity === own?.identity && member?.seat === own?.seat)?.leafKeyId ?? null;
  }

  #changeSince(
    { ratchetTree: before, groupContext }: ClientState,
    committer: number,
    leaves: readonly number[],
    newLink: boolean,
  ): Change {
    const members = membersOf(before, this.leaf);
    const room = parseRoomState(groupContext.extensions);
    const hosts = room === null ? [] : hostsOf(members, room);
    const isNew = ({ leaf, leafKeyId, me }: GroupMember) =>
      !me && memberAt(before, leaf, null)?.leafKeyId !== leafKeyId;
    return {
      byHost: members.some(({ leaf, identity }) => leaf === committer && hosts.includes(identity)),
      added: this.members.filter(isNew),
      removed: members.filter(({ leaf }) => leaves.includes(leaf)),
      newLink,
    };
  }
}

/** Where newcomers come to the epoch of this state: by the link that it makes, or by the present one. */
async function entrance(
  state: ClientState,
  { node: at }: EpochNode,
  newLink: boolean,
  membership: Membership,
): Promise<Pick<PendingCommit, "door" | "knockKey">> {
  const { room, suite, linkSecret } = membership;
  const link = newLink ? await linkSecretOf(state, membership) : linkSecret.reveal().slice();
  const knockKey = await offerKnockKey(state.keySchedule.externalSecret, { room, at }, [link], suite);
  const door = newLink ? await DoorKey.of(link, room) : null;
  link.fill(0);
  return { door, knockKey };
}

function linkSecretOf({ keySchedule }: ClientState, { room, suite }: Membership): Promise<Uint8Array> {
  return mlsExporter(keySchedule.exporterSecret, LINK_LABEL, utf8(room), LINK_SIZE, suite);
}

/** The whole of one MLS message; null: malformed. */
function decodeMessage(bytes: Uint8Array, max: number): MLSMessage | null {
  if (bytes.length > max) return null;
  try {
    const [message, length] = decodeMlsMessage(bytes, 0) ?? [];
    return message !== undefined && length === bytes.length ? message : null;
  } catch {
    return null;
  }
}

function linkPsk({ linkSecret }: Pick<Membership, "linkSecret">): PskIndex {
  return {
    findPsk: (id) => (id.psktype === "external" && equal(id.pskId, LINK_PSK) ? linkSecret.reveal() : undefined),
  };
}

function clientConfig(room: string): ClientConfig {
  return {
    keyRetentionConfig: RETENTION,
    lifetimeConfig: defaultLifetimeConfig,
    keyPackageEqualityConfig: defaultKeyPackageEqualityConfig,
    paddingConfig: defaultPaddingConfig,
    authService: {
      validateCredential: async (credential, leafKey) =>
        credential.credentialType === "basic" && verifyCredential({ room, leafKey }, credential.identity),
    },
  };
}

/** What opens the messages of the epoch the group is in, in the form kept for those it left. */
function current(state: ClientState): Pick<EpochReceiverData, "senderDataSecret" | "secretTree" | "ratchetTree"> {
  return { ...state, senderDataSecret: state.keySchedule.senderDataSecret };
}

/** Whether the key of this message was used and erased. */
function isUsed(tree: SecretTree, leaf: number, generation: number): boolean {
  const ratchet = tree[2 * leaf]?.application;
  return ratchet !== undefined && generation < ratchet.generation && !(generation in ratchet.unusedGenerations);
}
