import { random } from "@sealcast/crypto";
import { beforeEach, describe, expect, test } from "vitest";
import type { Alarm, GroupMember } from "../../shared/messages.ts";
import type { GroupPosition } from "./heartbeat.ts";
import { BEAT_TICKS, Heartbeats, type VerifiedHeartbeat } from "./heartbeats.ts";

const me: GroupMember = { leaf: 0, identity: "a0", seat: "00", leafKeyId: "key a", name: "a", me: true };
const ben: GroupMember = { leaf: 1, identity: "b0", seat: "11", leafKeyId: "key b", name: "b", me: false };
const cleo: GroupMember = { leaf: 2, identity: "c0", seat: "22", leafKeyId: "key c", name: "c", me: false };

function place(epoch: number): GroupPosition {
  return { epoch, authenticator: random(64), roster: random(32) };
}

/** The epochs of one branch, as everybody in it sees them. */
const branch = Array.from({ length: 30 }, (_, epoch) => place(epoch));
const at = (epoch: number): GroupPosition => branch[epoch] ?? expect.unreachable();

let beats: Heartbeats;
let seconds: number;
beforeEach(() => {
  beats = new Heartbeats();
  seconds = 0;
  beats.enter(at(3), [me, ben, cleo], [], true);
});

/** Of this member, at this second, with the key that it has there. */
function beatOf(
  { leafKeyId, identity, seat }: GroupMember,
  where: GroupPosition,
  differs: Partial<VerifiedHeartbeat> = {},
): VerifiedHeartbeat {
  const [leafKey, credential] = [new Uint8Array(32), new Uint8Array(129)];
  const sender = { leafKey, credential, leafKeyId, who: identity + seat, issued: 0n };
  return { ...where, connected: true, time: seconds * 1000, ...sender, ...differs };
}

function says(member: GroupMember, where: GroupPosition, differs: Partial<VerifiedHeartbeat> = {}): void {
  beats.heard(beatOf(member, where, differs));
}

/** The server speaks in every second, where it is connected at all. */
function wait(ticks: number, connected = true): void {
  for (let left = ticks; left > 0; left--) hush(1, connected);
}

/** For this many seconds nothing comes from the server. */
function hush(ticks: number, connected = true): void {
  for (let silence = 1; silence <= ticks; silence++) {
    seconds++;
    beats.tick(connected, silence);
  }
}

/** They speak every 4 s, and for the last time now. */
function keepSaying(
  member: GroupMember,
  where: GroupPosition,
  times: number,
  differs: Partial<VerifiedHeartbeat> = {},
): void {
  for (let left = times; left > 0; left--) {
    says(member, where, differs);
    if (left > 1) wait(BEAT_TICKS);
  }
}

/** Without who is silent, which most tests are not about. */
function red(): Alarm[] {
  return beats.alarms.filter(({ what }) => what !== "silent");
}

const forked = (who: GroupMember): Alarm => ({ what: "forked", leafKeyId: who.leafKeyId });
const withheld = (who: GroupMember): Alarm => ({ what: "withheld", leafKeyId: who.leafKeyId });
const silent = (who: GroupMember): Alarm => ({ what: "silent", leafKeyId: who.leafKeyId });

describe("a fork", () => {
  test("another authenticator at the same epoch is red at once; the same one is not", () => {
    says(ben, at(3));
    expect(beats.alarms).toEqual([]);
    says(ben, { ...at(3), authenticator: random(64) });
    expect(beats.alarms).toEqual([forked(ben)]);
  });

  test("so is another roster", () => {
    says(ben, { ...at(3), roster: random(32) });
    expect(beats.alarms).toEqual([forked(ben)]);
  });

  test("it shows too where the other side is further on, or this one", () => {
    const other = place(4);
    says(ben, other);
    expect(red()).toEqual([]);
    beats.enter(at(4), [me, ben, cleo], [], false);
    expect(red()).toEqual([forked(ben)]);
    beats.enter(at(5), [me, ben, cleo], [], false);
    expect(red()).toEqual([forked(ben)]);
    says(cleo, { ...at(3), authenticator: random(64) });
    expect(red()).toEqual([forked(ben), forked(cleo)]);
  });

  test("it is over when they are here again, in the key they have now", () => {
    says(ben, { ...at(3), authenticator: random(64) });
    const again = { ...ben, leafKeyId: "key b again" };
    beats.enter(at(4), [me, again, cleo], [], false);
    expect(red()).toEqual([forked(again)]);
    says(again, at(4));
    expect(red()).toEqual([]);
  });

  test("what a member says of an epoch from before this one came cannot be compared, and is no fork", () => {
    says(ben, place(2));
    expect(red()).toEqual([]);
    beats.enter(at(4), [me, ben, cleo], [], false);
    beats.enter(at(5), [me, ben, cleo], [], true);
    says(ben, place(3));
    expect(red()).toEqual([]);
  });

  test("epochs are compared for the last sixteen", () => {
    for (let epoch = 4; epoch <= 20; epoch++) beats.enter(at(epoch), [me, ben, cleo], [], false);
    says(ben, place(3));
    expect(red()).toEqual([]);
    says(ben, place(4));
    expect(red()).toEqual([forked(ben)]);
  });
});

describe("a change that is withheld from someone", () => {
  beforeEach(() => beats.enter(at(4), [me, ben, cleo], [], false));

  test("red once they have been behind for more than 5 s, by both clocks: with the third heartbeat at the latest", () => {
    keepSaying(ben, at(3), 2);
    expect(red()).toEqual([]);
    wait(BEAT_TICKS);
    says(ben, at(3));
    expect(red()).toEqual([withheld(ben)]);
    says(ben, at(4));
    expect(red()).toEqual([]);
  });

  test("whenever it began, five seconds are not too long, by neither clock", () => {
    wait(20);
    says(ben, at(3), { time: 50_000 });
    wait(8);
    says(ben, at(3), { time: 55_000 });
    expect(red()).toEqual([]);
    says(ben, at(3), { time: 55_001 });
    expect(red()).toEqual([withheld(ben)]);
    says(cleo, at(3), { time: 1000 });
    wait(5);
    says(cleo, at(3), { time: 9000 });
    expect(red()).toEqual([withheld(ben)]);
    wait(1);
    says(cleo, at(3), { time: 9001 });
    expect(red()).toEqual([withheld(ben), withheld(cleo)]);
  });

  test("heartbeats that were held up and come together prove nothing", () => {
    for (const time of [0, 4000, 8000, 12_000]) says(ben, at(3), { time });
    expect(red()).toEqual([]);
    wait(9);
    says(ben, at(3), { time: 12_004 + 4000 });
    expect(red()).toEqual([withheld(ben)]);
  });

  test("nor does one that comes late", () => {
    says(ben, at(3), { time: 0 });
    wait(20);
    says(ben, at(3), { time: 4000 });
    expect(red()).toEqual([]);
  });

  test("who has no socket to the server is waiting for one, not kept from anything", () => {
    keepSaying(ben, at(3), 5, { connected: false });
    expect(red()).toEqual([]);
    wait(BEAT_TICKS);
    keepSaying(ben, at(3), 3);
    expect(red()).toEqual([withheld(ben)]);
  });

  test("who follows one change after the other is a little behind each time, and not red", () => {
    for (let epoch = 4; epoch < 12; epoch++) {
      beats.enter(at(epoch), [me, ben, cleo], [], false);
      says(ben, at(epoch - 1));
      expect(red()).toEqual([]);
      wait(BEAT_TICKS);
    }
  });

  test("who asked to be taken in again and still speaks with the old key is behind as before", () => {
    keepSaying(ben, at(3), 2);
    beats.enter(at(5), [me, { ...ben, leafKeyId: "key b again" }, cleo], [], false);
    wait(BEAT_TICKS);
    says(ben, at(3));
    expect(red()).toEqual([{ what: "withheld", leafKeyId: "key b again" }]);
    says({ ...ben, leafKeyId: "key b again" }, at(5));
    expect(red()).toEqual([]);
  });

  test("a key that the tree does not hold never shows red at once, even at this very epoch", () => {
    const other = { ...ben, leafKeyId: "another key" };
    keepSaying(other, { ...at(4), authenticator: random(64) }, 2);
    expect(red()).toEqual([]);
    wait(BEAT_TICKS);
    says(other, { ...at(4), authenticator: random(64) });
    expect(red()).toEqual([withheld(ben)]);
  });

  test("a removed member says what it likes", () => {
    beats.enter(at(5), [me, cleo], [], false);
    keepSaying(ben, place(5), 5);
    keepSaying(ben, at(3), 5);
    keepSaying(ben, place(9), 5);
    expect(red()).toEqual([]);
  });

  test("so does someone who never was here, whatever link they have", () => {
    const dan: GroupMember = { leaf: 9, identity: "d0", seat: "33", leafKeyId: "key d", name: "d", me: false };
    keepSaying(dan, place(4), 5);
    keepSaying(dan, place(7), 5);
    expect(red()).toEqual([]);
  });
});

const withheldHere = (...ahead: GroupMember[]): Alarm => ({
  what: "withheld-here",
  ahead: ahead.map(({ leafKeyId }) => leafKeyId),
});

describe("a change that is withheld from this member", () => {
  test("red when someone is ahead and this one has not followed in the sixth second", () => {
    says(ben, at(4));
    wait(5);
    expect(red()).toEqual([]);
    wait(1);
    expect(red()).toEqual([withheldHere(ben)]);
    beats.enter(at(4), [me, ben, cleo], [], false);
    expect(red()).toEqual([]);
  });

  test("said after whose branch is another one: that is why", () => {
    says(ben, place(3));
    says(ben, at(4), { time: 1 });
    wait(6);
    expect(red()).toEqual([forked(ben), withheldHere(ben)]);
  });

  test("a key that is not known yet tells it too, if someone of the group has it", () => {
    keepSaying({ ...ben, leafKeyId: "key b again" }, at(5), 3);
    expect(red()).toEqual([withheldHere(ben)]);
  });

  test("without a socket this one waits; the seconds count from when there is one", () => {
    says(ben, at(4));
    wait(20, false);
    wait(5);
    expect(red()).toEqual([]);
    wait(1);
    expect(red()).toEqual([withheldHere(ben)]);
  });

  test("a server that says nothing at all may be out of reach: only seconds in which it is not count", () => {
    says(ben, at(4));
    hush(100);
    expect(red()).toEqual([]);
    hush(1);
    expect(red()).toEqual([withheldHere(ben)]);
  });

  test("a socket that is replaced is another one: the seconds of the last do not count", () => {
    beats.disconnected();
    says(ben, at(4));
    wait(5);
    beats.disconnected();
    wait(5);
    expect(red()).toEqual([]);
    wait(1);
    expect(red()).toEqual([withheldHere(ben)]);
  });

  test("asking to be taken in again gives it four seconds at least, and no more", () => {
    says(ben, at(4));
    wait(4);
    beats.resync();
    wait(3);
    expect(red()).toEqual([]);
    wait(1);
    expect(red()).toEqual([withheldHere(ben)]);
  });

  test("what is red before it asks stays red", () => {
    says(ben, at(4));
    wait(6);
    beats.resync();
    expect(red()).toEqual([withheldHere(ben)]);
  });

  test("who follows one change after the other is not kept from them", () => {
    for (let epoch = 4; epoch < 12; epoch++) {
      says(ben, at(epoch));
      wait(BEAT_TICKS);
      beats.enter(at(epoch - 1), [me, ben, cleo], [], false);
      expect(red()).toEqual([]);
    }
  });

  test("the claim goes with its maker, and another's stays", () => {
    says(ben, at(29));
    wait(6);
    beats.enter(at(4), [me, cleo], [], false);
    expect(red()).toEqual([]);
    beats.enter(at(4), [me, ben, cleo], [], false);
    says(ben, at(29));
    wait(2);
    says(cleo, at(5));
    wait(3);
    beats.enter(at(4), [me, cleo], [], false);
    wait(2);
    expect(red()).toEqual([]);
    wait(1);
    expect(red()).toEqual([withheldHere(cleo)]);
  });

  test("a member that claims ever less puts off nothing that another says", () => {
    says(cleo, at(4));
    for (let epoch = 29; epoch > 23; epoch--) {
      says(ben, at(epoch));
      wait(1);
    }
    expect(red()).toEqual([withheldHere(ben, cleo)]);
  });

  test("one that claims less than before has as long for that", () => {
    says(ben, at(9));
    wait(3);
    says(ben, at(5));
    wait(3);
    expect(red()).toEqual([]);
    wait(3);
    expect(red()).toEqual([withheldHere(ben)]);
  });
});

describe("silence", () => {
  test("12 s without a heartbeat is grey, never red, and a heartbeat ends it", () => {
    says(cleo, at(3));
    wait(11);
    says(cleo, at(3));
    expect(beats.alarms).toEqual([]);
    wait(1);
    expect(beats.alarms).toEqual([silent(ben)]);
    wait(100);
    expect(beats.alarms).toEqual([silent(ben), silent(cleo)]);
    says(ben, at(3));
    expect(beats.alarms).toEqual([silent(cleo)]);
  });

  test("another epoch does not end it, nor begin it again", () => {
    wait(11);
    beats.enter(at(4), [me, ben, cleo], [], false);
    wait(1);
    beats.enter(at(5), [me, ben, cleo], [], false);
    expect(beats.alarms).toEqual([silent(ben), silent(cleo)]);
  });

  test("someone new has 12 s; an old key does not speak for the new one", () => {
    wait(11);
    const again = { ...ben, leafKeyId: "key b again" };
    beats.enter(at(4), [me, again], [], false);
    wait(11);
    says(ben, at(3), { connected: false });
    expect(beats.alarms).toEqual([]);
    wait(1);
    expect(beats.alarms).toEqual([silent(again)]);
  });
});

describe("who has vanished", () => {
  test("has said nothing for 10 s in which the server spoke, over it or past it; a heartbeat ends it", () => {
    for (const member of [ben, cleo]) says(member, at(3));
    wait(9);
    says(cleo, at(3));
    expect(beats.vanished).toEqual([]);
    wait(1);
    expect(beats.vanished).toEqual([ben.leafKeyId]);
    says(ben, at(3), { leafKeyId: "another key", time: 10_500 });
    expect(beats.vanished, "the key of a newcomer on the same seat").toEqual([ben.leafKeyId]);
    says(ben, at(3));
    expect(beats.vanished).toEqual([]);
  });

  test("is nobody while this member's own socket is down, hears nothing, or was replaced", () => {
    for (const member of [ben, cleo]) says(member, at(3));
    wait(60, false);
    hush(30);
    expect(beats.vanished).toEqual([]);
    wait(6);
    beats.disconnected();
    wait(9);
    expect(beats.vanished).toEqual([]);
    wait(1);
    expect(beats.vanished).toEqual([ben.leafKeyId, cleo.leafKeyId]);
  });

  test("was here: of who has not spoken yet in this stay, with the key of now, nothing is said", () => {
    says(cleo, at(3));
    beats.enter(at(4), [me, ben, { ...cleo, leafKeyId: "key c2" }], [], false);
    wait(60);
    expect(beats.vanished).toEqual([]);
  });

  test("may be found before a first heartbeat came, where something else of it did", () => {
    wait(5);
    beats.met(ben.leafKeyId);
    wait(9);
    expect(beats.vanished).toEqual([]);
    wait(1);
    expect(beats.vanished).toEqual([ben.leafKeyId]);
  });
});

describe("what is worth verifying", () => {
  /** Whether it would be, and then it was heard. */
  function takes(member: GroupMember, differs: Partial<VerifiedHeartbeat> = {}, way = "server"): boolean {
    const beat = beatOf(member, at(3), differs);
    const isNews = beats.isNews(beat, way);
    if (isNews) beats.heard(beat);
    return isNews;
  }

  test("only what is newer than the last heartbeat of that key", () => {
    says(ben, at(3), { time: 4000 });
    expect([3999, 4000, 4001].map((time) => takes(ben, { time }))).toEqual([false, false, true]);
    expect(takes(cleo, { time: 0 })).toBe(true);
  });

  test("and no more than 64 in a second that came the same way", () => {
    const taken = (way: string) =>
      Array.from({ length: 80 }, (_, time) => beats.isNews(beatOf(ben, at(3), { time }), way)).filter(Boolean).length;
    expect([taken("server"), taken("a link")]).toEqual([64, 64]);
    wait(1);
    expect(taken("server")).toBe(64);
  });

  test("nothing of who is not here", () => {
    expect(takes({ ...ben, identity: "d0" })).toBe(false);
  });

  const [first, second] = [
    { leafKeyId: "first", issued: 1n },
    { leafKeyId: "second", issued: 2n },
  ];

  test("nothing by a key that was issued before the one that its member spoke with last", () => {
    expect([first, second, first].map((key) => takes(ben, { ...key, time: 1 }))).toEqual([true, true, false]);
    expect(takes(ben, { ...first, time: 1000 })).toBe(false);
  });

  test("nor does the key that the tree has speak for who has moved on", () => {
    beats.enter(at(3), [me, { ...ben, ...first }], [], false);
    expect(takes(ben, { ...second, time: 1 })).toBe(true);
    expect(takes(ben, { ...first, time: 2 })).toBe(false);
    beats.enter(at(4), [me, { ...ben, ...first }], [], false);
    expect(takes(ben, { ...first, time: 2 })).toBe(false);
    beats.enter(at(4), [me, { ...ben, ...second }], [], false);
    expect([1, 2].map((time) => takes(ben, { ...second, time }))).toEqual([false, true]);
  });

  test("a key that comes into the tree speaks, whatever the calendar said when it was issued", () => {
    expect(takes(ben, { ...second, time: 1000 })).toBe(true);
    beats.enter(at(4), [me, { ...ben, ...first }], [], true);
    expect(takes(ben, { ...first, time: 1 })).toBe(true);
    beats.enter(at(5), [me, { ...ben, ...first }], [], true);
    expect(takes(ben, { ...first, time: 1 })).toBe(false);
  });

  test("however many keys another has spoken with meanwhile", () => {
    says(ben, at(3), { time: 1000 });
    for (let i = 1; i <= 300; i++) says(cleo, at(3), { leafKeyId: `key ${i}`, issued: BigInt(i) });
    expect(takes(ben, { time: 1000 })).toBe(false);
    expect([299, 300].map((i) => takes(cleo, { leafKeyId: `key ${i}`, issued: BigInt(i), time: 0 }))).toEqual([
      false,
      false,
    ]);
  });
});

test("who comes again into the group knows nothing of the epochs that it was in before", () => {
  says(ben, { ...at(3), roster: random(32) });
  beats.enter(place(4), [me, ben, cleo], [], true);
  expect(beats.alarms).toEqual([]);
  says(ben, place(3));
  expect(beats.alarms).toEqual([]);
});

test("who reaches the epoch that they were behind, when there is another by then, is behind since then only", () => {
  says(ben, at(2));
  beats.enter(at(4), [me, ben, cleo], [], false);
  wait(BEAT_TICKS);
  says(ben, at(3));
  wait(BEAT_TICKS);
  says(ben, at(3));
  expect(red()).toEqual([]);
});

test("knows whose key it is, of those who are in the present epoch", () => {
  beats.enter(at(4), [me, ben], [], false);
  expect([ben, cleo, me].map(({ leafKeyId }) => beats.member(leafKeyId))).toEqual([ben, null, null]);
});

test("this member is answered for 6 s by who is in the very same epoch", () => {
  const answered = [at(2), { ...at(3), roster: random(32) }, at(3)].map((where) => {
    says(ben, where);
    return beats.isAnswered;
  });
  expect(answered).toEqual([false, false, true]);
  wait(6);
  expect(beats.isAnswered).toBe(true);
  wait(1);
  expect(beats.isAnswered).toBe(false);
});

test("a heartbeat is due every 4 s", () => {
  const due = Array.from({ length: 9 }, () => {
    wait(1);
    return beats.isDue;
  });
  expect(due).toEqual([false, false, false, true, false, false, false, true, false]);
});

describe("a room that goes on in two branches", () => {
  const [elsewhere, ada, bens] = [place(3), me.identity, ben.identity];

  /** For how many ticks this member hears Ben elsewhere and Cleo here until it asks to be let in there; at most 30. */
  function patience(hosts: readonly string[], differs: Partial<VerifiedHeartbeat> = {}): number {
    beats.enter(at(3), [me, ben, cleo], hosts, true);
    for (let ticks = 0; ticks < 30; ticks++) {
      if (beats.isAlone) return ticks;
      says(ben, elsewhere, differs);
      says(cleo, at(3));
      wait(1);
    }
    return 30;
  }

  test("goes on where its host is: the others stay for 10 s, and let nobody in meanwhile", () => {
    expect(patience([bens])).toBe(10);
    expect(beats.isApart).toBe(true);
    expect([ben, cleo, me].map((member) => beats.isCalledBy(member.identity + member.seat))).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("goes on here all the same where the host has been elsewhere for a minute, and is heeded again once it was here", () => {
    beats.enter(at(3), [me, ben, cleo], [bens], true);
    for (let ticks = 0; ticks < 60; ticks++) {
      expect([ticks, beats.isApart]).toEqual([ticks, ticks > 0]);
      says(ben, elsewhere);
      wait(1);
      if (beats.isAlone) beats.resync();
    }
    expect([beats.isApart, beats.isCalledBy(ben.identity + ben.seat)]).toEqual([false, false]);
    says(ben, at(3));
    wait(1);
    says(ben, elsewhere);
    expect(beats.isApart).toBe(true);
  });

  test("is asked again 10 s after it was, and after its host was here in between", () => {
    /** For how many ticks Ben is elsewhere until this member asks. */
    const patienceFromNow = () => {
      for (let ticks = 0; ticks < 30; ticks++) {
        if (beats.isAlone) return ticks;
        says(ben, elsewhere);
        wait(1);
      }
      return 30;
    };
    beats.enter(at(3), [me, ben, cleo], [bens], true);
    expect(patienceFromNow()).toBe(10);
    beats.resync();
    expect(patienceFromNow()).toBe(10);
    says(ben, at(3));
    wait(1);
    expect(patienceFromNow()).toBe(10);
  });

  test("goes on here while this member or one who is here is its first host", () => {
    expect([patience([ada, bens]), beats.isApart]).toEqual([30, false]);
    expect([patience([cleo.identity]), beats.isApart]).toEqual([30, false]);
    expect([ben, cleo].some((member) => beats.isCalledBy(member.identity + member.seat))).toBe(false);
  });

  test("goes on where the first of several hosts is, by their identities", () => {
    expect(patience([cleo.identity, bens])).toBe(10);
    expect(patience([cleo.identity, ada])).toBe(30);
  });

  test("goes on here for its first host while others are here, wherever another tab of the host's is", () => {
    const tab: GroupMember = { ...me, leaf: 3, seat: "33", leafKeyId: "key of the tab", me: false };
    beats.enter(at(3), [me, ben, tab], [ada], true);
    for (let ticks = 0; ticks < 30; ticks++) {
      says(tab, elsewhere);
      says(ben, at(3));
      wait(1);
    }
    expect(beats.isAlone).toBe(false);
  });

  test("goes on here once nothing was heard of its host for 12 s", () => {
    beats.enter(at(3), [me, ben, cleo], [bens], true);
    says(ben, elsewhere);
    wait(11);
    expect(beats.isApart).toBe(true);
    wait(1);
    expect(beats.isApart).toBe(false);
  });

  test("goes on with all the others where no host is heard that can let anybody in", () => {
    expect([patience([]), beats.isApart]).toEqual([30, false]);
    expect([patience(["d0"]), beats.isApart]).toEqual([30, false]);
    expect([patience([bens], { connected: false }), beats.isApart]).toEqual([30, false]);
  });

  test("goes on with the lowest identity where no host is heard and no two are together", () => {
    const isApart = (members: GroupMember[], cleosPlace: GroupPosition) => {
      beats.enter(at(3), members, ["d0"], true);
      for (const member of members.filter((each) => !each.me)) says(member, member === cleo ? cleosPlace : elsewhere);
      wait(1);
      return beats.isApart;
    };
    const [higher, lower] = [
      { ...ben, me: true },
      { ...me, me: false },
    ];
    expect([isApart([me, ben, cleo], place(3)), isApart([higher, lower, cleo], place(3))]).toEqual([false, true]);
    // One of the two would let this member in.
    expect(isApart([me, ben, cleo], elsewhere)).toBe(true);
    expect(isApart([higher, lower, cleo], at(3))).toBe(false);
  });

  test("has its first host go to others who are together elsewhere after 20 s, once they have not come", () => {
    beats.enter(at(3), [me, ben], [ada, bens], true);
    says(ben, elsewhere);
    for (let ticks = 0; ticks < 20; ticks++) {
      expect([ticks, beats.isAlone, beats.isApart]).toEqual([ticks, false, false]);
      wait(1);
      says(ben, elsewhere);
    }
    expect(beats.isAlone).toBe(true);
  });
});
