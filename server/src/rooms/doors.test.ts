import { describe, expect, test, vi } from "vitest";
import { token } from "./door.cases.ts";
import { group, node, setUp } from "./room.cases.ts";

describe("a removed member", () => {
  /** Ada removes Mallory, who holds the epochs so far and the former link. All others have entered the next epoch. */
  function removal() {
    const { alice: ada, bob: mallory, others, ...room } = group(4);
    ada.commit("without", { door: ada.opens("E") });
    for (const one of [ada, ...others]) one.enter("without");
    for (const one of [ada, mallory, ...others]) one.fresh();
    return { ...room, ada, mallory, others };
  }

  test("hears and says nothing after 5 s, in a new session too, and orders nothing", () => {
    const { ada, mallory, others, join, wait } = removal();
    wait(5_000);
    const again = join("D").enter("e");
    again.fresh();
    for (const one of [mallory, again]) {
      one.relay();
      one.say({ type: "beat", body: "b" });
      one.say({ type: "answer", to: join("E").member, body: "b" });
      one.epoch = "e";
      one.commit("back", { despite: [node("without")] });
      expect(one.types()).toEqual(["refused"]);
    }
    ada.relay();
    ada.say({ type: "beat", body: "b" });
    ada.commit("next");
    for (const one of [mallory, again]) expect(one.types()).toEqual(["refused"]);
    expect(others[0]?.types()).toEqual(["relayed", "heartbeat-relayed", "ordered"]);
  });

  test("keeps no neighbourhood through rivals that it ordered before, nor by what it restocks", () => {
    const { alice: ada, bob: mallory, others, wait } = group(3);
    mallory.commit("rival");
    ada.commit("without", { despite: [node("rival")] });
    for (const one of [ada, ...others]) one.enter("without");
    mallory.enter("rival");
    wait(5_000);
    mallory.restock("rival", "without");
    mallory.restock("e", "without", "another body");
    for (const one of [ada, mallory, ...others]) one.fresh();
    mallory.relay();
    ada.relay();
    mallory.enter("e").relay();
    expect([ada.types(), mallory.types()]).toEqual([["relayed"], ["relayed", "entered"]]);
    mallory.enter("rival").commit("without");
    expect(mallory.last).toMatchObject({ type: "refused" });
  });

  test("can knock, by the former door once in 2 s, and be answered", () => {
    const { ada, mallory, join, wait } = removal();
    wait(5_000);
    const again = join("D");
    for (const one of [mallory, again]) {
      one.knock();
      one.knock();
      expect(ada.fresh()).toEqual(["knocked"]);
      ada.say({ type: "answer", to: one === again ? again.member : ada.member, body: "no" });
    }
    expect(again.types().at(-1)).toBe("answered");
    wait(1_999);
    again.knock();
    expect(ada.types()).toEqual([]);
    wait(1);
    again.knock();
    expect(ada.types()).toEqual(["knocked"]);
  });

  test("is never asked to found a group, though nobody is left", () => {
    const { ada, mallory, others, join, wait } = removal();
    wait(5_000);
    const again = join("D");
    for (const one of [ada, ...others]) one.leave();
    wait(60_000);
    expect([mallory.types(), again.types()]).toEqual([[], ["joined"]]);
    expect(join("E").types()).toEqual(["joined", "alone"]);
  });

  test("cannot keep newcomers waiting by founding a group of its own, nor call members there", () => {
    const { ada, others, join, wait } = removal();
    const outside = join("D").enter("made up");
    expect(outside.types()).toEqual(["joined", "entered", "groups"]);
    const newcomer = join("E");
    newcomer.knock();
    newcomer.knock();
    expect([ada.types(), outside.all("knocked")]).toEqual([["knocked", "knocked"], []]);
    for (const one of [ada, ...others]) one.leave();
    wait(15_000);
    expect(newcomer.types()).toEqual(["joined", "alone"]);
    expect(newcomer.enter("f").types()).toEqual(["joined", "alone", "entered"]);
    join("E").knock();
    expect([newcomer.types().at(-1), outside.all("knocked")], "though that group is older").toEqual(["knocked", []]);
  });

  test("takes at most 8 places that way, inside a group of its own or not, and none from the others", () => {
    const { join, wait } = removal();
    wait(5_000);
    const outside = Array.from({ length: 7 }, (_, i) => join("D").enter(i % 2 ? `made up ${i}` : "e"));
    expect(outside.every(({ isSeated }) => isSeated)).toBe(true);
    expect([join("D").isSeated, join("E").isSeated]).toEqual([false, true]);
  });

  test("cannot take the room's door: not from a rival that the others left, nor from a group of its own", () => {
    const { alice: ada, bob: mallory, others, join, wait } = group(3);
    mallory.commit("rival");
    ada.commit("without", { despite: [node("rival")], door: ada.opens("E") });
    for (const one of [ada, ...others]) one.enter("without");
    mallory.enter("rival");
    wait(5_000);
    mallory.commit("rival 2", { door: mallory.opens("F") });
    expect(mallory.last).toMatchObject({ type: "ordered" });
    const outside = join("D").enter("made up");
    for (let i = 0; i < 5; i++) join("D").enter("made up");
    outside.commit("made up 2", { door: outside.opens("G") });
    for (const one of [ada, mallory, outside, ...others]) one.leave();
    expect(["D", "F", "G", "E"].map((door) => join(door).types())).toEqual([
      ...Array(3).fill(["joined"]),
      ["joined", "alone"],
    ]);
  });

  test("nor by a rival of the commit that removed it, while it is still heard", () => {
    const { ada, mallory, join } = removal();
    mallory.epoch = "e";
    mallory.commit("rival", { despite: [node("without")], door: mallory.opens("D") });
    mallory.enter("rival").commit("its next", { door: mallory.opens("D") });
    expect(mallory.last).toMatchObject({ type: "ordered", next: node("its next") });
    const byTheNext = Array.from({ length: 9 }, () => join("E"));
    expect(byTheNext.every(({ isSeated }) => isSeated)).toBe(true);
    ada.commit("later", { door: ada.opens("E") });
    expect(ada.last).toMatchObject({ type: "ordered", next: node("later") });
  });

  test("nor anybody in advance, by garbage: from where most are the door is replaced again", () => {
    const { alice: ada, bob: mallory, others, join } = group(4);
    mallory.commit("garbage", { door: mallory.opens("X") });
    ada.commit("without", { despite: [node("garbage")], door: ada.opens("E") });
    for (const one of [ada, ...others]) one.enter("without");
    mallory.enter("garbage");
    ada.commit("later", { door: ada.opens("E") });
    const byTheNext = Array.from({ length: 9 }, () => join("E"));
    expect(byTheNext.every(({ isSeated }) => isSeated)).toBe(true);
  });

  test("nor any other makes the room's own group one of a former door, by garbage past which the members start over", () => {
    const { ada, others, join, wait } = removal();
    const [, bob] = others;
    bob?.commit("garbage");
    wait(5_000);
    for (const one of [ada, ...others]) one.enter("restart");
    wait(5_000);
    const newcomer = join("E");
    wait(5_000);
    expect(newcomer.open.map(({ at }) => at)).toEqual([node("restart")]);
    expect(newcomer.types()).toEqual(["joined"]);
  });
});

describe("doors", () => {
  test("who waits by a door that is replaced takes no place from those who come by the next", () => {
    const { alice, bob, join } = group(2);
    const waiting = Array.from({ length: 50 }, () => join("D"));
    expect([waiting.every(({ isSeated }) => isSeated), join("D").isSeated]).toEqual([true, false]);
    alice.commit("f", { door: alice.opens("E") });
    for (const one of [alice, bob]) one.enter("f");
    expect([join("D").isSeated, join("E").isSeated]).toEqual([false, true]);
  });

  test("a commit opens another; the last one goes on leading here, as a former one", () => {
    const { alice, bob, join } = group(2);
    alice.commit("f", { door: alice.opens("E") });
    bob.enter("f");
    for (const door of ["D", "E"]) {
      const newcomer = join(door);
      expect(newcomer.types()).toEqual(["joined"]);
      newcomer.knock();
      newcomer.knock();
    }
    expect(bob.all("knocked")).toHaveLength(3);
  });

  test("a commit that opens another room's door is ordered, and leaves the door to that room", () => {
    const { alice, bob, join } = group(2);
    const other = join("E").enter("other");
    alice.commit("f", { door: alice.opens("E") });
    expect(alice.last).toMatchObject({ type: "ordered", next: node("f") });
    expect(bob.types()).toEqual(["joined", "ordered"]);
    join("E").knock();
    expect(other.all("knocked")).toHaveLength(1);
  });

  test("the same commit again opens its door once", () => {
    const { alice, join } = group(1);
    alice.commit("f", { door: alice.opens("E") });
    alice.commit("f", { door: alice.opens("E") });
    expect(alice.last).toMatchObject({ type: "ordered" });
    expect(join("E").types()).toEqual(["joined"]);
  });

  test("a door that a session listens at leads here while one of them is in the room; 16 a session", () => {
    const { alice, bob, join } = group(2);
    alice.listen("old");
    bob.listen("old");
    for (let i = 0; i < 20; i++) alice.listen(`older ${i}`);
    const atDoor = (door: string) => {
      const newcomer = join(door);
      const types = newcomer.types();
      newcomer.leave();
      return types;
    };
    expect([atDoor("old"), atDoor("older 14"), atDoor("older 15")]).toEqual([
      ["joined"],
      ["joined"],
      ["joined", "alone"],
    ]);
    alice.leave();
    expect([atDoor("old"), atDoor("older 0")]).toEqual([["joined"], ["joined", "alone"]]);
    bob.leave();
    expect(join("old").types()).toEqual(["joined", "alone"]);
  });

  test("a room keeps 16 of its former doors", () => {
    const { alice, join } = group(1);
    for (let i = 0; i < 18; i++) {
      alice.commit(`f${i}`, { door: alice.opens(`door ${i}`) });
      alice.enter(`f${i}`);
    }
    expect(join("D").types()).toEqual(["joined", "alone"]);
    expect(["door 0", "door 1", "door 17"].map((door) => join(door).types().length)).toEqual([2, 1, 1]);
  });

  test("who missed a removal and who did not find each other after a restart", () => {
    const { rooms, join } = setUp();
    const behind = [join("D").enter("e"), join("D").enter("e")];
    const ahead = join("E").enter("f");
    ahead.listen("D");
    expect(behind.map(({ restarted }) => restarted)).toEqual([0, 0]);
    ahead.restock("e", "f");
    expect(behind.map(({ restarted }) => restarted)).toEqual([1, 1]);
    expect([ahead.restarted, rooms.size.calls]).toEqual([0, 1]);
    const [back] = behind.map((one) => one.join(rooms, { door: "D", resume: one.place }));
    expect(back?.joined.resumed).toBe(false);
    expect(back?.enter("e").last).toMatchObject({ type: "entered", is: "ended" });
    back?.say({ type: "fetch", token: token("e") });
    expect(back?.last).toMatchObject({ type: "history", edges: [{ next: node("f") }] });
    back?.enter("f").relay();
    expect(ahead.last).toMatchObject({ type: "relayed" });
  });

  test("all their doors lead here from then on, no matter who listens", () => {
    const { join } = setUp();
    const behind = join("C").enter("d");
    behind.commit("e", { door: behind.opens("D") });
    behind.enter("e");
    const [ahead, other] = [join("E").enter("f"), join("E").enter("f")];
    ahead.restock("e", "f");
    ahead.listen("D");
    expect(behind.restarted).toBe(1);
    ahead.leave();
    for (const door of ["C", "D"]) join(door).knock();
    expect(other.all("knocked")).toHaveLength(2);
  });

  test("restocked first and listened after is the same", () => {
    const { join } = setUp();
    const behind = join("D").enter("e");
    const ahead = join("E").enter("f");
    ahead.restock("e", "f");
    ahead.listen("D");
    expect(behind.restarted).toBe(1);
  });

  test("nobody calls members of another room away without their epoch's token", () => {
    const { join, rooms, alice, bob } = group(2);
    alice.commit("f");
    alice.enter("f");
    bob.enter("f");
    const mallory = join("M").enter("made up");
    mallory.restock("e", "garbage");
    mallory.listen("D");
    mallory.commit("f");
    mallory.listen("D");
    mallory.restock("made up", "more");
    const inside = join("D").enter("made up");
    mallory.restock("made up", "and more");
    expect([alice, bob, inside].map(({ restarted }) => restarted)).toEqual([0, 0, 0]);
    expect(rooms.size.calls).toBe(2);
    expect(join("D").types()).toEqual(["joined"]);
    alice.relay();
    expect(bob.last).toMatchObject({ type: "relayed" });
  });

  test("who waits in another room, and is no member there, is not called away", () => {
    const { join, alice } = group(1);
    const waiting = join("W");
    alice.listen("W");
    alice.restock("d", "e");
    expect([waiting.restarted, waiting.types()]).toEqual([0, ["joined", "alone"]]);
  });
});

describe("other processes", () => {
  test("are asked about a door at once when a session listens there, and at most once a second for what is restocked", () => {
    const learnt = vi.fn();
    const { alice, wait } = group(2, { elsewhere: { leadsHere: (door) => !door.startsWith("former"), learnt } });
    for (let i = 0; i < 3; i++) alice.listen(`former ${i}`);
    expect(learnt).toHaveBeenCalledTimes(3);
    for (let i = 0; i < 30; i++) alice.restock(`before ${i}`, "e");
    expect(learnt).toHaveBeenCalledTimes(6);
    wait(1_000);
    expect(learnt).toHaveBeenCalledTimes(9);
    alice.restock("long before", "e");
    alice.leave();
    wait(120_000);
    expect(learnt, "nothing is asked for who has left").toHaveBeenCalledTimes(9);
  });

  test("are asked about 256 doors of one room at a time, first of all about those of who is inside, whoever else listens", () => {
    const learnt = vi.fn();
    const { alice, join, wait } = group(1, { elsewhere: { leadsHere: (door) => !door.startsWith("former"), learnt } });
    for (let other = 0; other < 20; other++) {
      const outside = join("D");
      for (let j = 0; j < 16; j++) outside.listen(`former ${other} ${j}`);
    }
    alice.listen("former of a member");
    wait(2_000);
    learnt.mockClear();
    alice.restock("before", "e");
    wait(1_000);
    const asked = learnt.mock.calls.map(([door]) => door);
    expect(asked).toHaveLength(256);
    expect(asked).toContain("former of a member");
  });
});
