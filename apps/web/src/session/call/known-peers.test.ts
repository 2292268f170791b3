import type { GroupMember, Pin } from "@sealcast/keys";
import { beforeEach, expect, test } from "vitest";
import { KnownPeers, type ShownMember } from "./known-peers.ts";

const me = member(0, "0", "Mia", true);

let kept: Pin[];
beforeEach(() => {
  kept = [];
});

function member(leaf: number, digit: string, name: string, me = false): GroupMember {
  return { leaf, identity: digit.repeat(64), seat: digit.repeat(32), leafKeyId: `${leaf} ${digit}`, name, me };
}

async function visit(): Promise<KnownPeers> {
  const store = {
    all: async () => kept,
    keep: async (pin: Pin) => {
      kept = [pin, ...kept.filter(({ identity }) => identity !== pin.identity)];
    },
  };
  return KnownPeers.open({ store, nameless: "No name", changed: () => undefined });
}

const names = (shown: ShownMember[]) => shown.map(({ name }) => name);

test("everybody in the roster shows, whatever their name is", async () => {
  const roster = [
    me,
    member(1, "1", "Ada"),
    member(2, "2", "\u202e\u200b"),
    member(3, "3", "\u0000"),
    member(4, "4", "Mia"),
    member(5, "5", " "),
    // With this browser's own key, on another seat.
    member(63, "0", "Mia"),
  ];
  const shown = (await visit()).show(roster);
  expect(names(shown)).toEqual(["Ada", "No name", "No name (2)", "Mia (3)", "No name (3)", "Mia (2)"]);
  expect(shown.map((one) => one.member)).toEqual(roster.slice(1));
});

test("a person who comes is remembered, once; without a name they are not", async () => {
  const known = await visit();
  known.show([me, member(1, "1", "Ada"), member(2, "2", "")]);
  known.show([me, member(1, "1", "Ada")]);
  expect(kept).toEqual([{ identity: "1".repeat(64), name: "Ada", verified: false }]);
  expect((await visit()).show([me, member(1, "1", "Ada")])[0]?.trust.level).toBe("known");
});

test("a known name with another key is not remembered until this person says so", async () => {
  (await visit()).verify(member(1, "1", "Ada"), true);
  const later = await visit();
  const other = member(1, "2", "\u0410da");
  expect(later.show([me, other])[0]).toMatchObject({ isVerified: false, trust: { namesake: { of: "verified" } } });
  expect(kept).toHaveLength(1);
  later.verify(other, true);
  expect((await visit()).show([me, other])[0]?.isVerified).toBe(true);
});

test("a verified person's name with what shows as nothing in it is an alarm, and has another label", async () => {
  (await visit()).verify(member(1, "1", "Ada"), true);
  const others = ["Ada\u2800", "\ufffcAda", "Ad\u3164a", "Ada\u{1d159}"].map((name, i) =>
    member(i + 2, `${i + 2}`, name),
  );
  const shown = (await visit()).show([me, member(1, "1", "Ada"), ...others]);
  for (const { trust } of shown.slice(1)) expect(trust.namesake).toEqual({ of: "verified", name: "Ada" });
  expect(names(shown)).toEqual(["Ada", "Ada (2)", "Ada (3)", "Ad a (4)", "Ada (5)"]);
});

test("a verified person under another name is shown with the one that was verified, until this person says otherwise", async () => {
  (await visit()).verify(member(1, "1", "Victor"), true);
  const known = await visit();
  const renamed = member(1, "1", "Bob");
  expect(known.show([me, renamed])[0]).toMatchObject({
    name: "Bob",
    isVerified: false,
    trust: { pinnedName: "Victor" },
  });
  expect(kept[0]?.name).toBe("Victor");
  known.remember(renamed);
  expect(kept[0]).toEqual({ identity: "1".repeat(64), name: "Bob", verified: true });
  expect(known.show([me, renamed])[0]).toMatchObject({ isVerified: true, trust: { pinnedName: null } });
});

test("of two people of one name the newcomer is marked, and stays so when the other goes", async () => {
  const known = await visit();
  const [first, second] = [member(2, "1", "Ann"), member(1, "2", "Ann")];
  expect(names(known.show([me, first]))).toEqual(["Ann"]);
  const both = known.show([me, second, first]);
  expect(both).toMatchObject([
    { name: "Ann (2)", label: { mark: 2 }, trust: { namesake: { of: "here" } } },
    { name: "Ann", label: { mark: null } },
  ]);
  expect(names(known.show([me, second]))).toEqual(["Ann (2)"]);
});

test("of two people of one name who are here already the one that was verified has the plain name", async () => {
  (await visit()).verify(member(2, "2", "Ann"), true);
  expect(names((await visit()).show([me, member(1, "1", "Ann"), member(2, "2", "Ann")]))).toEqual(["Ann (2)", "Ann"]);
});

test("a person who knocks is held against the pins and those who are in", async () => {
  (await visit()).verify(member(1, "1", "Ben"), true);
  const known = await visit();
  const knock = (digit: string, name: string) => {
    const knocker = { seat: digit, identity: digit.repeat(64), name, oldLink: false, removed: false };
    return known.knocking(knocker, [me, member(3, "3", "Cleo")]);
  };
  expect(knock("1", "Ben").trust).toEqual({ level: "verified", pinnedName: null, namesake: null });
  expect(knock("2", "B\u0435n").trust).toMatchObject({ level: "stranger", namesake: { of: "verified" } });
  expect(knock("2", "cleo").trust).toMatchObject({ level: "stranger", namesake: { of: "here" } });
  expect(knock("2", "Dan")).toMatchObject({ name: "Dan", trust: { level: "stranger", namesake: null } });
  expect(knock("2", "\u202e").name).toBe("No name");
  expect(knock("0", "Mia").trust.level).toBe("own");
});

test("a verification can be taken back", async () => {
  const known = await visit();
  const ada = member(1, "1", "Ada");
  known.verify(ada, true);
  known.verify(ada, false);
  expect(known.show([me, ada])[0]?.trust.level).toBe("known");
});

test("a safety code is asked for once, however often someone looks while it is computed", async () => {
  const known = await visit();
  const [one, two] = ["1".repeat(64), "2".repeat(64)];
  expect(known.unasked([one, one])).toEqual([one]);
  expect(known.unasked([one, two])).toEqual([two]);
  known.computed(one, { digits: "1", qr: "", symbols: [] });
  expect(known.unasked([one])).toEqual([]);
});

test("only the same code, scanned from their screen, verifies", async () => {
  const known = await visit();
  const ada = member(1, "1", "Ada");
  const digits = "1".repeat(30);
  expect(known.scanned(ada, `SEALCAST:1:${digits}`)).toBe("foreign");
  known.computed(ada.identity, { digits, qr: `SEALCAST:1:${digits}`, symbols: [] });
  known.show([me, ada]);
  expect(known.scanned(ada, `SEALCAST:1:${"2".repeat(30)}`)).toBe("different");
  expect(known.scanned(ada, "https://example.org/")).toBe("foreign");
  expect(known.show([me, ada])[0]?.trust.level).toBe("known");
  expect(known.scanned(ada, `SEALCAST:1:${digits}`)).toBe("same");
  expect((await visit()).show([me, ada])[0]?.isVerified).toBe(true);
});
