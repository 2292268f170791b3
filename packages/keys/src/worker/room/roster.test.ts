import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, describe, expect, test } from "vitest";
import type { GroupMember } from "../../shared/messages.ts";
import { Roster } from "./roster.ts";

const NOBODY: ReadonlySet<number> = new Set();

function member(leaf: number, leafKeyId = `key ${leaf}`): GroupMember {
  return { leaf, identity: `identity ${leaf}`, seat: `seat ${leaf}`, leafKeyId, name: `name ${leaf}`, me: leaf === 0 };
}

const [me, ada, bea, cid] = [member(0), member(1), member(2), member(3)];
let clock: ManualClock;
let changes: number;
let roster: Roster;

beforeEach(() => {
  clock = new ManualClock();
  changes = 0;
  roster = new Roster(clock, () => {
    changes += 1;
  });
});

describe("a member who says nothing", () => {
  test("is stale after 10 s where it was added, after 30 s where this member came", () => {
    roster.enter([me, ada], false);
    clock.advance(milli(9_999));
    expect([roster.stale(), changes]).toEqual([[], 0]);
    clock.advance(milli(1));
    expect([roster.stale(), roster.departed(), changes]).toEqual([[1], [1], 1]);

    roster.reset();
    roster.enter([me, ada], true);
    clock.advance(milli(29_999));
    expect(roster.stale()).toEqual([]);
    clock.advance(milli(1));
    expect(roster.stale()).toEqual([1]);
  });

  test("is heard in time, or comes back", () => {
    roster.enter([me, ada], false);
    clock.advance(milli(5_000));
    roster.heard(ada);
    clock.advance(milli(60_000));
    expect([roster.stale(), changes]).toEqual([[], 0]);

    roster.reset();
    roster.enter([me, bea], false);
    clock.advance(milli(10_000));
    roster.heard(member(2, "another"));
    expect(roster.stale()).toEqual([2]);
    roster.heard(bea);
    expect(roster.stale()).toEqual([]);
  });

  test("is stale 30 s after this member came again, however often it was heard before", () => {
    roster.enter([me, ada, bea], false);
    for (const one of [ada, bea]) roster.heard(one);
    clock.advance(milli(60_000));
    roster.enter([me, ada, bea], true);
    roster.heard(bea);
    clock.advance(milli(29_999));
    expect(roster.stale()).toEqual([]);
    clock.advance(milli(1));
    expect(roster.stale()).toEqual([1]);
  });

  test("stays while its media arrives", () => {
    roster.enter([me, ada], false);
    roster.reachable(1, true);
    clock.advance(milli(10_000));
    expect(roster.stale()).toEqual([]);
    roster.reachable(1, false);
    expect(roster.stale()).toEqual([1]);
    roster.reachable(7, true);
    expect(roster.stale()).toEqual([1]);
  });

  test("is watched for as long as it sits there, in the same leafKeyId, and no longer", () => {
    roster.enter([me, ada, bea], false);
    clock.advance(milli(6_000));
    // Bea stays, Ada has gone, and someone else sits on her leaf.
    roster.enter([me, member(1, "another"), bea], false);
    clock.advance(milli(4_000));
    expect([roster.stale(), changes]).toEqual([[2], 1]);
    clock.advance(milli(6_000));
    expect([roster.stale(), changes]).toEqual([[1, 2], 2]);
    roster.enter([me], false);
    expect(roster.stale()).toEqual([]);
  });

  test("is no concern any more once the roster is closed or reset", () => {
    roster.enter([me, ada], false);
    roster.close();
    clock.advance(milli(60_000));
    expect([changes, roster.stale()]).toEqual([0, []]);
    roster.hello(ada, "A");
    roster.presence("A", "gone");
    expect(roster.stale()).toEqual([1]);
    roster.reset();
    expect(roster.stale()).toEqual([]);
  });

  test("is never this member itself", () => {
    roster.enter([me], true);
    roster.heard(me);
    roster.bye(me);
    clock.advance(milli(60_000));
    expect([roster.departed(), changes]).toEqual([[], 0]);
  });
});

describe("what the server says of sockets", () => {
  test("counts for who said its name: gone is stale, away is not, back is neither", () => {
    roster.enter([me, ada, bea], false);
    expect([roster.hello(ada, "A"), roster.hello(bea, "B")]).toEqual([false, false]);
    for (const from of [ada, bea]) roster.heard(from);
    roster.presence("A", "away");
    expect(roster.stale()).toEqual([]);
    roster.presence("A", "gone");
    expect(roster.stale()).toEqual([1]);
    roster.presence("A", "back");
    expect(roster.stale()).toEqual([]);
  });

  test("counts from the knock on, and before the member is known", () => {
    roster.knocked(ada.leafKeyId, "A");
    roster.knocked(bea.leafKeyId, "B");
    roster.presence("A", "gone");
    roster.enter([me, ada, bea, cid], false);
    expect(roster.stale()).toEqual([1]);
  });

  test("is over with a knock, though nobody said here that it is back", () => {
    roster.presence("A", "gone");
    roster.knocked(ada.leafKeyId, "A");
    roster.enter([me, ada], false);
    expect(roster.stale()).toEqual([]);
  });

  test("does not count while media arrives, nor for who has said goodbye", () => {
    roster.enter([me, ada], false);
    roster.hello(ada, "A");
    roster.presence("A", "gone");
    roster.reachable(1, true);
    expect([roster.stale(), roster.departed()]).toEqual([[], []]);
    roster.bye(ada);
    expect([roster.stale(), roster.departed()]).toEqual([[], [1]]);
    roster.reachable(1, false);
    expect([roster.stale(), roster.departed()]).toEqual([[], [1]]);
  });

  test("is forgotten in a new session, in which everybody has 30 s to be heard", () => {
    roster.enter([me, ada, bea], false);
    roster.hello(ada, "A");
    roster.presence("A", "gone");
    roster.heard(bea);
    roster.doubt();
    expect(roster.stale()).toEqual([]);
    clock.advance(milli(20_000));
    roster.heard(ada);
    clock.advance(milli(10_000));
    expect([roster.stale(), changes]).toEqual([[2], 1]);
  });

  test("is kept of the newest 256 only", () => {
    roster.enter([me, ada, bea], false);
    roster.hello(ada, "A");
    roster.hello(bea, "B");
    roster.presence("A", "gone");
    roster.presence("B", "gone");
    for (let i = 0; i < 254; i += 1) roster.presence(`other ${i}`, "gone");
    expect(roster.stale()).toEqual([1, 2]);
    // Said again, it is among the newest.
    roster.presence("A", "gone");
    roster.presence("last", "gone");
    expect(roster.stale()).toEqual([1]);
  });
});

test("where only members come in, a place is kept for a minute after the socket closed, and then the roster changes", () => {
  roster.enter([me, ada, bea], false, true);
  for (const from of [ada, bea]) roster.heard(from);
  roster.hello(ada, "A");
  clock.advance(milli(5_000));
  roster.presence("A", "away");
  roster.presence("B", "back");
  clock.advance(milli(20_000));
  roster.presence("A", "gone");
  clock.advance(milli(39_999));
  expect([roster.stale(), changes]).toEqual([[], 0]);
  clock.advance(milli(1));
  expect([roster.stale(), changes]).toEqual([[1], 1]);
  clock.advance(milli(60_000));
  expect(changes).toBe(1);
});

describe("whose page said goodbye", () => {
  test("departs at once where anybody with the link may come in", () => {
    roster.enter([me, ada, bea], false);
    roster.reachable(1, true);
    for (const from of [ada, bea]) roster.heard(from);
    roster.goodbye("key 9");
    expect(roster.departed()).toEqual([]);
    roster.reachable(2, true);
    roster.goodbye("key 2");
    expect(roster.departed()).toEqual([2]);
  });

  test("keeps a place for a minute where only members come in, and then the roster changes", () => {
    roster.enter([me, ada, bea], false, true);
    for (const from of [ada, bea]) roster.heard(from);
    roster.goodbye("key 1");
    clock.advance(milli(30_000));
    roster.goodbye("key 1");
    clock.advance(milli(29_999));
    expect([roster.departed(), changes]).toEqual([[], 0]);
    clock.advance(milli(1));
    expect([roster.departed(), changes]).toEqual([[1], 1]);
  });

  test("is another member after that: a newcomer on the same leaf said nothing of the kind", () => {
    roster.enter([me, ada], false);
    roster.goodbye("key 1");
    roster.enter([me, member(1, "another")], false);
    expect(roster.departed()).toEqual([]);
  });
});

describe("whose heartbeats do not come any more", () => {
  test("departs where no media comes either; one that comes again ends it", () => {
    roster.enter([me, ada, bea], false);
    for (const from of [ada, bea]) roster.heard(from);
    roster.reachable(2, true);
    expect([roster.vanish(["key 1", "key 2"]), roster.vanish(["key 1", "key 2"])]).toEqual([true, false]);
    expect(roster.departed()).toEqual([1]);
    expect([roster.vanish(["key 2"]), roster.departed()]).toEqual([true, []]);
  });

  test("keeps a place for a minute where only members come in, and for another one after it came back", () => {
    roster.enter([me, ada], false, true);
    roster.heard(ada);
    const after = (ms: number) => {
      clock.advance(milli(ms));
      return roster.departed();
    };
    roster.vanish(["key 1"]);
    expect(after(50_000)).toEqual([]);
    roster.vanish([]);
    expect(after(60_000)).toEqual([]);
    roster.vanish(["key 1"]);
    expect([after(59_999), after(1)]).toEqual([[], [1]]);
  });
});

test("a goodbye, a name and a sign of life count for the occupant that they came from only", () => {
  roster.enter([me, ada], false);
  const before = member(1, "another");
  roster.bye(before);
  expect(roster.hello(before, "A")).toBe(false);
  expect([roster.departed(), roster.hello(ada, "B")]).toEqual([[], false]);
});

test("another name is a new session", () => {
  roster.enter([me, ada], false);
  expect(["A", "A", "B", "B"].map((name) => roster.hello(ada, name))).toEqual([false, false, true, false]);
});

test("a leaf's turn comes after those of the connected leaves before it", () => {
  roster.enter([me, ada, bea, cid], false);
  roster.hello(ada, "A");
  expect([0, 1, 2, 3, 4].map((leaf) => roster.rank(leaf, NOBODY))).toEqual([0, 0, 1, 2, 3]);
  expect(roster.rank(3, new Set([2]))).toBe(1);
  roster.presence("A", "away");
  expect(roster.rank(3, NOBODY)).toBe(1);
  roster.presence("A", "gone");
  expect(roster.rank(3, NOBODY)).toBe(1);
  roster.presence("A", "back");
  expect(roster.rank(3, NOBODY)).toBe(2);
});
