import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { knockKey, token } from "./door.cases.ts";
import { Client, group, node, setUp } from "./room.cases.ts";

describe("joining", () => {
  test("the first in a room is asked to found a group; a second one waits", () => {
    const { join } = setUp();
    const [first, second] = [join(), join()];
    expect(first.received).toEqual([
      {
        type: "joined",
        member: first.member,
        token: first.joined.token,
        seq: 0,
        resumed: false,
        stunPort: 3478,
        relay: false,
        turn: false,
      },
      { type: "alone" },
    ]);
    expect(second.types()).toEqual(["joined"]);
    expect(second.member).not.toBe(first.member);
  });

  test("rooms of other doors are other rooms", () => {
    const { join } = setUp();
    const [here, there] = [join("D").enter("e"), join("E").enter("e")];
    here.relay();
    expect([here.all("relayed").length, there.types()]).toEqual([1, ["joined", "alone", "entered"]]);
  });

  test("a session that has shown no token can enter, knock, fetch, restock, listen, ping and leave, and nothing else", () => {
    const { join, alice } = group(1);
    const waiting = join();
    waiting.relay();
    waiting.say({ type: "beat", body: "b" });
    waiting.say({ type: "answer", to: waiting.member, body: "b" });
    waiting.commit("next", { at: node("e"), newcomers: [waiting] });
    waiting.say({ type: "ping" });
    expect(waiting.received.slice(1)).toEqual([{ type: "refused", at: node("e"), successors: [] }, { type: "pong" }]);
    expect(alice.types()).toEqual(["joined"]);
  });

  test("50 others than members, past that the room is full; who is gone is not counted, who comes back is let in", () => {
    const { rooms, join, wait } = group(1);
    const waiting = Array.from({ length: 50 }, () => join());
    expect(join().isSeated).toBe(false);
    waiting[7]?.drop();
    expect(join().isSeated).toBe(false);
    wait(15_000);
    expect(join().isSeated).toBe(true);
    expect(join().isSeated).toBe(false);
    waiting[7]?.join(rooms, { resume: waiting[7].place });
    expect(waiting[7]?.joined.resumed).toBe(true);
  });

  test("50 members, past that the room is full, and entering makes room for who waits", () => {
    const { join, members } = group(50);
    const late = join();
    late.enter("e");
    expect(late.last).toMatchObject({ type: "fault", code: "room-full" });
    expect(members[0]?.types()).not.toContain("fault");
    members[0]?.leave();
    const next = join().enter("e");
    expect(next.last).toMatchObject({ type: "entered", is: "tip" });
  });

  test("a group that is made up takes no place from a member, nor from one who comes back", () => {
    const { alice, bob, join, wait, rooms } = group(2);
    const strangers = Array.from({ length: 48 }, () => join().enter("made up"));
    bob.drop();
    wait(15_000);
    expect(join().enter("made up").last, "Bob's place is kept").toMatchObject({ type: "fault", code: "room-full" });
    for (const one of [alice, bob, ...strangers]) expect(one.types()).not.toContain("fault");
    bob.join(rooms, { resume: bob.place }).enter("e");
    expect(bob.all("entered").at(-1)).toMatchObject({ at: node("e") });
    const newcomer = join().enter("e");
    expect(newcomer.all("entered")).toHaveLength(1);
    for (const one of [alice, bob, newcomer]) expect(one.types()).not.toContain("fault");
    expect(strangers.filter((one) => one.types().includes("fault"))).toEqual(strangers.slice(-1));
    expect(join().enter("made up").last).toMatchObject({ type: "fault", code: "room-full" });
  });

  /** A member has filled the epoch with garbage, and founds a group with as many sockets as there are places for. */
  function garbled(size: number) {
    const { members, join, wait } = group(size);
    const sockets = Array.from({ length: 51 - size }, () => join());
    for (const socket of sockets.slice(0, 16)) socket.enter("e");
    const garbage: string[] = [];
    for (const [i, socket] of sockets.slice(0, 16).entries()) {
      socket.commit(`garbage ${i}`, { despite: [...garbage] });
      garbage.push(node(`garbage ${i}`));
    }
    wait(5_000);
    for (const socket of sockets) socket.enter("made up");
    return { members, join, wait, sockets };
  }

  test("nor does one that is founded while the members, past garbage, have to start over", () => {
    const { members, sockets, wait } = garbled(3);
    for (const member of members) member.enter("f");
    wait(1_000);
    expect(members.map(({ last }) => last?.type)).toEqual(["groups", "groups", "groups"]);
    expect(sockets.filter(({ last }) => last?.type === "fault")).toHaveLength(1);
  });

  test("nor from a newcomer, once the link by which it was founded is replaced", () => {
    const { members, join, sockets } = garbled(27);
    const [mallory] = members.splice(1, 1);
    for (const member of members) member.enter("f");
    members[0]?.commit("g", { door: mallory?.opens("E") ?? null });
    for (const member of members) member.enter("g");
    expect(join("E").enter("g").last?.type).not.toBe("fault");
    expect(sockets.filter(({ last }) => last?.type === "fault")).toHaveLength(1);
  });
});

describe("a member's own sockets", () => {
  const MALLORY = "203.0.113.7";
  const isEnded = ({ last }: Client) => last?.type === "fault";

  test("end nobody else's call, by garbage past which all start over, where they are first", () => {
    const { members, alice, join, wait } = group(3);
    const first = Array.from({ length: 47 }, () => join("D", MALLORY).enter("e"));
    alice.commit("e2");
    for (const member of members) member.enter("e2");
    // They are left behind: they have no seats, and had them in the oldest group.
    wait(60_000);
    const second = Array.from({ length: 47 }, () => join("D", MALLORY).enter("e2"));
    const garbage: string[] = [];
    for (const [i, socket] of second.slice(0, 16).entries()) {
      socket.commit(`garbage ${i}`, { despite: [...garbage] });
      garbage.push(node(`garbage ${i}`));
    }
    wait(5_000);
    const sockets = [...first, ...second].slice(0, 50);
    for (const one of [...sockets, ...members]) one.enter("f");
    expect(members.some(isEnded)).toBe(false);
    expect(sockets.map(isEnded)).toEqual(sockets.map((_, i) => i >= 47));
  });

  test("nor where they are first after a restart of the server", () => {
    const { join } = setUp();
    const sockets = Array.from({ length: 50 }, () => join("D", MALLORY).enter("e"));
    const members = Array.from({ length: 3 }, (_, i) => join("D", `192.0.2.${i}`).enter("e"));
    expect(members.some(isEnded)).toBe(false);
    expect(sockets.map(isEnded)).toEqual(sockets.map((_, i) => i >= 47));
    expect(isEnded(join("D", MALLORY).enter("e")), "who is of them and enters").toBe(true);
  });

  test("nor that of one whose page takes more than 5 s to follow a commit", () => {
    const { members, alice, join, wait } = group(3);
    const sockets = Array.from({ length: 47 }, () => join("D", MALLORY).enter("e"));
    sockets[0]?.commit("f");
    for (const one of [alice, members[1], ...sockets]) one?.enter("f");
    wait(5_000);
    join("D", MALLORY).enter("f");
    members[2]?.enter("f");
    expect(members.some(isEnded)).toBe(false);
  });

  test("nor, of several networks, that of those who sit together behind one address, once they have sat there for 30 s", () => {
    const { join, wait } = group(1);
    const office = Array.from({ length: 40 }, () => join("D", "192.0.2.1").enter("e"));
    wait(30_000);
    const sockets = Array.from({ length: 60 }, (_, i) => join("D", `198.51.100.${i % 3}`).enter("e"));
    expect(office.filter(isEnded)).toEqual([]);
    expect(sockets.filter(isEnded)).toHaveLength(51);
  });

  test("nor while they are away, and go by the network of their last socket", () => {
    const { join, rooms, alice } = group(1);
    const sockets = Array.from({ length: 47 }, (_, i) => join("D", `198.51.100.${i}`).enter("e"));
    for (const one of sockets.slice(1)) {
      const { place } = one;
      one.drop();
      one.join(rooms, { resume: place, network: MALLORY }).drop();
    }
    const [newest, ...others] = [join("D", MALLORY).enter("e"), join().enter("e"), join().enter("e")];
    expect([alice, ...others].some(isEnded)).toBe(false);
    expect(isEnded(newest ?? expect.unreachable())).toBe(true);
  });
});

describe("alone", () => {
  test("nobody founds: after 5 s the server asks the next who waits, each once", () => {
    const { join, wait } = setUp();
    const waiting = [join(), join(), join()];
    wait(4_999);
    expect(waiting[1]?.types()).toEqual(["joined"]);
    wait(1);
    expect(waiting[1]?.types()).toEqual(["joined", "alone"]);
    wait(60_000);
    for (const one of waiting) expect(one.types()).toEqual(["joined", "alone"]);
    expect(join().types()).toEqual(["joined", "alone"]);
  });

  test("once someone is inside, nobody is asked to found a group", () => {
    const { join, wait } = setUp();
    const [first, second] = [join(), join()];
    first.enter("e");
    wait(60_000);
    expect(second.types()).toEqual(["joined"]);
  });

  test("who let the time pass is asked again when a group has come and gone", () => {
    const { join, wait } = setUp();
    const [first, second] = [join(), join()];
    wait(5_000);
    second.enter("e");
    second.leave();
    expect(first.types()).toEqual(["joined", "alone", "alone"]);
  });

  test("a newcomer that is being welcomed is not asked", () => {
    const { join, alice } = group(1);
    const [newcomer, waiting] = [join(), join()];
    alice.commit("f", { newcomers: [newcomer] });
    alice.leave();
    expect([newcomer.types(), waiting.types()]).toEqual([
      ["joined", "welcomed", "gone"],
      ["joined", "alone"],
    ]);
  });

  test("when the last member is gone, who has waited longest and is here is asked", () => {
    const { join, wait, alice, bob } = group(2);
    const waiting = [join(), join(), join()];
    waiting[0]?.drop();
    bob.drop();
    alice.leave();
    expect(waiting[1]?.types()).toEqual(["joined"]);
    wait(15_000);
    expect(waiting.map((client) => client.types())).toEqual([["joined"], ["joined", "alone"], ["joined"]]);
  });

  test("who was asked is asked again when it is back, and nobody else; when it leaves, the next is asked", () => {
    const { rooms, join, wait } = setUp();
    const [first, second] = [join(), join()];
    const { place } = first;
    first.drop();
    wait(2_000);
    first.join(rooms, { resume: place });
    expect([first.types(), second.types()]).toEqual([["joined", "alone", "joined", "alone"], ["joined"]]);
    first.leave();
    expect(second.types()).toEqual(["joined", "alone"]);
  });

  test("nobody is here to found: the first to resume is asked", () => {
    const { rooms, join, alice } = group(1);
    const waiting = join();
    const { place } = waiting;
    waiting.drop();
    alice.leave();
    waiting.join(rooms, { resume: place });
    expect(waiting.types()).toEqual(["joined", "joined", "alone"]);
  });

  test("a group that nobody followed over a commit for 5 s is no group: one of its members is asked to found another", () => {
    const { wait, alice, bob } = group(2);
    bob.commit("garbage");
    wait(4_999);
    expect(alice.types()).toEqual(["joined", "ordered"]);
    wait(1);
    expect([alice.types(), bob.types()]).toEqual([
      ["joined", "ordered", "alone"],
      ["joined", "ordered"],
    ]);
  });
});

describe("entering", () => {
  test("says whether the node is a tip, has ended, or was unknown", () => {
    const { join } = setUp();
    const [alice, bob] = [join(), join()];
    expect(alice.enter("e").last).toMatchObject({ type: "entered", at: node("e"), is: "new" });
    expect(bob.enter("e").last).toMatchObject({ type: "entered", at: node("e"), is: "tip" });
    alice.commit("f");
    expect(bob.enter("e").last).toMatchObject({ type: "entered", at: node("e"), is: "ended" });
    expect(alice.enter("f").last).toMatchObject({ type: "entered", at: node("f"), is: "tip" });
  });

  test("a tip that nobody stands at any more, and that no commit led to, is forgotten", () => {
    const { join, alice } = group(1);
    alice.enter("elsewhere");
    expect(join().enter("e").all("entered")).toMatchObject([{ type: "entered", at: node("e"), is: "new" }]);
  });

  test("of several groups all are listed: the oldest first, with how many are there", () => {
    const { rooms, join, alice, bob } = group(2);
    const waiting = join();
    const other = join().enter("other");
    const tips = [
      { at: node("e"), sessions: 2 },
      { at: node("other"), sessions: 1 },
    ];
    for (const one of [alice, bob, other]) expect(one.last).toEqual({ type: "groups", tips });
    expect([waiting.types(), join().types()]).toEqual([["joined"], ["joined"]]);
    expect(join().enter("e").last).toMatchObject({ type: "groups" });
    const { place } = other;
    other.drop();
    other.join(rooms, { resume: place });
    expect(other.last).toMatchObject({ type: "groups" });
    other.leave();
    expect(join().enter("e").last).toMatchObject({ type: "entered" });
  });

  test("groups that someone makes up without end are announced to members once a second, the first at once", () => {
    const { join, members, wait } = group(3);
    const strangers = Array.from({ length: 47 }, () => join());
    const makeUp = (round: number) => {
      for (const [i, one] of strangers.entries()) one.enter(`${round} ${i}`);
    };
    const told = () => members.map((one) => one.fresh().filter((type) => type === "groups").length);
    told();
    makeUp(0);
    expect(told()).toEqual([1, 1, 1]);
    for (let round = 1; round < 10; round++) makeUp(round);
    expect(told()).toEqual([0, 0, 0]);
    wait(1_000);
    expect(members[0]?.all("groups").at(-1)?.tips.length).toBeGreaterThan(1);
    expect(told()).toEqual([1, 1, 1]);
    wait(10_000);
    expect(told(), "nothing is new").toEqual([0, 0, 0]);
  });

  test("16 groups are listed at most, and rivals of one group are not several", () => {
    const { join, alice, bob, wait } = group(2);
    alice.commit("f");
    bob.commit("g", { despite: [node("f")] });
    alice.enter("f");
    bob.enter("g");
    expect([alice.all("groups"), bob.all("groups")]).toEqual([[], []]);
    for (let i = 0; i < 20; i++) join().enter(`other ${i}`);
    wait(1_000);
    expect(alice.all("groups").at(-1)?.tips).toHaveLength(16);
  });
});

describe("knocks", () => {
  test("go to the members, not to the knocker, nor to others who wait", () => {
    const { join, alice, bob } = group(2);
    const [newcomer, waiting] = [join(), join()];
    newcomer.knock();
    expect(alice.last).toMatchObject({ type: "knocked", from: newcomer.member, body: "package" });
    expect(bob.last).toEqual(alice.last);
    alice.knock();
    expect([alice.all("knocked").length, bob.all("knocked").length]).toEqual([1, 2]);
    expect([newcomer.types(), waiting.types()]).toEqual([["joined"], ["joined"]]);
  });

  test("go to the oldest group alone, or where all were asked for to all; each named node takes one", () => {
    const { join, alice, bob } = group(2);
    const rival = join().enter("rival");
    const newcomer = join();
    const heard = () => [alice, bob, rival].map((one) => one.all("knocked").length);
    newcomer.knock();
    expect(heard()).toEqual([1, 1, 0]);
    for (const at of [node("e"), node("rival")]) newcomer.say({ type: "knock", at, body: "again" });
    expect(heard()).toEqual([1, 1, 0]);
    newcomer.knock(true);
    expect(heard()).toEqual([2, 2, 1]);
  });

  test("a lone founder of the oldest group knocks at the other one", () => {
    const { join, alice } = group(1);
    const other = join().enter("other");
    alice.knock();
    expect(other.all("knocked")).toHaveLength(1);
  });

  test("of rivals in one group, those hear the first knocks who are most", () => {
    const { join, wait, members } = group(4);
    const [mallory, ...honest] = members;
    mallory?.commit("rival");
    honest[0]?.commit("f", { despite: [node("rival")] });
    mallory?.enter("rival");
    for (const one of honest) one.enter("f");
    wait(5_000);
    const newcomer = join();
    newcomer.knock();
    expect(members.map((one) => one.all("knocked").length)).toEqual([0, 1, 1, 1]);
    newcomer.knock(true);
    expect(members.map((one) => one.all("knocked").length)).toEqual([1, 2, 2, 2]);
  });

  test("are heard between a commit and its members' entering", () => {
    const { join, alice, bob } = group(2);
    alice.commit("f");
    join().knock();
    expect([alice.types().at(-1), bob.types().at(-1)]).toEqual(["knocked", "knocked"]);
  });

  test("at an epoch that has just ended reach those who went on from there, and after 5 s nobody", () => {
    const { join, wait, alice, bob } = group(2);
    const [soon, late] = [join(), join()];
    alice.commit("f");
    for (const one of [alice, bob]) one.enter("f");
    soon.say({ type: "knock", at: node("e"), body: "package" });
    expect(bob.last).toMatchObject({ type: "knocked", from: soon.member, at: node("e") });
    wait(5_000);
    late.say({ type: "knock", at: node("e"), body: "package" });
    expect(bob.all("knocked")).toHaveLength(1);
  });

  test("an answer goes to the session that is named, inside or not, and comes from a session inside", () => {
    const { join, alice, bob } = group(2);
    const newcomer = join();
    const answer = (from: Client, to: string) => from.say({ type: "answer", to, body: "wait" });
    answer(alice, newcomer.member);
    expect(newcomer.last).toMatchObject({ type: "answered", from: alice.member, body: "wait" });
    answer(alice, bob.member);
    answer(alice, "x".repeat(22));
    answer(newcomer, newcomer.member);
    expect([alice, bob, newcomer].map((one) => one.all("answered").length)).toEqual([0, 1, 1]);
  });
});

describe("dropping and resuming", () => {
  test("what was missed is replayed in order, and the others see away and back", () => {
    const { rooms, alice, bob, wait } = group(2);
    const { place, member } = alice;
    alice.drop();
    bob.relay("one");
    bob.relay("two");
    wait(14_999);
    alice.join(rooms, { resume: place });
    expect(alice.joined).toMatchObject({ member, resumed: true, seq: place.seq });
    expect(alice.types().slice(1)).toEqual(["joined", "away", "relayed", "relayed", "back"]);
    expect(bob.types().slice(1)).toEqual(["away", "relayed", "relayed", "back"]);
    wait(60_000);
    expect(bob.types().at(-1)).toBe("back");
    alice.relay();
    expect(bob.types().at(-1)).toBe("relayed");
  });

  test("gone after 15 s, still there to resume for 60 s, and not longer", () => {
    const { rooms, wait, alice, bob, others } = group(3);
    const places = [bob.place, others[0]?.place ?? null];
    bob.drop();
    others[0]?.drop();
    wait(15_000);
    expect(alice.types().slice(1)).toEqual(["away", "away", "gone", "gone"]);
    wait(44_999);
    bob.join(rooms, { resume: places[0] ?? null });
    expect(bob.joined.resumed).toBe(true);
    expect(alice.types().at(-1)).toBe("back");
    wait(1);
    others[0]?.join(rooms, { resume: places[1] ?? null });
    expect(others[0]?.joined.resumed).toBe(false);
  });

  test("who went on hears of one who stayed behind, who hears nothing of them", () => {
    const { wait, alice, bob } = group(2);
    bob.drop();
    alice.commit("f");
    alice.enter("f").commit("g");
    alice.enter("g");
    alice.fresh();
    wait(15_000);
    expect(alice.types()).toEqual(["gone"]);
  });

  test("one who has shown no token is nobody's business", () => {
    const { join, wait, alice } = group(1);
    join().drop();
    wait(60_000);
    expect(alice.types()).toEqual(["joined"]);
  });

  test("a session that cannot be replayed whole is replaced, and let in though the room is full", () => {
    const { rooms, join, alice, bob } = group(2);
    const { place, member: old } = bob;
    bob.drop();
    for (let i = 0; i < 257; i++) alice.relay();
    for (let i = 0; i < 50; i++) join();
    bob.join(rooms, { resume: place });
    expect(bob.joined.resumed).toBe(false);
    expect(bob.member).not.toBe(old);
    expect(alice.last).toMatchObject({ type: "presence", member: old, is: "gone" });
    bob.enter("e");
    alice.relay();
    expect(bob.types().slice(-3)).toEqual(["joined", "entered", "relayed"]);
  });

  test("a second socket takes a live session over, and the first one has no more say", () => {
    const { rooms, alice, bob } = group(2);
    const second = new Client().join(rooms, { resume: bob.place });
    expect([bob.closed, second.member]).toEqual([1, bob.member]);
    const before = alice.received.length;
    bob.relay("ghost");
    bob.drop();
    expect(alice.received).toHaveLength(before);
    second.relay("alive");
    expect(alice.last).toMatchObject({ type: "relayed", body: "alive" });
  });

  test("a wrong token resumes nothing, nor does a session's of another room", () => {
    const { rooms, alice, bob, join } = group(2);
    const stranger = new Client().join(rooms, { resume: { token: "z".repeat(22), seq: 0 } });
    const other = join("E");
    other.join(rooms, { door: "E", resume: bob.place });
    expect([stranger.joined.resumed, other.joined.resumed]).toEqual([false, false]);
    expect([alice.closed, bob.closed]).toEqual([0, 0]);
  });

  test("a welcome that came while its socket was dropped is replayed", () => {
    const { rooms, join, alice } = group(1);
    const newcomer = join();
    const { place } = newcomer;
    newcomer.drop();
    alice.commit("f", { newcomers: [newcomer] });
    newcomer.join(rooms, { resume: place });
    expect(newcomer.types()).toEqual(["joined", "joined", "welcomed", "back"]);
  });

  test("a member who dropped in a full room is let in again, no matter who came meanwhile and where it stood", () => {
    const { rooms, join, wait, alice, bob, others } = group(50);
    const { place } = bob;
    bob.drop();
    wait(16_000);
    alice.commit("f");
    for (const member of [alice, ...others]) member.enter("f");
    wait(5_000);
    const early = join().enter("f");
    expect(early.last, "its seat is kept").toMatchObject({ type: "fault", code: "room-full" });
    bob.join(rooms, { resume: place });
    const late = join().enter("f");
    expect(late.last).toMatchObject({ type: "entered" });
    expect(bob.enter("f").last).toMatchObject({ type: "entered", is: "tip" });
    expect(join().enter("f").last).toMatchObject({ type: "fault", code: "room-full" });
  });

  test("a seat is kept through a resumption that came too late for what was missed, and for 60 s", () => {
    const { rooms, join, wait, alice, bob } = group(50);
    const { place } = bob;
    bob.drop();
    wait(16_000);
    for (let i = 0; i < 257; i++) alice.relay("missed");
    bob.join(rooms, { resume: place });
    expect(bob.joined.resumed).toBe(false);
    const other = join().enter("e");
    expect(other.last).toMatchObject({ type: "entered" });
    expect(bob.enter("e").last).toMatchObject({ type: "entered" });
    bob.drop();
    other.leave();
    wait(60_000);
    expect(join().enter("e").last).toMatchObject({ type: "entered" });
  });

  test("who comes again by another door came by that one", () => {
    const { rooms, join, wait, alice, bob } = group(2);
    const waiting = join("D");
    alice.commit("f", { door: alice.opens("E") });
    const { place } = waiting;
    waiting.drop();
    waiting.join(rooms, { door: "E", resume: place });
    alice.leave();
    bob.leave();
    wait(5_000);
    expect(waiting.types()).toEqual(["joined", "joined", "alone"]);
  });
});

describe("leaving", () => {
  test("who leaves is gone at once, for good", () => {
    const { rooms, alice, bob } = group(2);
    const { place, member } = bob;
    bob.leave();
    bob.drop();
    expect(bob.closed).toBe(1);
    expect(alice.last).toMatchObject({ type: "presence", is: "gone", member });
    expect(new Client().join(rooms, { resume: place }).joined.resumed).toBe(false);
  });

  test("a room is forgotten once it has been empty for 60 s, not before", () => {
    const { rooms, join, wait } = setUp();
    join().leave();
    wait(59_999);
    const next = join();
    wait(120_000);
    expect(rooms.size.calls).toBe(1);
    next.drop();
    wait(60_000 + 59_999);
    expect(rooms.size.calls).toBe(1);
    wait(1);
    expect(rooms.size.calls).toBe(0);
  });

  test("an empty room knows its nodes for those 60 s", () => {
    const { join, wait, alice } = group(1);
    alice.commit("f");
    alice.leave();
    wait(59_999);
    expect(join().enter("e").last).toMatchObject({ type: "entered", is: "ended" });
  });

  test("rooms that are closed run no timer and keep nothing", () => {
    const { rooms, allowance, wait, alice, bob } = group(2);
    alice.commit("f");
    alice.listen("old");
    bob.drop();
    expect(allowance.used).toBeGreaterThan(0);
    rooms.close();
    expect([allowance.used, rooms.size.calls]).toEqual([0, 0]);
    const heard = alice.received.length;
    wait(600_000);
    expect(alice.received).toHaveLength(heard);
  });
});

test("heartbeats go to every other in the neighbourhood that is here and not busy, and to nobody later", () => {
  const { rooms, join, alice, bob, others } = group(4);
  const waiting = join();
  const [third, busy] = others;
  third?.drop();
  if (busy) busy.isBusy = true;
  const before = alice.place.seq;
  alice.say({ type: "beat", body: "b" });
  waiting.say({ type: "beat", body: "b" });
  expect(bob.last).toEqual({ type: "heartbeat-relayed", from: alice.member, body: "b" });
  third?.join(rooms, { resume: third.place });
  for (const client of [alice, waiting, busy, third]) expect(client?.all("heartbeat-relayed")).toEqual([]);
  alice.relay();
  expect(bob.all("relayed").at(-1)?.seq, "a heartbeat takes no number").toBe(before + 2);
});

describe("knock keys", () => {
  const given = ({ open }: Client) => open.map(({ at, tags }) => [at, ...tags]);
  const [other, more] = ["O".repeat(22), "M".repeat(22)];

  test("are given after joining, and of each epoch those of its commit", () => {
    const { join, alice } = group(1);
    expect(join().open).toEqual([{ at: node("e"), ...knockKey("e") }]);
    alice.commit("f");
    expect(given(join()), "nobody is there yet").toEqual([[node("e"), ...knockKey("e").tags]]);
    alice.say({ type: "enter", token: token("f"), knockKey: null });
    expect(join().open).toEqual([{ at: node("f"), ...knockKey("f") }]);
  });

  test("lead to no commit that nobody took", () => {
    const { join, alice, bob } = group(3);
    alice.commit("garbage");
    expect(given(join())).toEqual([[node("e"), ...knockKey("e").tags]]);
    bob.commit("f", { despite: [node("garbage")] });
    bob.enter("f");
    const newcomer = join();
    newcomer.say({ type: "request-keys", all: true });
    expect(given(newcomer)).toEqual([[node("f"), ...knockKey("f").tags]]);
  });

  test("who asked before there were any is given them once, when there are", () => {
    const { join } = setUp();
    const [founder, newcomer] = [join(), join()];
    newcomer.say({ type: "request-keys", all: false });
    founder.say({ type: "enter", token: token("e"), knockKey: null });
    expect(newcomer.open).toEqual([]);
    founder.enter("e");
    expect(given(newcomer)).toEqual([[node("e"), ...knockKey("e").tags]]);
    newcomer.open = [];
    founder.commit("f");
    founder.enter("f");
    expect([newcomer.open, founder.open]).toEqual([[], []]);
  });

  test("all that members give for an epoch go on, up to 8, each once and as it came: one may be wrong, or its tags", () => {
    const { join } = setUp();
    const founder = join().enter("e", other);
    const wrong = { ...knockKey("another"), tags: [other] };
    for (const key of [wrong, wrong]) founder.say({ type: "enter", token: token("e"), knockKey: key });
    join().enter("e", other, more);
    const all = [knockKey("e", other), wrong, knockKey("e", other, more)];
    expect(join().open).toEqual(all.map((key) => ({ at: node("e"), ...key })));
    for (let i = 0; i < 16; i += 1) join().enter("e", String(i).padStart(22, "t"));
    expect(given(join())).toHaveLength(8);
  });

  test("of one session two count, so that one socket cannot fill an epoch's place for them", () => {
    const { join } = setUp();
    const founder = join().enter("e", other);
    for (let i = 0; i < 16; i += 1) founder.enter("e", String(i).padStart(22, "t"));
    join().enter("e", more);
    expect(given(join())).toEqual([
      [node("e"), other],
      [node("e"), "0".padStart(22, "t")],
      [node("e"), more],
    ]);
  });

  test("`entered` names the ones that the server has, by the hash of key and tags", () => {
    const { join, alice } = group(1);
    const { key, tags } = knockKey("e");
    const fingerprint = createHash("sha256")
      .update([key, ...tags].join("."))
      .digest("base64url");
    alice.say({ type: "enter", token: token("e"), knockKey: null });
    expect(alice.last).toEqual({ type: "entered", at: node("e"), is: "tip", knockKeys: [fingerprint] });
    expect(join().enter("e", more).last).toMatchObject({ knockKeys: [fingerprint, expect.any(String)] });
  });

  test("come only from who has shown the epoch's token, and lead where others than the sender are", () => {
    const { join, alice } = group(1);
    const outsider = join();
    outsider.commit("f", { at: node("e"), knockKey: knockKey("f", other) });
    alice.say({ type: "request-keys", all: true });
    expect([given(join()), alice.open]).toEqual([[[node("e"), ...knockKey("e").tags]], []]);
    alice.leave();
    expect(join().open).toEqual([]);
  });
});
