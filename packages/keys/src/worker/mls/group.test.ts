import { equal, toHex, utf8 } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import fc from "fast-check";
import type { ClientState, Extension, MLSMessage, Proposal } from "ts-mls";
import { createCommit } from "ts-mls/createCommit.js";
import { createApplicationMessage, createProposal } from "ts-mls/createMessage.js";
import { proposeAddExternal } from "ts-mls/externalProposal.js";
import { encodeKeyPackage, generateKeyPackageWithKey, signKeyPackage } from "ts-mls/keyPackage.js";
import { decodeMlsMessage, encodeMlsMessage } from "ts-mls/message.js";
import { processPrivateMessage } from "ts-mls/processMessages.js";
import { describe, expect, test } from "vitest";
import { issueCredential } from "../identity/credential.ts";
import { encodeName, NAME_EXTENSION } from "../identity/leaf-name.ts";
import { newIdentity, newMembership, ROOM, unusable } from "../room/room.cases.ts";
import { makeCommit } from "./commit.ts";
import { Group, type PendingCommit } from "./group.ts";
import { type Membership, makeKeyPackage, readApplication } from "./key-package.ts";
import { encryptionKeyAt, leafAt } from "./ratchet-tree.ts";
import { NEW_LINK, ROOM_EXTENSION } from "./room-state.ts";
import { isAllowed, LINK_PSK, linkPskProposal, roomProposal } from "./rules.ts";
import { mlsSuite } from "./suite.ts";
import { joinWithWelcome, type OwnKeyPackage } from "./welcome.ts";

const suite = await mlsSuite();
const secret = random(32);
const psks = { findPsk: () => secret };

const person = (differs: Partial<Membership> = {}): Promise<Membership> => newMembership(secret, differs);

async function add(group: Group, ...own: OwnKeyPackage[]): Promise<PendingCommit> {
  const pending = await group.commit({ add: own.map(({ publicPackage }) => publicPackage), remove: [] });
  group.adopt(pending);
  return pending;
}

function welcomeOf({ welcome }: PendingCommit): Uint8Array {
  if (welcome === null) throw new Error("no welcome");
  return welcome;
}

function must<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error("missing");
  return value;
}

/** A founder and one who joined. */
async function pair(): Promise<{ a: Group; b: Group }> {
  const [founder, newcomer] = [await person(), await person()];
  const a = await Group.create(founder);
  const own = await makeKeyPackage(newcomer);
  return { a, b: must(await Group.join(newcomer, [own], welcomeOf(await add(a, own)))) };
}

/** Ada and Bo, and what Bo can call himself otherwise. */
async function namedPair(): Promise<{ a: Group; b: Group; membership: Membership }> {
  const membership = await person({ name: "Bo" });
  const a = await Group.create(await person({ name: "Ada" }));
  const own = await makeKeyPackage(membership);
  return { a, b: must(await Group.join(membership, [own], welcomeOf(await add(a, own)))), membership };
}

/** A pair and a third member that does with its MLS state what it likes. */
async function withAttacker(): Promise<{ a: Group; b: Group; attacker: ClientState; membership: Membership }> {
  const { a, b } = await pair();
  const membership = await person();
  const own = await makeKeyPackage(membership);
  const pending = await add(a, own);
  expect(await b.process(pending.bytes)).toMatchObject({ ok: true });
  return { a, b, attacker: await rawJoin(own, welcomeOf(pending)), membership };
}

async function rawJoin(own: OwnKeyPackage, welcome: Uint8Array): Promise<ClientState> {
  const [message] = must(decodeMlsMessage(welcome, 0));
  if (message.wireformat !== "mls_welcome") throw new Error("not a welcome");
  const config = {
    keyRetentionConfig: { retainKeysForGenerations: 10, retainKeysForEpochs: 4, maximumForwardRatchetSteps: 200 },
    lifetimeConfig: { maximumTotalLifetime: 0n, validateLifetimeOnReceive: false },
    keyPackageEqualityConfig: { compareKeyPackages: () => false, compareKeyPackageToLeafNode: () => false },
    paddingConfig: { kind: "padUntilLength", padUntilLength: 0 } as const,
    authService: { validateCredential: async () => true },
  };
  return (await joinWithWelcome(message.welcome, own, { psks, requiredPsk: LINK_PSK, config }, suite)).state;
}

async function rawCommit(state: ClientState, proposals: Proposal[]) {
  const { extensions } = must(leafAt(state.ratchetTree, state.privatePath.leafIndex));
  return makeCommit(state, proposals, extensions, psks, suite);
}

/** As ts-mls makes them: without a path where nobody is removed. */
async function libraryCommit(state: ClientState, extraProposals: Proposal[], wireAsPublicMessage = false) {
  const context = { state, cipherSuite: suite, pskIndex: psks };
  const { commit } = await createCommit(context, { extraProposals, wireAsPublicMessage });
  return encodeMlsMessage(commit);
}

function sealedBy(privateMessage: Extract<MLSMessage, { wireformat: "mls_private_message" }>["privateMessage"]) {
  return encodeMlsMessage({ version: "mls10", wireformat: "mls_private_message", privateMessage });
}

/** A key package in whose leaf the test puts what it likes. */
async function makeNamed({ identity, seat }: Membership, extensions: Extension[]): Promise<OwnKeyPackage> {
  const keys = await suite.signature.keygen();
  const seconds = BigInt(Math.floor(Date.now() / 1000));
  const validity = { notBefore: seconds - 60n, notAfter: seconds + 60n };
  const claims = await issueCredential(identity, { room: ROOM, leafKey: keys.publicKey }, seat, validity);
  const { capabilities } = (await makeKeyPackage(await person())).publicPackage.leafNode;
  const credential = { credentialType: "basic", identity: claims } as const;
  return generateKeyPackageWithKey(credential, capabilities, validity, [], keys, suite, extensions);
}

const adding = ({ publicPackage }: OwnKeyPackage): Proposal => ({
  proposalType: "add",
  add: { keyPackage: publicPackage },
});

describe("a group", () => {
  test("gives its members one epoch, one secret, and messages from whom they say", async () => {
    const { a, b } = await pair();
    expect([a.epoch, b.epoch, a.leaf, b.leaf]).toEqual([1, 1, 0, 1]);
    expect(a.authenticator).toEqual(b.authenticator);
    expect(await a.exportSecret("test", 32)).toEqual(await b.exportSecret("test", 32));
    const sealed = await a.seal(utf8("hello"));
    expect(await b.open(sealed)).toEqual({ ok: true, epoch: 1, from: b.members[0], plaintext: utf8("hello") });
    expect(await b.open(sealed)).toEqual({ ok: false, drop: "replayed" });
    expect(await a.open(sealed)).toEqual({ ok: false, drop: "own" });
  });

  test("opens messages of an epoch it left until that is forgotten, and knows those of one to come", async () => {
    const { a, b } = await pair();
    const [early, late] = [await a.seal(utf8("1")), await a.seal(utf8("2"))];
    const pending = await add(a, await makeKeyPackage(await person()));
    const future = await a.seal(utf8("3"));
    expect(await b.open(future)).toEqual({ ok: false, drop: "future-epoch", epoch: 2 });
    await b.process(pending.bytes);
    expect(await b.open(late)).toMatchObject({ ok: true, epoch: 1 });
    b.forget(1);
    expect(await b.open(early)).toEqual({ ok: false, drop: "past-epoch" });
    expect(await b.open(future)).toMatchObject({ ok: true, epoch: 2 });
  });

  test("knows each by the name in their leaf, which they alone change", async () => {
    const { a, b, membership } = await namedPair();
    const names = () => [a, b].map(({ members }) => members.map(({ name }) => name));
    expect([names(), b.isRenamed]).toEqual([
      [
        ["Ada", "Bo"],
        ["Ada", "Bo"],
      ],
      false,
    ]);
    membership.name = "Bea";
    expect([b.isRenamed, names()[1]]).toEqual([true, ["Ada", "Bo"]]);
    const before = a.members.map(({ name, ...rest }) => rest);
    const pending = await b.commit({ add: [], remove: [], rename: true });
    expect(await a.process(pending.bytes)).toMatchObject({
      ok: true,
      change: { added: [], removed: [], newLink: false },
    });
    b.adopt(pending);
    expect([names(), b.isRenamed]).toEqual([
      [
        ["Ada", "Bea"],
        ["Ada", "Bea"],
      ],
      false,
    ]);
    expect(a.members.map(({ name, ...rest }) => rest)).toEqual(before);
    expect(a.authenticator).toEqual(b.authenticator);
    expect(await b.open(await a.seal(utf8("hello")))).toMatchObject({ ok: true, epoch: 2 });
    // And who comes afterwards sees it.
    const newcomer = await person();
    const own = await makeKeyPackage(newcomer);
    const c = must(await Group.join(newcomer, [own], welcomeOf(await add(a, own))));
    expect(c.members.map(({ name }) => name)).toEqual(["Ada", "Bea", "Ada"]);
  });

  test("takes from a committer no leaf without a valid name, with another extension, or with another credential", async () => {
    const name = encodeName("Cy");
    const { a, attacker } = await withAttacker();
    const leaf = must(leafAt(attacker.ratchetTree, 2));
    const broken = { ...name, extensionData: name.extensionData.map((byte, i) => (i === 2 ? 7 : byte)) };
    for (const changes of [
      { extensions: [] },
      { extensions: [name, name] },
      { extensions: [broken] },
      { capabilities: { ...leaf.capabilities, extensions: [ROOM_EXTENSION, NAME_EXTENSION, 0xf0ff] } },
      { credential: must(leafAt(attacker.ratchetTree, 0)).credential },
    ]) {
      const ratchetTree = attacker.ratchetTree.with(4, { nodeType: "leaf", leaf: { ...leaf, ...changes } });
      const { bytes } = await rawCommit({ ...attacker, ratchetTree }, []);
      expect((await a.process(bytes)).ok).toBe(false);
    }
    const { bytes } = await rawCommit(attacker, []);
    expect(await a.process(bytes)).toMatchObject({ ok: true });
  });

  test("has new keys on the whole path of each committer, whatever is committed", async () => {
    const { a, b } = await pair();
    const keys = (state: ClientState) =>
      [0, 1, 2].map((index) => toHex(must(encryptionKeyAt(state.ratchetTree, index))));
    let before = keys((await a.commit({ add: [], remove: [] })).next);
    const newcomer = (await makeKeyPackage(await person())).publicPackage;
    for (const wanted of [
      { add: [newcomer], remove: [] },
      { add: [], remove: [], room: { ...a.room, mode: "locked" as const } },
      { add: [], remove: [] },
    ]) {
      const pending = await a.commit(wanted);
      expect(await b.process(pending.bytes)).toMatchObject({ ok: true });
      a.adopt(pending);
      const after = keys(pending.next);
      expect([after[0] === before[0], after[1] === before[1], after[2] === before[2]]).toEqual([false, false, true]);
      expect(a.authenticator).toEqual(b.authenticator);
      before = after;
    }
  });

  test("does not open a message again whose key it used while its own commit was on its way", async () => {
    const { a, b } = await pair();
    const pending = await a.commit({ add: [], remove: [1] });
    const sealed = await b.seal(utf8("once"));
    expect(await a.open(sealed)).toMatchObject({ ok: true });
    a.adopt(pending);
    expect(await a.open(sealed)).toEqual({ ok: false, drop: "replayed" });
  });

  test("erases the keys it used and the secret of the epoch it leaves, by whomever that ended", async () => {
    const { a, b } = await pair();
    const first = await a.commit({ add: [], remove: [] });
    await b.process(first.bytes);
    a.adopt(first);
    const ratchet = (leaf: number) => must(first.next.secretTree[2 * leaf]);
    const erased = (secret: Uint8Array) => secret.every((byte) => byte === 0);
    const spent = () =>
      [ratchet(0).application, ratchet(1).application, ratchet(1).handshake].map((r) => erased(r.secret));
    expect(spent()).toEqual([false, false, false]);
    await a.seal(utf8("sent"));
    expect(spent()).toEqual([true, false, false]);
    await a.open(await b.seal(utf8("received")));
    expect(spent()).toEqual([true, true, false]);
    const theirs = await b.commit({ add: [], remove: [] });
    expect(erased(first.next.keySchedule.initSecret)).toBe(false);
    await a.process(theirs.bytes);
    expect([...spent(), erased(first.next.keySchedule.initSecret)]).toEqual([true, true, true, true]);
    b.adopt(theirs);
    expect(erased(theirs.next.keySchedule.initSecret)).toBe(false);
    b.adopt(await b.commit({ add: [], remove: [] }));
    expect(erased(theirs.next.keySchedule.initSecret)).toBe(true);
  });

  test("tells a removed member so, and who took its seat", async () => {
    const { a, b, attacker } = await withAttacker();
    const own = await makeKeyPackage(await person());
    const replaced = await rawCommit(attacker, [
      { proposalType: "remove", remove: { removed: 1 } },
      adding(own),
      linkPskProposal(suite),
    ]);
    expect(await b.process(replaced.bytes)).toEqual({ ok: true, change: null, byHost: false, successor: null });
    expect(await a.process(replaced.bytes)).toMatchObject({ ok: true, change: { removed: [{ leaf: 1 }] } });
    expect(b.epoch).toBe(2);
  });

  test("takes newcomers whatever was removed before, as long as it lives", { timeout: 60_000 }, async () => {
    const step = fc.record({
      committer: fc.nat(20),
      adds: fc.integer({ min: 0, max: 3 }),
      removes: fc.array(fc.nat(20), { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 8 }), async (steps) => {
        let groups = [await Group.create(await person())];
        for (const { committer, adds, removes } of [{ committer: 0, adds: 5, removes: [] }, ...steps]) {
          const by = must(groups[committer % groups.length]);
          const remove = [...new Set(removes.map((i) => must(groups[i % groups.length]).leaf))].filter(
            (leaf) => leaf !== by.leaf,
          );
          groups = await change(groups, by, adds, remove);
          expect(new Set(groups.map(({ authenticator }) => authenticator.join()))).toHaveLength(1);
        }
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 2) },
    );
  });
});

async function change(groups: Group[], by: Group, adds: number, remove: number[]): Promise<Group[]> {
  const newcomers = await Promise.all(Array.from({ length: adds }, () => person()));
  const packages = await Promise.all(newcomers.map(makeKeyPackage));
  const pending = await by.commit({ add: packages.map(({ publicPackage }) => publicPackage), remove });
  const stay: Group[] = [];
  for (const group of groups) {
    const result =
      group === by ? { ok: true as const, change: group.adopt(pending) } : await group.process(pending.bytes);
    if (result.ok && result.change !== null) stay.push(group);
    else expect(remove).toContain(group.leaf);
  }
  for (const [i, membership] of newcomers.entries()) {
    stay.push(must(await Group.join(membership, [must(packages[i])], welcomeOf(pending))));
  }
  return stay;
}

describe("the link", () => {
  test("is needed to open a welcome", async () => {
    const a = await Group.create(await person());
    const thief = await newMembership(random(32));
    const own = await makeKeyPackage(thief);
    expect(await Group.join(thief, [own], welcomeOf(await add(a, own)))).toBeNull();
  });

  test("is needed to add: members refuse a commit without it, newcomers a welcome without it", async () => {
    const { a, b, attacker } = await withAttacker();
    const ghost = await person();
    const own = await makeKeyPackage(ghost);
    const commit = await rawCommit(attacker, [adding(own)]);
    for (const group of [a, b]) expect(await group.process(commit.bytes)).toEqual({ ok: false, drop: "forbidden" });
    expect(await Group.join(ghost, [own], must(commit.welcome))).toBeNull();
  });

  test("a wrong one in a commit changes nothing for the members", async () => {
    const { a, attacker } = await withAttacker();
    const proposals = [adding(await makeKeyPackage(await person())), linkPskProposal(suite)];
    const context = { state: attacker, cipherSuite: suite, pskIndex: { findPsk: () => random(32) } };
    const { commit } = await createCommit(context, { extraProposals: proposals });
    expect(await a.process(encodeMlsMessage(commit))).toEqual({ ok: false, drop: "invalid" });
    expect(a.epoch).toBe(2);
  });
});

describe("what members refuse", () => {
  test("an addition proposed from outside, as the server could make one", async () => {
    const { a, attacker } = await withAttacker();
    const ghost = await makeKeyPackage(await person());
    const info = {
      groupContext: attacker.groupContext,
      extensions: [],
      confirmationTag: attacker.confirmationTag,
      signer: 0,
      signature: random(64),
    };
    const outside = encodeMlsMessage(await proposeAddExternal(info, ghost.publicPackage, ghost.privatePackage, suite));
    expect(await a.process(outside)).toEqual({ ok: false, drop: "malformed" });
    expect(await a.open(outside)).toEqual({ ok: false, drop: "malformed" });
  });

  test("public messages, standalone proposals, and commits that refer to them", async () => {
    const { a, attacker } = await withAttacker();
    const removal: Proposal = { proposalType: "remove", remove: { removed: 0 } };
    const standalone = await createProposal(attacker, false, removal, suite);
    const referring = await libraryCommit(standalone.newState, []);
    const inPublic = await libraryCommit(attacker, [], true);
    for (const bytes of [encodeMlsMessage(standalone.message), inPublic]) {
      expect(await a.process(bytes)).toEqual({ ok: false, drop: "malformed" });
      expect(await a.open(bytes)).toEqual({ ok: false, drop: "malformed" });
    }
    expect(await a.process(referring)).toEqual({ ok: false, drop: "invalid" });
    expect(a.epoch).toBe(2);
  });

  test("a member that speaks as another, or as nobody", async () => {
    const a = await Group.create(await person());
    const [joiner, own, ...others] = [
      await person(),
      await makeKeyPackage(await person()),
      ...[await person(), await person()],
    ];
    const joining = await makeKeyPackage(joiner);
    const welcome = welcomeOf(await add(a, joining, own, ...(await Promise.all(others.map(makeKeyPackage)))));
    const credulous = { ...suite, signature: { ...suite.signature, verify: async () => true } };
    const b = must(await Group.join(joiner, [joining], welcome));
    const believing = must(await Group.join({ ...joiner, suite: credulous }, [joining], welcome));
    const attacker = await rawJoin(own, welcome);
    const as = (leafIndex: number) => ({ ...attacker, privatePath: { ...attacker.privatePath, leafIndex } });
    const says = async (leaf: number) =>
      sealedBy((await createApplicationMessage(as(leaf), utf8("I am another"), suite)).privateMessage);

    // The second half of each pair shows that nothing but the signature is wrong with what the attacker made.
    const [other, blank] = [3, 5];
    const message = await says(other);
    expect(await b.open(message)).toEqual({ ok: false, drop: "invalid" });
    expect(await believing.open(message)).toMatchObject({ ok: true, from: { leaf: other } });
    const nobodys = await says(blank);
    expect(await b.open(nobodys)).toEqual({ ok: false, drop: "invalid" });
    expect(await believing.open(nobodys)).toEqual({ ok: false, drop: "invalid" });
    const commit = await rawCommit(as(other), []);
    expect(await b.process(commit.bytes)).toEqual({ ok: false, drop: "invalid" });
    expect(await believing.process(commit.bytes)).toMatchObject({ ok: true });
  });

  test("a member that becomes another on its way", async () => {
    const { a, attacker } = await withAttacker();
    const own = must(attacker.ratchetTree[4]);
    if (own.nodeType !== "leaf") throw new Error("not a leaf");
    const binding = { room: ROOM, leafKey: own.leaf.signaturePublicKey };
    const other = await issueCredential(await newIdentity(), binding, random(16), {
      notBefore: 0n,
      notAfter: 1n << 40n,
    });
    const ratchetTree = attacker.ratchetTree.slice();
    ratchetTree[4] = {
      nodeType: "leaf",
      leaf: { ...own.leaf, credential: { credentialType: "basic", identity: other } },
    };
    const honest = await rawCommit(attacker, []);
    const changed = await rawCommit({ ...attacker, ratchetTree }, []);
    expect(await a.process(changed.bytes)).toEqual({ ok: false, drop: "forbidden" });
    expect(await a.process(honest.bytes)).toMatchObject({ ok: true });
  });

  test("the same seat twice, but for a removal in the same commit", async () => {
    const { a, b, attacker, membership } = await withAttacker();
    const again = await makeKeyPackage(membership);
    await expect(b.commit({ add: [again.publicPackage], remove: [] })).rejects.toThrow();
    const twice = await rawCommit(attacker, [adding(again), linkPskProposal(suite)]);
    expect(await a.process(twice.bytes)).toEqual({ ok: false, drop: "forbidden" });
    const pending = await b.commit({ add: [again.publicPackage], remove: [2] });
    expect(await a.process(pending.bytes)).toMatchObject({ ok: true });
  });

  test("a credential that is not valid now", async () => {
    const { a, b, attacker } = await withAttacker();
    const old = await makeKeyPackage(await person({ seconds: () => 1_000_000n }));
    expect(await readApplication(await person(), encodeKeyPackage(old.publicPackage))).toBeNull();
    await expect(b.commit({ add: [old.publicPackage], remove: [] })).rejects.toThrow();

    // Its MLS lifetime says otherwise.
    const { identity, seat } = await person();
    const keys = await suite.signature.keygen();
    const validity = { notBefore: 0n, notAfter: 1_000_000n };
    const claims = await issueCredential(identity, { room: ROOM, leafKey: keys.publicKey }, seat, validity);
    const ghost = await generateKeyPackageWithKey(
      { credentialType: "basic", identity: claims },
      old.publicPackage.leafNode.capabilities,
      { notBefore: 0n, notAfter: 1n << 40n },
      [],
      keys,
      suite,
      [encodeName("Ada")],
    );
    const commit = await rawCommit(attacker, [adding(ghost), linkPskProposal(suite)]);
    expect(await a.process(commit.bytes)).toEqual({ ok: false, drop: "forbidden" });
  });

  test("a credential of another room", async () => {
    const { attacker, a } = await withAttacker();
    const elsewhere = await makeKeyPackage(await person({ room: "BAAAAAAAAAAAAAAAAAAAAA" }));
    expect(await readApplication(await person(), encodeKeyPackage(elsewhere.publicPackage))).toBeNull();
    const commit = await rawCommit(attacker, [adding(elsewhere), linkPskProposal(suite)]);
    expect(await a.process(commit.bytes)).toEqual({ ok: false, drop: "invalid" });
  });

  test("a key to which nothing can be sealed, of a newcomer or in the committer's path", async () => {
    const { a, attacker } = await withAttacker();
    const { hpke } = suite;
    const good = await hpke.exportPublicKey((await hpke.generateKeyPair()).publicKey);
    for (const key of unusable(good)) {
      const exportPublicKey = async () => key;
      const crooked = { ...suite, hpke: { ...hpke, exportPublicKey } };
      const ghost = await makeKeyPackage(await person({ suite: crooked }));
      const sound = { ...ghost.publicPackage, initKey: good };
      const added = await rawCommit(attacker, [
        {
          proposalType: "add",
          add: { keyPackage: await signKeyPackage(sound, ghost.privatePackage.signaturePrivateKey, suite.signature) },
        },
        linkPskProposal(suite),
      ]);
      expect(await a.process(added.bytes)).toEqual({ ok: false, drop: "forbidden" });
      for (const at of [0, 1]) {
        let made = 0;
        const once = async (pair: Parameters<typeof hpke.exportPublicKey>[0]) =>
          made++ === at ? key : hpke.exportPublicKey(pair);
        const { extensions } = must(leafAt(attacker.ratchetTree, attacker.privatePath.leafIndex));
        const path = await makeCommit(attacker, [], extensions, psks, {
          ...suite,
          hpke: { ...hpke, exportPublicKey: once },
        });
        expect(await a.process(path.bytes)).toEqual({ ok: false, drop: "forbidden" });
      }
    }
    expect(await a.process((await rawCommit(attacker, [])).bytes)).toMatchObject({ ok: true });
  });

  test("a leaf whose number does not fit into a frame", { timeout: 30_000 }, async () => {
    const { a, attacker } = await withAttacker();
    const crowd = await Promise.all(Array.from({ length: 61 }, async () => makeKeyPackage(await person())));
    const full = await rawCommit(attacker, [...crowd.map(adding), linkPskProposal(suite)]);
    expect(await a.process(full.bytes)).toMatchObject({ ok: true });
    expect(a.members.at(-1)?.leaf).toBe(63);
    const last = await makeKeyPackage(await person());
    await expect(a.commit({ add: [last.publicPackage], remove: [] })).rejects.toThrow();
    const over = await rawCommit(full.next, [adding(last), linkPskProposal(suite)]);
    expect(await a.process(over.bytes)).toEqual({ ok: false, drop: "forbidden" });
  });

  test("other kinds of proposals, a removal twice, and pre-shared keys out of place", async () => {
    const { a, attacker } = await withAttacker();
    const extensions: Proposal = {
      proposalType: "group_context_extensions",
      groupContextExtensions: { extensions: [] },
    };
    expect(await a.process((await rawCommit(attacker, [extensions])).bytes)).toEqual({ ok: false, drop: "forbidden" });
    const custom: Proposal = { proposalType: 0xf000, proposalData: new Uint8Array() };
    const removal: Proposal = { proposalType: "remove", remove: { removed: 1 } };
    const psk = linkPskProposal(suite);
    const situation = { suite, seconds: 0n, tree: attacker.ratchetTree, room: a.room, committer: 2 };
    expect(isAllowed([removal], situation)).toBe(true);
    for (const proposals of [[custom], [removal, removal], [psk], [removal, psk], [psk, psk]]) {
      expect(isAllowed(proposals, situation)).toBe(false);
    }
  });

  test("a change of the room by anybody but a host", async () => {
    const { a, b, attacker } = await withAttacker();
    await expect(b.commit({ add: [], remove: [], room: { ...b.room, mode: "locked" } })).rejects.toThrow();
    const grab = { ...a.room, hosts: [must(a.members[2]).identity] };
    for (const room of [{ ...a.room, mode: "locked" as const }, grab]) {
      const commit = await rawCommit(attacker, [roomProposal(room)]);
      expect(await a.process(commit.bytes)).toEqual({ ok: false, drop: "forbidden" });
    }
    const locked = await a.commit({ add: [], remove: [], room: { ...a.room, mode: "locked" } });
    expect(await b.process(locked.bytes)).toMatchObject({ ok: true, change: { newLink: false } });
    a.adopt(locked);
    expect([a.room, b.room]).toMatchObject([{ mode: "locked" }, { mode: "locked" }]);
    expect([a.isHost, b.isHost]).toEqual([true, false]);
  });

  test("nothing of a host's from whom the list named before", async () => {
    const { a, b } = await pair();
    const [mine, theirs] = a.members.map(({ identity }) => identity);
    const handed = await a.commit({ add: [], remove: [], room: { mode: "locked", hosts: [must(theirs)] } });
    expect(await b.process(handed.bytes)).toMatchObject({ ok: true });
    a.adopt(handed);
    expect([a.isHost, b.isHost, a.hosts]).toEqual([false, true, [theirs]]);
    await expect(a.commit({ add: [], remove: [], room: { ...a.room, mode: "open" } })).rejects.toThrow("not allowed");
    const shared = await b.commit({ add: [], remove: [], room: { ...b.room, hosts: [must(theirs), must(mine)] } });
    expect(await a.process(shared.bytes)).toMatchObject({ ok: true });
    expect([a.isHost, a.hosts]).toEqual([true, [theirs, mine]]);
  });

  test("another link without a removal, with a newcomer, or from anybody but a host", async () => {
    const { a, b } = await pair();
    const newcomer = (await makeKeyPackage(await person())).publicPackage;
    for (const wanted of [
      { add: [], remove: [], newLink: true },
      { add: [newcomer], remove: [1], newLink: true },
    ])
      await expect(a.commit(wanted)).rejects.toThrow("not allowed");
    await expect(b.commit({ add: [], remove: [0], newLink: true })).rejects.toThrow("not allowed");
  });

  test("a new link from anybody but a host, whose removal everybody takes", async () => {
    const { a, b, attacker } = await withAttacker();
    const removal: Proposal = { proposalType: "remove", remove: { removed: 1 } };
    const grab = await rawCommit(attacker, [removal, NEW_LINK]);
    expect(await a.process(grab.bytes)).toEqual({ ok: false, drop: "forbidden" });
    const rightful = await a.commit({ add: [], remove: [2], newLink: true });
    expect(await b.process(rightful.bytes)).toMatchObject({
      ok: true,
      change: { byHost: true, removed: [{ leaf: 2 }], newLink: true },
    });
    expect(a.adopt(rightful)).toMatchObject({ newLink: true });
    expect(await a.exportSecret("x", 32)).toEqual(await b.exportSecret("x", 32));
  });

  test("a stranger in a locked or waiting room but by a host; who is in may come back", async () => {
    const { a, b, attacker, membership } = await withAttacker();
    const stranger = (await makeKeyPackage(await person())).publicPackage;
    const again = (await makeKeyPackage(membership)).publicPackage;
    for (const mode of ["waiting", "locked"] as const) {
      const change = await a.commit({ add: [], remove: [], room: { ...a.room, mode } });
      a.adopt(change);
      await b.process(change.bytes);
      await expect(b.commit({ add: [stranger], remove: [] })).rejects.toThrow("not allowed");
      await expect(b.commit({ add: [again], remove: [2] })).resolves.toMatchObject({ epoch: b.epoch });
      await expect(a.commit({ add: [stranger], remove: [] })).resolves.toMatchObject({ epoch: a.epoch });
    }
    expect(attacker.ratchetTree.length).toBeGreaterThan(0);
  });

  test("a stranger whom a member adds in a waiting room against its own rules", async () => {
    const { a, b, attacker } = await withAttacker();
    const change = await a.commit({ add: [], remove: [], room: { ...a.room, mode: "waiting" } });
    a.adopt(change);
    await b.process(change.bytes);
    const [message] = must(decodeMlsMessage(change.bytes, 0));
    if (message.wireformat !== "mls_private_message") throw new Error("not private");
    const moved = await processPrivateMessage(attacker, message.privateMessage, psks, suite, () => "accept");
    const stranger = await makeKeyPackage(await person());
    const commit = await rawCommit(moved.newState, [adding(stranger), linkPskProposal(suite)]);
    expect(await a.process(commit.bytes)).toEqual({ ok: false, drop: "forbidden" });
    expect(await b.process(commit.bytes)).toEqual({ ok: false, drop: "forbidden" });
  });

  test("a commit without a path, which heals nobody", async () => {
    const { a, attacker } = await withAttacker();
    const added = adding(await makeKeyPackage(await person()));
    const proposals = [added, linkPskProposal(suite)];
    expect(await a.process(await libraryCommit(attacker, proposals))).toEqual({ ok: false, drop: "forbidden" });
    expect(await a.process((await rawCommit(attacker, proposals)).bytes)).toMatchObject({ ok: true });
  });

  test("a newcomer that does not know of rooms", async () => {
    const { a } = await pair();
    const membership = await person();
    const keys = await suite.signature.keygen();
    const validity = { notBefore: 0n, notAfter: 1n << 40n };
    const claims = await issueCredential(
      membership.identity,
      { room: ROOM, leafKey: keys.publicKey },
      random(16),
      validity,
    );
    const own = await makeKeyPackage(membership);
    const capabilities = { ...own.publicPackage.leafNode.capabilities, extensions: [NAME_EXTENSION] };
    const ignorant = await generateKeyPackageWithKey(
      { credentialType: "basic", identity: claims },
      capabilities,
      validity,
      [],
      keys,
      suite,
      [encodeName("Ada")],
    );
    expect(await readApplication(await person(), encodeKeyPackage(ignorant.publicPackage))).toBeNull();
    await expect(a.commit({ add: [ignorant.publicPackage], remove: [] })).rejects.toThrow();
  });

  test("a newcomer without a name", async () => {
    const { a, b, attacker } = await withAttacker();
    const nameless = await makeNamed(await person(), []);
    expect(await readApplication(await person(), encodeKeyPackage(nameless.publicPackage))).toBeNull();
    await expect(a.commit({ add: [nameless.publicPackage], remove: [] })).rejects.toThrow();
    const commit = await rawCommit(attacker, [adding(nameless), linkPskProposal(suite)]);
    expect(await b.process(commit.bytes)).toEqual({ ok: false, drop: "forbidden" });
  });

  test("a newcomer with another's HPKE key: nobody accepts it, and the member that adds it does not send it", async () => {
    const { a, b, attacker } = await withAttacker();
    const theirs = await suite.hpke.importPublicKey(must(leafAt(attacker.ratchetTree, 1)).hpkePublicKey);
    const { privateKey } = await suite.hpke.generateKeyPair();
    const keys = [await suite.hpke.generateKeyPair(), { privateKey, publicKey: theirs }];
    const generateKeyPair = async () => must(keys.shift());
    const twin = await makeKeyPackage(await person({ suite: { ...suite, hpke: { ...suite.hpke, generateKeyPair } } }));
    expect(must(await readApplication(await person(), encodeKeyPackage(twin.publicPackage))).name).toBe("Ada");
    await expect(a.commit({ add: [twin.publicPackage], remove: [] })).rejects.toThrow("the commit would be refused");
    const commit = await rawCommit(attacker, [adding(twin), linkPskProposal(suite)]);
    expect((await b.process(commit.bytes)).ok).toBe(false);
    expect(await b.process((await add(a, await makeKeyPackage(await person()))).bytes)).toMatchObject({ ok: true });
  });

  test("a group in which someone has no name", async () => {
    const founder = await person();
    const a = await Group.create(founder);
    const own = await makeKeyPackage(await person());
    const attacker = await rawJoin(own, welcomeOf(await add(a, own)));
    const [nameless, newcomer] = [await makeNamed(await person(), []), await person()];
    const mine = await makeKeyPackage(newcomer);
    const proposals = [adding(nameless), adding(mine), linkPskProposal(suite)];
    expect(await Group.join(newcomer, [mine], must((await rawCommit(attacker, proposals)).welcome))).toBeNull();
    const sound = [adding(mine), linkPskProposal(suite)];
    expect(await Group.join(newcomer, [mine], must((await rawCommit(attacker, sound)).welcome))).not.toBeNull();
  });

  test("anything damaged, without a throw and without a change", async () => {
    const { a, b } = await pair();
    const sealed = await a.seal(utf8("hello"));
    const { bytes: commit } = await a.commit({
      add: [(await makeKeyPackage(await person())).publicPackage],
      remove: [],
    });
    const authenticator = b.authenticator.slice();
    const damage = fc.record({ at: fc.nat(), with: fc.integer({ min: 1, max: 255 }), cut: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(sealed, commit), damage, async (message, { at, with: mask, cut }) => {
        const i = at % message.length;
        const damaged = cut ? message.slice(0, i) : message.map((byte, j) => (j === i ? byte ^ mask : byte));
        expect(await b.process(damaged)).toMatchObject({ ok: false });
        expect(await b.open(damaged)).toMatchObject({ ok: false });
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        expect(await b.process(bytes)).toMatchObject({ ok: false });
        expect(await b.open(bytes)).toMatchObject({ ok: false });
        expect(await Group.join(await person(), [], bytes)).toBeNull();
        expect(await readApplication(await person(), bytes)).toBeNull();
      }),
      { numRuns: 50 },
    );
    expect(equal(b.authenticator, authenticator)).toBe(true);
    expect(await b.open(sealed)).toMatchObject({ ok: true });
    expect(await b.process(commit)).toMatchObject({ ok: true });
  });

  test("a message larger than any is, unread", async () => {
    const { a, b } = await pair();
    const large = await a.seal(new Uint8Array(50 * 1024));
    expect(await b.open(large)).toEqual({ ok: false, drop: "malformed" });
  });
});

describe("a member's steps", () => {
  test("a commit tells whom it added and removed, and brings a welcome only with an addition", async () => {
    const { a, b } = await pair();
    const c = await makeKeyPackage(await person());
    const pending = await a.commit({ add: [c.publicPackage], remove: [] });
    expect(pending).toMatchObject({ epoch: 1, removed: [], door: null, welcome: expect.any(Uint8Array) });
    const processed = await b.process(pending.bytes);
    const added = [{ leaf: 2, me: false, leafKeyId: expect.any(String) }];
    expect(processed).toMatchObject({ ok: true, change: { added, removed: [], newLink: false } });
    expect(a.adopt(pending)).toEqual(processed.ok && processed.change);
    expect([a.members.map(({ me }) => me), b.members.map(({ me }) => me)]).toEqual([
      [true, false, false],
      [false, true, false],
    ]);
    const removal = await a.commit({ add: [], remove: [2] });
    expect([removal.welcome, removal.removed]).toEqual([null, [2]]);
    const removed = await b.process(removal.bytes);
    expect(removed).toMatchObject({ change: { byHost: true, added: [], removed: [{ leaf: 2 }], newLink: false } });
    expect(a.adopt(removal)).toEqual(removed.ok && removed.change);
  });

  test("who takes a leaf that another had in the epoch before is someone new", async () => {
    const { a, b } = await withAttacker();
    const again = await makeKeyPackage(await person());
    const pending = await a.commit({ add: [again.publicPackage], remove: [2] });
    const change = { added: [{ leaf: 2 }], removed: [{ leaf: 2 }] };
    expect(await b.process(pending.bytes)).toMatchObject({ change });
    expect(a.adopt(pending)).toMatchObject(change);
  });

  test("a commit is taken once, in its epoch, and only as a commit", async () => {
    const { a, b } = await pair();
    const first = await a.commit({ add: [], remove: [] });
    const second = await a.commit({ add: [], remove: [] });
    expect(await b.open(first.bytes)).toEqual({ ok: false, drop: "malformed" });
    expect(await b.process(first.bytes)).toMatchObject({ ok: true });
    for (const { bytes } of [first, second]) expect(await b.process(bytes)).toEqual({ ok: false, drop: "other-epoch" });
    a.adopt(first);
    expect(() => a.adopt(second)).toThrow("another epoch");
    const sealed = await a.seal(utf8("hello"));
    expect(await b.process(sealed)).toEqual({ ok: false, drop: "malformed" });
    expect(await b.open(sealed)).toMatchObject({ ok: true });
  });

  test("messages and commits of another group are not ours", async () => {
    const [one, other] = [await pair(), await pair()];
    expect(await one.b.open(await other.a.seal(utf8("hello")))).toEqual({ ok: false, drop: "malformed" });
    const commit = await other.a.commit({ add: [], remove: [] });
    expect(await one.b.process(commit.bytes)).toEqual({ ok: false, drop: "malformed" });
  });

  test("messages open in any order, each once", async () => {
    const { a, b } = await pair();
    const sealed = [await a.seal(utf8("0")), await a.seal(utf8("1")), await a.seal(utf8("2"))];
    for (const i of [2, 0, 1]) expect(await b.open(sealed[i]!)).toMatchObject({ ok: true, plaintext: utf8(`${i}`) });
    for (const i of [2, 0, 1]) expect(await b.open(sealed[i]!)).toEqual({ ok: false, drop: "replayed" });
  });

  test("messages of four epochs before open, and older ones do not", async () => {
    const { a, b } = await pair();
    const sealed = await a.seal(utf8("old"));
    for (let i = 0; i < 4; i += 1) {
      const pending = await a.commit({ add: [], remove: [] });
      await b.process(pending.bytes);
      a.adopt(pending);
    }
    const state = await b.open(sealed);
    expect(state).toMatchObject({ ok: true, epoch: 1 });
    const older = await pair();
    const early = await older.a.seal(utf8("older"));
    for (let i = 0; i < 5; i += 1) {
      const pending = await older.a.commit({ add: [], remove: [] });
      await older.b.process(pending.bytes);
      older.a.adopt(pending);
    }
    expect(await older.b.open(early)).toEqual({ ok: false, drop: "past-epoch" });
  });

  test("a member learns which newcomer took its own seat", async () => {
    const { a, b } = await withAttacker();
    const founder = await person();
    const group = await Group.create(founder);
    const membership = await person();
    const own = await makeKeyPackage(membership);
    const joined = must(await Group.join(membership, [own], welcomeOf(await add(group, own))));
    const [again, stranger] = [await makeKeyPackage(membership), await makeKeyPackage(await person())];
    const pending = await group.commit({ add: [stranger.publicPackage, again.publicPackage], remove: [1] });
    const successor = toHex(again.publicPackage.leafNode.signaturePublicKey);
    expect(await joined.process(pending.bytes)).toEqual({ ok: true, change: null, byHost: false, successor });

    const otherSeat = await makeKeyPackage({ ...membership, seat: random(16) });
    const otherPerson = await makeKeyPackage(await person({ seat: membership.seat }));
    for (const { publicPackage } of [otherSeat, otherPerson]) {
      const otherwise = await group.commit({ add: [publicPackage], remove: [1] });
      expect(await joined.process(otherwise.bytes)).toMatchObject({ change: null, successor: null });
    }
    const removal = await a.commit({ add: [], remove: [1], newLink: true });
    expect(await b.process(removal.bytes)).toEqual({ ok: true, change: null, byHost: true, successor: null });
  });

  test("an exported secret is bound to its label, its context and its epoch", async () => {
    const { a, b } = await pair();
    const exported = async (group: Group) => [
      await group.exportSecret("one", 32),
      await group.exportSecret("two", 32),
      await group.exportSecret("one", 32, utf8("context")),
    ];
    const before = await exported(a);
    expect(await exported(b)).toEqual(before);
    expect(await a.exportSecret("one", 32, new Uint8Array())).toEqual(before[0]);
    a.adopt(await a.commit({ add: [], remove: [] }));
    expect(new Set([...before, ...(await exported(a))].map(toHex)).size).toBe(6);
  });
});

describe("a newcomer", () => {
  test("joins by whichever of its key packages the welcome is for, and by nothing else than a welcome", async () => {
    const a = await Group.create(await person());
    const newcomer = await person();
    const [one, two] = [await makeKeyPackage(newcomer), await makeKeyPackage(newcomer)];
    const pending = await add(a, two);
    expect(must(await Group.join(newcomer, [one, two], welcomeOf(pending))).authenticator).toEqual(a.authenticator);
    expect(await Group.join(newcomer, [one], welcomeOf(pending))).toBeNull();
    expect(await Group.join(newcomer, [one, two], pending.bytes)).toBeNull();
    expect(await Group.join(newcomer, [one, two], Uint8Array.of(...welcomeOf(pending), 0))).toBeNull();
  });

  test("refuses a group in which someone sits twice", async () => {
    const { attacker, membership } = await withAttacker();
    const newcomer = await person();
    const [own, again] = [await makeKeyPackage(newcomer), await makeKeyPackage(membership)];
    const proposals = [adding(own), linkPskProposal(suite)];
    const sound = await rawCommit(attacker, proposals);
    expect(await Group.join(newcomer, [own], must(sound.welcome))).not.toBeNull();
    const twice = await rawCommit(attacker, [adding(again), ...proposals]);
    expect(await Group.join(newcomer, [own], must(twice.welcome))).toBeNull();
  });

  test("refuses a group with a credential of another room", async () => {
    const { attacker } = await withAttacker();
    const newcomer = await person();
    const own = await makeKeyPackage(newcomer);
    const elsewhere = await makeKeyPackage(await person({ room: "BAAAAAAAAAAAAAAAAAAAAA" }));
    const proposals = [adding(elsewhere), adding(own), linkPskProposal(suite)];
    const { welcome } = await rawCommit(attacker, proposals);
    expect(await Group.join(newcomer, [own], must(welcome))).toBeNull();
  });

  test("follows a commit whose path leads through its own parents", async () => {
    const founder = await Group.create(await person());
    const people = await Promise.all([person(), person(), person()]);
    const packages = await Promise.all(people.map(makeKeyPackage));
    const first = await add(founder, ...packages);
    const third = must(await Group.join(people[1]!, [packages[1]!], welcomeOf(first)));
    const newcomer = await person();
    const own = await makeKeyPackage(newcomer);
    const replaced = await founder.commit({ add: [own.publicPackage], remove: [1] });
    founder.adopt(replaced);
    await third.process(replaced.bytes);
    const joined = must(await Group.join(newcomer, [own], welcomeOf(replaced)));
    const next = await third.commit({ add: [], remove: [] });
    expect(await joined.process(next.bytes)).toMatchObject({ ok: true });
    third.adopt(next);
    expect(joined.authenticator).toEqual(third.authenticator);
  });
});
