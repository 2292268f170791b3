import { PROTOCOL_VERSION } from "@sealcast/protocol";
import { expect, test } from "vitest";
import { randomId } from "../random.ts";
import { newLink } from "../rooms/door.cases.ts";
import { liveRoomOf } from "../rooms/door.ts";
import { type Cluster, Person, signature } from "./redis/cluster.cases.ts";

/** What sockets can rely on, at whatever servers they are. */
export function contract(start: () => Promise<Cluster>): void {
  /** This many people in one call, each at the next server, inside one epoch. */
  async function call(size: number) {
    const cluster = await start();
    const { door } = newLink();
    const join = async (at: number, resume: { token: string; seq: number } | null = null, by = door) => {
      const person = Person.at(cluster.buses[at % 3] ?? expect.unreachable(), { type: "join", door: by, resume });
      await cluster.settle();
      return person;
    };
    const people: Person[] = [];
    for (let i = 0; i < size; i++) people.push(await join(i));
    for (const person of people) person.enter("e");
    await cluster.settle();
    const [ada = expect.unreachable(), ben = ada, cem = ada] = people;
    return { ...cluster, door, join, people, ada, ben, cem };
  }

  test("people of one call hear the same in one order, wherever they are", async () => {
    const { people, settle } = await call(6);
    for (let i = 0; i < 60; i++) people[(i * 7) % 6]?.relay(`${i}`);
    await settle();
    const orders = people.map(({ heard }) => heard);
    expect(orders[0]).toHaveLength(60);
    for (const order of orders) expect(order).toEqual(orders[0]);
    const own = orders[0]?.filter((body) => (Number(body) * 7) % 6 === 2);
    expect(own, "and each speaker's in theirs").toEqual(own?.toSorted((a, b) => Number(a) - Number(b)));
  });

  test("of two commits at one epoch one counts, and both learn which", async () => {
    const { ada, ben, cem, settle } = await call(3);
    ada.commit("a");
    ben.commit("b");
    await settle();
    const refused = [ada, ben].filter(({ types }) => types.includes("refused"));
    expect(refused).toHaveLength(1);
    expect(new Set([ada, ben, cem].map((person) => person.one("ordered").next)).size).toBe(1);
  });

  test("who drops resumes at another server, and misses nothing", async () => {
    const { ada, ben, join, settle } = await call(2);
    const { place } = ben;
    ben.drop();
    await settle();
    expect(ada.one("presence").is).toBe("away");
    ada.relay("meanwhile");
    await settle();
    const again = await join(2, place);
    expect(again.one("joined")).toMatchObject({ resumed: true, member: ben.one("joined").member });
    expect(again.heard).toEqual(["meanwhile"]);
    expect(ada.one("presence").is).toBe("back");
  });

  test("a door that a removal made leads there at once, and the former one too", async () => {
    const { ada, ben, cem, join, settle } = await call(3);
    const next = newLink().door;
    ben.commit("without", { door: { door: next, signature } });
    await settle();
    for (const one of [ada, ben]) one.enter("without");
    await settle();
    const [byNext, byFormer] = [await join(2, null, next), await join(1)];
    for (const [one, other] of [
      [byNext, byFormer],
      [byFormer, byNext],
    ] as const) {
      one.say({ type: "request-keys", all: true });
      await settle();
      const [tip] = one.one("knock-keys").tips;
      one.say({ type: "knock", at: tip?.at ?? expect.unreachable(), body: "package" });
      await settle();
      expect(ada.one("knocked").from).toBe(one.one("joined").member);
      expect(other.types).not.toContain("knocked");
    }
    expect(cem.ended).toBe(null);
  });

  test("a former door at which a member listens leads to that member's room", async () => {
    const { ada, cem, join, settle } = await call(3);
    const former = newLink().door;
    cem.say({ type: "listen", door: former, signature });
    await settle();
    const guest = await join(1, null, former);
    guest.say({ type: "request-keys", all: true });
    await settle();
    guest.say({ type: "knock", at: guest.one("knock-keys").tips[0]?.at ?? "", body: "package" });
    await settle();
    expect(ada.types).toContain("knocked");
  });

  test("who waits by a replaced door is called to the room that replaced it, once it knows their epoch to have ended", async () => {
    const { ada, ben, join, settle, wait } = await call(2);
    const former = newLink().door;
    const lost = await join(2, null, former);
    lost.enter("before");
    await settle();
    ben.say({ type: "listen", door: former, signature });
    await settle();
    expect(lost.ended, "not by anybody who has the former link").toBe(null);
    ben.restock("before", "e");
    await settle();
    expect(lost.ended).toBe("restarted");
    await wait(300);
    const again = await join(2, null, former);
    again.enter("e");
    await settle();
    ada.relay("all-here");
    await settle();
    expect(again.heard).toEqual(["all-here"]);
  });

  test("what is no message of a call ends its socket there too", async () => {
    const { ben, settle } = await call(2);
    const isTaken = ben.say({ type: "tell", body: "b" });
    await settle();
    expect(isTaken && ben.ended !== "faulted").toBe(false);
  });

  test("a stream's viewers and host meet, in any order, and its end reaches all", async () => {
    const { buses, settle } = await start();
    const [one = expect.unreachable(), two = one, three = one] = buses;
    const key = newLink().door;
    const { door } = newLink();
    const viewers = [one, two, three].map((bus) => {
      return Person.at(bus, { type: "watch", room: liveRoomOf(key), door, resume: null, version: PROTOCOL_VERSION });
    });
    await settle();
    const host = Person.at(two, { type: "host", key, load: randomId(), doors: [door] });
    await settle();
    expect(host.one("hosting").viewers).toHaveLength(3);
    viewers[2]?.say({ type: "tell", body: "question" });
    await settle();
    const { from, body } = host.one("told");
    expect(body).toBe("question");
    host.say({ type: "deliver", accept: [from], items: [{ to: from, body: "answer" }] });
    host.say({ type: "end" });
    await settle();
    expect(viewers[2]?.one("delivered").body).toBe("answer");
    for (const viewer of viewers) expect(viewer.one("host-is").is).toBe("ended");
    host.say({ type: "dismiss", viewers: [from] });
    await settle();
    expect(viewers.map(({ ended }) => ended)).toEqual([null, null, "faulted"]);
  });

  test("where more are inside than there are places, one of the network that has most goes, wherever its sockets are", async () => {
    const { buses, settle } = await start();
    const { door } = newLink();
    const enter = async (count: number, network: (i: number) => string) => {
      const come = (_: unknown, i: number) =>
        Person.at(buses[i % 3] ?? expect.unreachable(), { type: "join", door, resume: null }, network(i));
      const people = Array.from({ length: count }, come);
      await settle();
      for (const one of people) one.enter("e");
      await settle();
      return people;
    };
    const many = await enter(50, () => "203.0.113.7");
    const others = await enter(3, (i) => `192.0.2.${i}`);
    expect(others.map(({ ended }) => ended)).toEqual([null, null, null]);
    expect(many.filter(({ ended }) => ended === "faulted")).toHaveLength(3);
  });

  test("who is refused learns why", async () => {
    const { buses, settle } = await start();
    const [one = expect.unreachable(), two = one, three = one] = buses;
    const key = newLink().door;
    Person.at(one, { type: "host", key, load: randomId(), doors: [newLink().door] });
    await settle();
    for (const bus of [one, two, three]) {
      const viewer = Person.at(bus, { type: "watch", room: liveRoomOf(key), door: newLink().door, resume: null });
      await settle();
      expect(viewer.ended).toBe("faulted");
    }
  });
}
