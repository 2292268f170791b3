import { concat } from "@sealcast/bytes";
import { random, Secret } from "@sealcast/crypto";
import { describe, expect, it, test } from "vitest";
import { Group } from "./group.ts";
import { encodeApplication, type Membership, makeKeyPackage, readApplication } from "./key-package.ts";
import { mlsSuite } from "./suite.ts";

const suite = await mlsSuite();
const linkSecret = random(32);
const ROOM = "AAAAAAAAAAAAAAAAAAAAAA";

async function person(overrides: Partial<Membership> = {}): Promise<Membership> {
  const pair = await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
  const identity = {
    publicKey: new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey)),
    sign: async (m: Uint8Array) =>
      new Uint8Array(await crypto.subtle.sign("Ed25519", pair.privateKey, new Uint8Array(m))),
  };
  return {
    suite,
    identity,
    room: ROOM,
    seat: random(16),
    linkSecret: new Secret(linkSecret.slice()),
    seconds: () => BigInt(Math.floor(Date.now() / 1000)),
    ...overrides,
  };
}

test("tree", async () => {
  const founder = await Group.create(await person());
  let groups = [founder];
  async function change(committer: Group, n: number, remove: number[]) {
    const people = await Promise.all(Array.from({ length: n }, () => person()));
    const packages = await Promise.all(people.map(makeKeyPackage));
    const t0 = performance.now();
    const pending = await committer.commit({ add: packages.map((p) => p.publicPackage), remove });
    const t1 = performance.now();
    const next: Group[] = [];
    for (const g of groups) {
      if (g === committer) {
        g.adopt(pending);
        next.push(g);
        continue;
      }
      const r = await g.process(pending.bytes);
      expect(r).toMatchObject({ ok: true });
      if (r.ok && r.change) next.push(g);
    }
    const t2 = performance.now();
    for (const [i, p] of packages.entries()) {
      const g = await Group.join(people[i]!, [p], pending.welcome!);
      expect(g).not.toBeNull();
      next.push(g!);
    }
    console.log(n, remove, t1 - t0, (t2 - t1) / groups.length, n ? (performance.now() - t2) / n : 0);
    groups = next;
    for (const g of groups) expect(g.authenticator).toEqual(founder.authenticator);
  }
  await change(founder, 7, []);
  await change(founder, 0, [3, 5]);
  await change(founder, 1, []);
  await change(groups.at(-1)!, 1, []);
  await change(groups.at(2)!, 2, [1]);
  await change(groups.at(2)!, 3, []);
  await change(groups.at(-2)!, 3, [4, 6]);
  await change(groups.at(-2)!, 3, []);
  await change(groups.at(-2)!, 1, []);
  expect(founder.members.length).toBe(15);
  const m = await groups[3]!.seal(concat(random(30)));
  for (const g of groups)
    if (g !== groups[3]) expect(await g.open(m)).toMatchObject({ ok: true, from: { leaf: groups[3]!.leaf } });
});
