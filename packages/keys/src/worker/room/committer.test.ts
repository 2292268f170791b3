import { Secret } from "@sealcast/crypto";
import { ManualClock, milli } from "@sealcast/time";
import type { KeyPackage } from "ts-mls";
import { beforeEach, describe, expect, test } from "vitest";
import type { GroupMember, RoomMode } from "../../shared/messages.ts";
import type { Change, Group, PendingCommit, Wanted } from "../mls/group.ts";
import type { Applicant } from "../mls/key-package.ts";
import { Committer } from "./committer.ts";
import type { Caller } from "./door.ts";
import { Roster } from "./roster.ts";

/** Names of applicants stand for their key packages; identity and seat are what the name begins with. */
function applicant(name: string): Applicant {
  return { keyPackage: name as unknown as KeyPackage, identity: `${name[0]}-`, seat: `${name[0]}-seat`, name };
}

/** Someone with the present link. */
function caller(name: string, from: string): Caller {
  return { applicant: applicant(name), from, oldLink: null };
}

function nobodyElse(): never {
  throw new Error("nobody came with an old link");
}

function member(leaf: number, letter: string): GroupMember {
  return {
    leaf,
    identity: `${letter}-`,
    seat: "seat",
    leafKeyId: `${letter} on ${leaf}`,
    name: letter,
    me: letter === "m",
  };
}

/** Of the room: a host that is not here. */
const hosts = ["h-"];
let clock: ManualClock;
let roster: Roster;
let committer: Committer;
let turns: number[];
/** What the group is asked for. */
let wanted: Wanted[];
let fails: boolean;

/** A group, as far as a committer sees it. */
function groupOf(members: GroupMember[], mode: RoomMode = "open", isHost = false, isRenamed = false): Group {
  const group = {
    members,
    leaf: members.find(({ me }) => me)?.leaf ?? -1,
    isHost,
    isRenamed,
    next: members[1]?.leaf ?? 0,
    room: { hosts, mode },
    commit: async (asked: Wanted): Promise<PendingCommit> => {
      wanted.push(asked);
      if (fails) throw new Error("the commit would break a rule");
      return { epoch: 1 } as PendingCommit;
    },
  };
  return group as unknown as Group;
}

const me = member(0, "m");
const alone = groupOf([me]);

function change(differs: Partial<Change>): Change {
  return { byHost: false, added: [], removed: [], newLink: false, ...differs };
}

beforeEach(() => {
  clock = new ManualClock();
  [turns, wanted, fails] = [[], [], false];
  roster = new Roster(clock, () => undefined);
  committer = new Committer(clock, roster, () => void turns.push(clock.now()));
});

/** What would be committed now. */
async function wish(group: Group): Promise<Wanted | null> {
  const before = wanted.length;
  await committer.propose(group, nobodyElse);
  return wanted[before] ?? null;
}

describe("a member commits", () => {
  test("at once when it is the first connected one, each later one 300 ms after", () => {
    committer.knocked(caller("a", "A"));
    committer.plan(alone);
    expect(turns).toEqual([]);
    clock.advance(milli(0));
    expect(turns).toEqual([0]);

    const [b, c] = [member(1, "b"), member(2, "c")];
    roster.enter([b, c, member(3, "m")], false);
    committer.plan(groupOf([b, c, member(3, "m")]));
    clock.advance(milli(599));
    expect(turns).toEqual([0]);
    clock.advance(milli(1));
    expect(turns).toEqual([0, 600]);
  });

  test("its own name without waiting for others, at most one in 5 s, and after what the group needs", async () => {
    const all = [member(1, "b"), member(2, "m")];
    roster.enter(all, false);
    const renamed = groupOf(all, "open", false, true);
    for (const at of [0, 5_000]) {
      committer.plan(renamed);
      clock.advance(milli(at === 0 ? 0 : 4_999));
      expect(turns).toEqual([0]);
      clock.advance(milli(at === 0 ? 0 : 1));
      expect(turns.at(-1)).toBe(at);
      expect(await wish(renamed)).toEqual({ add: [], remove: [], rename: true });
      committer.entered(change({}));
    }
    committer.plan(groupOf(all));
    committer.knocked(caller("a", "A"));
    expect(await wish(renamed)).toMatchObject({ add: ["a"] });
    expect(wanted.at(-1)?.rename).toBeUndefined();
  });

  test("with nothing in it once an epoch has lasted 5 minutes, in another order than else, and not alone", async () => {
    const all = [member(0, "m"), member(1, "b"), member(2, "c")];
    roster.enter(all, false);
    for (const each of all) roster.heard(each);
    committer.entered(change({}));
    committer.plan(groupOf(all));
    clock.advance(milli(200_000));
    committer.entered(null);
    committer.plan(groupOf(all));
    clock.advance(milli(300_599));
    expect(turns).toEqual([]);
    // After b and c, since it is b's turn.
    clock.advance(milli(1));
    expect(turns).toEqual([500_600]);
    expect(await wish(groupOf(all))).toEqual({ add: [], remove: [] });
    committer.entered(change({}));
    committer.plan(alone);
    clock.advance(milli(1_000_000));
    expect(turns).toEqual([500_600]);
    expect(await wish(alone)).toBeNull();
  });

  test("nothing against a host that is heard, though the server calls it gone", async () => {
    const all = [me, { ...member(1, "b"), identity: "h-" }, member(2, "c")];
    roster.enter(all, false);
    for (const [i, each] of all.entries()) {
      roster.hello(each, `session ${i}`);
      roster.heard(each);
    }
    for (const i of [1, 2]) roster.presence(`session ${i}`, "gone");
    expect(await wish(groupOf(all))).toMatchObject({ remove: [2] });
    committer.entered(change({}));
    clock.advance(milli(11_000));
    roster.alive(all[1]!.leafKeyId);
    clock.advance(milli(11_999));
    expect(await wish(groupOf(all))).toMatchObject({ remove: [2] });
    committer.entered(change({}));
    clock.advance(milli(1));
    expect(await wish(groupOf(all))).toMatchObject({ remove: [1, 2] });
    committer.entered(change({}));
    roster.heard(all[1]!);
    roster.bye(all[1]!);
    expect(await wish(groupOf(all))).toMatchObject({ remove: expect.arrayContaining([1, 2]) });
  });

  test("without waiting for whom it removes", () => {
    const b = member(1, "b");
    const all = [b, member(2, "m")];
    roster.enter(all, false);
    roster.bye(b);
    committer.plan(groupOf(all));
    clock.advance(milli(0));
    expect(turns).toEqual([0]);
  });

  test("by when it was wanted first, however often it plans again", () => {
    const all = [member(1, "b"), member(2, "m")];
    roster.enter(all, false);
    committer.knocked(caller("a", "A"));
    for (let i = 0; i < 2; i += 1) {
      committer.plan(groupOf(all));
      clock.advance(milli(200));
    }
    expect(turns).toEqual([300]);
  });

  test("counts from again once nothing was wanted", () => {
    const all = [member(1, "b"), member(2, "m")];
    roster.enter(all, false);
    committer.knocked(caller("a", "A"));
    committer.plan(groupOf(all));
    clock.advance(milli(200));
    committer.decided("a-seat", false);
    committer.plan(groupOf(all));
    clock.advance(milli(1_000));
    committer.knocked(caller("c", "C"));
    committer.plan(groupOf(all));
    clock.advance(milli(299));
    expect(turns).toEqual([]);
    clock.advance(milli(1));
    expect(turns).toEqual([1_500]);
  });

  test("200 ms after a change at the earliest, and 1 s after one that let someone in", () => {
    committer.entered(change({ removed: [member(1, "a")] }));
    committer.knocked(caller("a", "A"));
    committer.plan(alone);
    clock.advance(milli(1_000));
    committer.entered(change({ added: [member(1, "a")] }));
    committer.knocked(caller("b", "B"));
    committer.plan(alone);
    clock.advance(milli(2_000));
    expect(turns).toEqual([200, 2_000]);
  });

  test("a removal 200 ms after someone was let in", () => {
    const b = member(1, "b");
    roster.enter([me, b], false);
    committer.entered(change({ added: [b] }));
    roster.bye(b);
    committer.plan(groupOf([me, b]));
    clock.advance(milli(2_000));
    expect(turns).toEqual([200]);
  });

  test("not while its last commit is on its way, nor once it is closed or reset", async () => {
    committer.knocked(caller("a", "A"));
    committer.plan(alone);
    committer.close();
    clock.advance(milli(5_000));
    expect(turns).toEqual([]);
    committer.plan(alone);
    expect(await committer.propose(alone, nobodyElse)).toEqual({
      pending: { epoch: 1 },
      welcomes: ["A"],
      handovers: [],
    });
    expect(committer.proposed?.welcomes).toEqual(["A"]);
    expect(await committer.propose(alone, nobodyElse)).toBeNull();
    committer.plan(alone);
    clock.advance(milli(5_000));
    expect(turns).toEqual([]);
    committer.entered(change({}));
    expect(committer.proposed).toBeNull();
    committer.plan(alone);
    committer.reset();
    clock.advance(milli(5_000));
    expect([turns, await wish(alone)]).toEqual([[], null]);
  });

  test("nothing when nothing is wanted", async () => {
    committer.plan(alone);
    clock.advance(milli(5_000));
    expect([turns, await committer.propose(alone, nobodyElse), wanted]).toEqual([[], null, []]);
  });
});

describe("who knocks", () => {
  test("is added with the newest key package", async () => {
    committer.knocked(caller("a1", "A"));
    committer.knocked(caller("a2", "A again"));
    expect(await committer.propose(alone, nobodyElse)).toMatchObject({ welcomes: ["A again"] });
    expect(wanted).toEqual([{ add: ["a2"], remove: [], room: undefined, newLink: undefined }]);
  });

  test("is waited for 30 s", async () => {
    clock.advance(milli(20_000));
    committer.knocked(caller("a", "A"));
    clock.advance(milli(30_000));
    expect(await wish(alone)).toMatchObject({ add: ["a"] });
    committer.entered(null);
    clock.advance(milli(1));
    expect(await wish(alone)).toBeNull();
  });

  test("was just let in, and may have knocked once more before it knew", async () => {
    clock.advance(milli(20_000));
    committer.knocked(caller("a", "A"));
    committer.entered(change({ added: [member(1, "a")] }));
    expect(await wish(alone)).toBeNull();
    clock.advance(milli(4_999));
    committer.entered(change({}));
    committer.knocked(caller("a", "A"));
    expect(await wish(alone)).toBeNull();
    committer.knocked(caller("b", "B"));
    expect(await wish(alone)).toMatchObject({ add: ["b"] });
    committer.entered(change({}));
    clock.advance(milli(1));
    committer.knocked(caller("a", "A"));
    expect(await wish(alone)).toMatchObject({ add: expect.arrayContaining(["a"]) });
  });

  test("is one of 64 at most", async () => {
    const seats = Array.from({ length: 65 }, (_, i) => String.fromCodePoint(0x4e00 + i));
    for (const letter of seats) committer.knocked(caller(letter, letter));
    const waiting = () => committer.waiting(groupOf([me], "waiting")).map(({ from }) => from);
    expect(waiting()).toEqual(seats.slice(0, 64));
    // Who is among them may knock again.
    committer.knocked(caller(seats[0] ?? "", "again"));
    expect(waiting()).toEqual([...seats.slice(1, 64), "again"]);
  });

  test("is one of 6 in a commit, and one of 50 in the room", async () => {
    for (const letter of "abcdefghij") committer.knocked(caller(letter, letter));
    expect((await wish(alone))?.add).toEqual([..."abcdef"]);
    const crowd = (count: number) =>
      groupOf([me, ...Array.from({ length: count - 1 }, (_, i) => member(i + 1, String(i)))]);
    committer.entered(null);
    expect((await wish(crowd(48)))?.add).toEqual([..."ab"]);
    committer.entered(null);
    expect(await wish(crowd(50))).toBeNull();
  });

  test("takes the place of who leaves, or its own", async () => {
    const leaving = member(1, "x");
    const full = [
      me,
      leaving,
      ...Array.from({ length: 48 }, (_, i) => member(i + 2, `${String.fromCodePoint(0x4e00 + i)}`)),
    ];
    const own = full[2];
    roster.enter(full, false);
    roster.bye(leaving);
    committer.knocked(caller("a", "A"));
    committer.knocked(caller("b", "B"));
    expect(await wish(groupOf(full))).toMatchObject({ add: ["a"], remove: [1] });
    committer.reset();
    roster.reset();
    committer.knocked(caller(own?.identity[0] ?? "", "own"));
    committer.knocked(caller("b", "B"));
    expect(await wish(groupOf(full))).toMatchObject({ add: [own?.identity[0]], remove: [2] });
  });

  test("and has left takes its own place, and only that", async () => {
    const all = [me, member(1, "a")];
    roster.enter(all, false);
    roster.bye(member(1, "a"));
    committer.knocked(caller("a", "A"));
    expect(await wish(groupOf(all))).toMatchObject({ add: ["a"], remove: [1] });
  });

  test("on this member's own seat is for another to let in", async () => {
    committer.knocked(caller("m", "M"));
    expect(await wish(alone)).toBeNull();
    committer.knocked(caller("a", "A"));
    expect(await wish(alone)).toMatchObject({ add: ["a"] });
  });

  test("with a key package that spoils the commit has to knock again", async () => {
    committer.knocked(caller("a", "A"));
    fails = true;
    expect(await committer.propose(alone, nobodyElse)).toBeNull();
    fails = false;
    expect([await wish(alone), committer.proposed]).toEqual([null, null]);
    committer.knocked(caller("a", "A"));
    expect(await wish(alone)).toMatchObject({ add: ["a"] });
  });

  test("came with a link that admits no more, once it was replaced", async () => {
    committer.knocked(caller("a", "A"));
    committer.entered(change({}));
    expect(await wish(alone)).toMatchObject({ add: ["a"] });
    committer.entered(change({ newLink: true }));
    expect(await wish(alone)).toBeNull();
  });
});

describe("a room's mode", () => {
  const [a, b] = [caller("a", "A"), caller("b", "B")];
  const has = (mode: RoomMode, isHost: boolean): Group => groupOf([me, member(1, "b")], mode, isHost);

  test("says who is let in", () => {
    committer.decided("a-seat", true);
    const letsIn = (mode: RoomMode, isHost: boolean) => [a, b].map((who) => committer.isLetIn(has(mode, isHost), who));
    expect([letsIn("open", false), letsIn("open", true)]).toEqual([
      [true, true],
      [true, true],
    ]);
    expect([letsIn("waiting", false), letsIn("waiting", true)]).toEqual([
      [false, true],
      [true, true],
    ]);
    expect([letsIn("locked", false), letsIn("locked", true)]).toEqual([
      [false, true],
      [false, true],
    ]);
  });

  test("lets in a host of the list, in every mode", () => {
    const back = { ...a, applicant: { ...a.applicant, identity: "h-" } };
    for (const mode of ["open", "waiting", "locked"] as const)
      expect(committer.isLetIn(has(mode, false), back)).toBe(true);
    expect(committer.isLetIn(has("open", false), { ...back, oldLink: new Secret(new Uint8Array(32)) })).toBe(false);
  });

  test("is changed once: what another host changes afterwards stays so; one's own that is refused is given up", async () => {
    const all = [me, member(1, "b")];
    committer.change("locked");
    expect(await wish(groupOf(all, "open", true))).toMatchObject({ room: { mode: "locked" } });
    committer.entered(change({}));
    committer.plan(groupOf(all, "locked", true));
    expect(await wish(groupOf(all, "open", true))).toBeNull();
    committer.appoint(["m-", "h-"]);
    expect(await wish(groupOf(all, "open", true))).toMatchObject({ room: { mode: "open", hosts: ["m-", "h-"] } });
    committer.entered(change({}));
    fails = true;
    await committer.propose(groupOf(all, "open", true), nobodyElse);
    fails = false;
    expect(await wish(groupOf(all, "open", true))).toBeNull();
  });

  test("makes a person who is not let in wait for a host's word", async () => {
    committer.knocked(a);
    const waiting = (mode: RoomMode) => committer.waiting(has(mode, true)).map(({ from }) => from);
    expect([waiting("open"), waiting("waiting"), waiting("locked")]).toEqual([[], ["A"], []]);
    expect([await wish(has("waiting", true)), await wish(has("locked", true))]).toEqual([null, null]);
    expect(committer.decided("a-seat", true)).toBeNull();
    expect([waiting("waiting"), await wish(has("waiting", true))]).toMatchObject([[], { add: ["a"] }]);
  });

  test("lets a host turn someone away, who is then gone", () => {
    committer.knocked(a);
    expect(committer.decided("a-seat", false)).toMatchObject({ from: "A" });
    expect(committer.decided("a-seat", false)).toBeNull();
    expect(committer.waiting(has("waiting", true))).toEqual([]);
  });

  test("is changed by a host, at once, and by nobody else", async () => {
    roster.enter([member(1, "b"), member(2, "m")], false);
    committer.change("locked");
    const all = [member(1, "b"), member(2, "m")];
    expect(await wish(groupOf(all, "open", false))).toBeNull();
    committer.entered(change({ added: [member(1, "b")] }));
    committer.plan(groupOf(all, "open", true));
    clock.advance(milli(0));
    expect(turns).toEqual([0]);
    expect(await wish(groupOf(all, "open", true))).toEqual({
      add: [],
      remove: [],
      room: { hosts, mode: "locked" },
      newLink: undefined,
    });
    committer.entered(change({}));
    expect(await wish(groupOf(all, "locked", true))).toBeNull();
    committer.reset();
    expect(await wish(groupOf(all, "open", true))).toBeNull();
  });

  test("comes after the removals, which go alone and at once, with another link", async () => {
    const all = [member(1, "b"), member(2, "c"), member(3, "m")];
    roster.enter(all, false);
    committer.change("locked");
    committer.knocked(a);
    for (const one of [all[1], all[2]].filter((one) => one !== undefined)) committer.expel(one.identity);
    committer.plan(groupOf(all, "open", true));
    clock.advance(milli(0));
    expect(turns).toEqual([0]);
    expect(await wish(groupOf(all, "open", true))).toEqual({ add: [], remove: [2], room: undefined, newLink: true });
    expect(committer.entered(change({ removed: [member(2, "c")], newLink: true })).done).toEqual(["c-"]);
    // Who has that leaf then is another person.
    expect(await wish(groupOf([member(1, "b"), member(2, "d"), member(3, "m")], "open", true))).toMatchObject({
      remove: [],
      room: { mode: "locked" },
    });
  });
});

describe("a removal", () => {
  const c = member(2, "c");
  const [without, withC, moved] = [[], [c], [member(5, "c"), { ...member(6, "c"), seat: "other" }]].map((others) =>
    groupOf([me, member(1, "b"), ...others], "open", true),
  ) as [Group, Group, Group];

  test("of a host takes it off the list", async () => {
    const group = groupOf([{ ...me, identity: "h-" }, c], "open", true);
    const both = Object.assign(group, { room: { mode: "open" as const, hosts: ["h-", "c-"] } });
    committer.expel("c-");
    const room = { mode: "open", hosts: ["h-"] };
    expect(await wish(both)).toMatchObject({ remove: [2], newLink: true, room });
  });

  test("is under way at a host while they are in the group", () => {
    const asGuest = groupOf([me, c]);
    expect(committer.isRemoving(withC)).toBe(false);
    committer.expel("c-");
    expect([withC, without, asGuest].map((group) => committer.isRemoving(group))).toEqual([true, false, false]);
  });

  test("stays ordered when the slot is lost, on another leaf, and in another group, until it is done", async () => {
    committer.expel("c-");
    expect(await wish(withC)).toMatchObject({ remove: [2], newLink: true });
    expect(committer.entered(change({ added: [member(5, "c")], removed: [c] })).done).toEqual([]);
    expect(await wish(moved)).toMatchObject({ remove: [5, 6], newLink: true });
    committer.reset();
    expect(committer.entered(null).done).toEqual([]);
    // They left before it: that replaced no link.
    expect(committer.entered(change({ removed: [c] })).done).toEqual([]);
    expect(await wish(without)).toBeNull();
    expect(await wish(withC)).toMatchObject({ remove: [2], newLink: true });
    expect(committer.entered(change({ removed: [c], newLink: true })).done).toEqual(["c-"]);
    expect(await wish(withC)).toBeNull();
  });

  test("holds: nobody lets them in without a host's yes, and who does it all the same has it undone", async () => {
    committer.entered(change({ removed: [c], newLink: true }));
    expect(committer.hasRemoved("c-")).toBe(true);
    const knock = caller("c", "C");
    committer.knocked(knock);
    expect([committer.isLetIn(without, knock), committer.waiting(without).length]).toEqual([false, 1]);
    expect(committer.entered(change({ added: [c] })).ordered).toEqual(["c-"]);
    expect(await wish(withC)).toMatchObject({ remove: [2], newLink: true });
    committer.entered(change({ removed: [c], newLink: true }));
    committer.decided("c-seat", true);
    expect(committer.isLetIn(without, knock)).toBe(true);
    expect(committer.isLetIn(groupOf([me, member(1, "b")]), knock)).toBe(false);
    expect(committer.entered(change({ byHost: true, added: [c] })).ordered).toEqual([]);
    expect([committer.hasRemoved("c-"), await wish(withC)]).toEqual([false, null]);
  });
});
