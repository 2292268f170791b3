import { equal, utf8 } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import fc from "fast-check";
import type { ClientState, MLSMessage, Proposal } from "ts-mls";
import { createCommit } from "ts-mls/createCommit.js";
import { createApplicationMessage, createProposal } from "ts-mls/createMessage.js";
import { proposeAddExternal } from "ts-mls/externalProposal.js";
import { generateKeyPackageWithKey } from "ts-mls/keyPackage.js";
import { decodeMlsMessage, encodeMlsMessage } from "ts-mls/message.js";
import { describe, expect, test } from "vitest";
import { issueCredential } from "./credential.ts";
import { Group, type PendingCommit } from "./group.ts";
import { encodeApplication, type Membership, makeKeyPackage, readApplication } from "./key-package.ts";
import { newIdentity, newMembership, ROOM } from "./room.cases.ts";
import { isAllowed, LINK_PSK, linkPskProposal } from "./rules.ts";
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
  return joinWithWelcome(message.welcome, own, { psks, requiredPsk: LINK_PSK, config }, suite);
}

async function rawCommit(state: ClientState, extraProposals: Proposal[], wireAsPublicMessage = false) {
  const context = { state, cipherSuite: suite, pskIndex: psks };
  const options = { extraProposals, ratchetTreeExtension: true, wireAsPublicMessage };
  const { commit, newState, welcome } = await createCommit(context, options);
  const encodedWelcome = welcome && encodeMlsMessage({ version: "mls10", wireformat: "mls_welcome", welcome });
  return { bytes: encodeMlsMessage(commit), newState, welcome: encodedWelcome };
}

function sealedBy(privateMessage: Extract<MLSMessage, { wireformat: "mls_private_message" }>["privateMessage"]) {
  return encodeMlsMessage({ version: "mls10", wireformat: "mls_private_message", privateMessage });
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

  test("does not open a message again whose key it used while its own commit was on its way", async () => {
    const { a, b } = await pair();
    const pending = await a.commit({ add: [], remove: [1] });
    const sealed = await b.seal(utf8("once"));
    expect(await a.open(sealed)).toMatchObject({ ok: true });
    a.adopt(pending);
    expect(await a.open(sealed)).toEqual({ ok: false, drop: "replayed" });
  });

  test("tells a removed member so, and who took its seat", async () => {
    const { a, b, attacker } = await withAttacker();
    const own = await makeKeyPackage(await person());
    const replaced = await rawCommit(attacker, [
      { proposalType: "remove", remove: { removed: 1 } },
      adding(own),
      linkPskProposal(suite),
    ]);
    expect(await b.process(replaced.bytes)).toEqual({ ok: true, change: null, successor: null });
    expect(await a.process(replaced.bytes)).toMatchObject({ ok: true, change: { removed: [1] } });
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
      { numRuns: Number(process.env.FUZZ_RUNS ?? 4) },
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
    const referring = await rawCommit(standalone.newState, []);
    const inPublic = await rawCommit(attacker, [], true);
    for (const bytes of [encodeMlsMessage(standalone.message), inPublic.bytes]) {
      expect(await a.process(bytes)).toEqual({ ok: false, drop: "malformed" });
      expect(await a.open(bytes)).toEqual({ ok: false, drop: "malformed" });
    }
    expect(await a.process(referring.bytes)).toEqual({ ok: false, drop: "invalid" });
    expect(a.epoch).toBe(2);
  });

  test("a member that speaks as another", async () => {
    const { a, b, attacker } = await withAttacker();
    const as = { ...attacker, privatePath: { ...attacker.privatePath, leafIndex: b.leaf } };
    const { privateMessage } = await createApplicationMessage(as, utf8("I am b"), suite);
    expect(await a.open(sealedBy(privateMessage))).toEqual({ ok: false, drop: "invalid" });
    const commit = await rawCommit(as, [{ proposalType: "remove", remove: { removed: 2 } }]);
    expect(await a.process(commit.bytes)).toEqual({ ok: false, drop: "invalid" });
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
    expect(await readApplication(await person(), encodeApplication(old))).toBeNull();
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
    );
    const commit = await rawCommit(attacker, [adding(ghost), linkPskProposal(suite)]);
    expect(await a.process(commit.bytes)).toEqual({ ok: false, drop: "forbidden" });
  });

  test("a credential of another room", async () => {
    const { attacker, a } = await withAttacker();
    const elsewhere = await makeKeyPackage(await person({ room: "BAAAAAAAAAAAAAAAAAAAAA" }));
    expect(await readApplication(await person(), encodeApplication(elsewhere))).toBeNull();
    const commit = await rawCommit(attacker, [adding(elsewhere), linkPskProposal(suite)]);
    expect(await a.process(commit.bytes)).toEqual({ ok: false, drop: "invalid" });
  });

  test("a leaf whose number does not fit into a frame", { timeout: 30_000 }, async () => {
    const { a, attacker } = await withAttacker();
    const crowd = await Promise.all(Array.from({ length: 61 }, async () => makeKeyPackage(await person())));
    const full = await rawCommit(attacker, [...crowd.map(adding), linkPskProposal(suite)]);
    expect(await a.process(full.bytes)).toMatchObject({ ok: true });
    expect(a.members.at(-1)?.leaf).toBe(63);
    const last = await makeKeyPackage(await person());
    await expect(a.commit({ add: [last.publicPackage], remove: [] })).rejects.toThrow();
    const over = await rawCommit(full.newState, [adding(last), linkPskProposal(suite)]);
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
    expect(isAllowed([removal], suite, 0n)).toBe(true);
    for (const proposals of [[custom], [removal, removal], [psk], [removal, psk], [psk, psk]]) {
      expect(isAllowed(proposals, suite, 0n)).toBe(false);
    }
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
