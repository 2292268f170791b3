import { type Down, parseDown } from "@sealcast/protocol";
import { ManualClock, milli } from "@sealcast/time";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Allowance } from "./allowance.ts";
import { token } from "./door.cases.ts";
import { nodeOf } from "./door.ts";
import type { Seat, Sent } from "./room.ts";
import { Rooms } from "./rooms.ts";

type Received<T extends Down["type"]> = Extract<Down, { type: T }>;
type Resume = Sent<"join">["resume"];

const node = (epoch: string): string => nodeOf(token(epoch));

/** A client as the room sees it: one session, over one socket after the other. */
class Client {
  readonly received: Down[] = [];
  closed = 0;
  restarted = 0;
  /** Whether much is waiting for its socket. */
  isBusy = false;
  /** The epoch that it said it is in. */
  epoch = "";
  #seat: Seat | null = null;
  #joined: Received<"joined"> | null = null;

  join(rooms: Rooms, { door = "D", resume = null }: { door?: string; resume?: Resume } = {}): this {
    const outlet = {
      send: (text: string) => this.#receive(text),
      offer: (text: string) => void (this.isBusy || this.#receive(text)),
      close: () => this.closed++,
      restart: () => this.restarted++,
      fault: (code: Received<"fault">["code"]) => this.#receive(JSON.stringify({ type: "fault", code, message: "" })),
    };
    this.#seat = rooms.join({ door, resume }, outlet);
    return this;
  }

  say(message: Parameters<Seat["handle"]>[0]): void {
    this.#seat?.handle(message);
  }

  enter(epoch: string): this {
    this.epoch = epoch;
    this.say({ type: "enter", token: token(epoch) });
    return this;
  }

  /** From the epoch that it is in. */
  commit(next: string, more: Partial<Sent<"commit">> & { newcomers?: readonly Client[] } = {}): void {
    const { newcomers = [], ...fields } = more;
    const welcome = newcomers.length > 0 ? { to: newcomers.map(({ member }) => member), body: "welcome" } : null;
    const [at, body, despite, door] = [node(this.epoch), "commit", [], null];
    this.say({ type: "commit", at, next: node(next), body, welcome, despite, door, ...fields });
  }

  opens(door: string): Sent<"commit">["door"] {
    return { door, signature: "" };
  }

  relay(body = "relay"): void {
    this.say({ type: "relay", body });
  }
  knock(): void {
    this.say({ type: "knock", body: "package" });
  }
  listen(door: string): void {
    this.say({ type: "listen", door, signature: "" });
  }
  restock(at: string, next: string, body = "commit"): void {
    this.say({ type: "restock", token: token(at), next: node(next), body });
  }
  drop(): void {
    this.#seat?.drop();
  }
  leave(): void {
    this.say({ type: "leave" });
  }

  get isSeated(): boolean {
    return this.#seat !== null;
  }
  get joined(): Received<"joined"> {
    return this.#joined ?? expect.unreachable("never joined");
  }
  get member(): string {
    return this.joined.member;
  }
  get last(): Down | undefined {
    return this.received.at(-1);
  }
  /** What this client would send to resume now. */
  get place(): { token: string; seq: number } {
    return { token: this.joined.token, seq: Math.max(...this.received.map((m) => ("seq" in m ? m.seq : 0))) };
  }
  all<T extends Down["type"]>(type: T): Received<T>[] {
    return this.received.filter((message): message is Received<T> => message.type === type);
  }
  types(): string[] {
    return this.received.map((message) => (message.type === "presence" ? message.is : message.type));
  }
  /** What came since this was last asked. */
  fresh(): string[] {
    const types = this.types();
    this.received.length = 0;
    return types;
  }

  #receive(text: string): void {
    const parsed = parseDown(text);
    const message = parsed.ok ? parsed.value : expect.unreachable(`not a message: ${text}`);
    if (message.type === "joined") this.#joined = message;
    this.received.push(message);
  }
}

function setUp() {
  const clock = new ManualClock();
  let ids = 0;
  const randomId = () => String(ids++).padStart(22, "0");
  const allowance = new Allowance();
  const rooms = new Rooms({ clock, randomId, stunPort: 3478, allowance });
  const join = (door = "D") => new Client().join(rooms, { door });
  return { rooms, allowance, join, wait: (ms: number) => clock.advance(milli(ms)) };
}

/** So many members of one group in epoch "e", who have received nothing since they entered. */
function group(size: number) {
  const room = setUp();
  const members = Array.from({ length: size }, () => room.join().enter("e"));
  for (const member of members) member.received.splice(1);
  const [alice, bob, ...others] = members;
  if (!alice) return expect.unreachable();
  return { ...room, members, alice, bob: bob ?? alice, others };
}

describe("joining", () => {
  test("who is first in a room is told so; a second one waits", () => {
    const { join } = setUp();
    const [first, second] = [join(), join()];
    expect(first.received).toEqual([
      { type: "joined", member: first.member, token: first.joined.token, seq: 0, resumed: false, stunPort: 3478 },
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

  test("whoever has shown no token can enter, knock, fetch, restock, listen, ping and leave, and nothing else", () => {
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
});

describe("alone", () => {
  test("nobody founds: after 5 s the next who waits is told, each once", () => {
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

  test("once somebody is inside, nobody is told", () => {
    const { join, wait } = setUp();
    const [first, second] = [join(), join()];
    first.enter("e");
    wait(60_000);
    expect(second.types()).toEqual(["joined"]);
  });

  test("when the last member is gone, who has waited longest and is here is told", () => {
    const { join, wait, alice, bob } = group(2);
    const waiting = [join(), join(), join()];
    waiting[0]?.drop();
    bob.drop();
    alice.leave();
    expect(waiting[1]?.types()).toEqual(["joined"]);
    wait(15_000);
    expect(waiting.map((client) => client.types())).toEqual([["joined"], ["joined", "alone"], ["joined"]]);
  });

  test("who was told so is told again when it is back, and nobody else; when it leaves, the next is told", () => {
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

  test("nobody is here to found: the first to resume is told", () => {
    const { rooms, join, alice } = group(1);
    const waiting = join();
    const { place } = waiting;
    waiting.drop();
    alice.leave();
    waiting.join(rooms, { resume: place });
    expect(waiting.types()).toEqual(["joined", "joined", "alone"]);
  });

  test("a group that nobody followed over a commit for 5 s is no group: one of its members is told", () => {
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
    expect(alice.enter("e").last).toEqual({ type: "entered", at: node("e"), is: "new" });
    expect(bob.enter("e").last).toEqual({ type: "entered", at: node("e"), is: "tip" });
    alice.commit("f");
    expect(bob.enter("e").last).toEqual({ type: "entered", at: node("e"), is: "ended" });
    expect(alice.enter("f").last).toEqual({ type: "entered", at: node("f"), is: "tip" });
  });

  test("a tip that nobody stands at any more, and that no commit led to, is forgotten", () => {
    const { join, alice } = group(1);
    alice.enter("elsewhere");
    expect(join().enter("e").all("entered")).toEqual([{ type: "entered", at: node("e"), is: "new" }]);
  });

  test("of several groups all are told: the oldest first, with how many are there", () => {
    const { rooms, join, alice, bob } = group(2);
    const other = join().enter("other");
    const tips = [
      { at: node("e"), sessions: 2 },
      { at: node("other"), sessions: 1 },
    ];
    for (const one of [alice, bob, other]) expect(one.last).toEqual({ type: "groups", tips });
    expect(join().types()).toEqual(["joined"]);
    expect(join().enter("e").last).toMatchObject({ type: "groups" });
    const { place } = other;
    other.drop();
    other.join(rooms, { resume: place });
    expect(other.last).toMatchObject({ type: "groups" });
    other.leave();
    expect(join().enter("e").last).toMatchObject({ type: "entered" });
  });

  test("16 groups are told at most, and rivals of one group are not several", () => {
    const { join, alice, bob } = group(2);
    alice.commit("f");
    bob.commit("g", { despite: [node("f")] });
    alice.enter("f");
    bob.enter("g");
    expect([alice.all("groups"), bob.all("groups")]).toEqual([[], []]);
    for (let i = 0; i < 20; i++) join().enter(`other ${i}`);
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

  test("the first two go to the oldest group alone, later ones to all; the count begins again with each entering", () => {
    const { join, alice, bob } = group(2);
    const rival = join().enter("rival");
    const newcomer = join();
    const heard = () => [alice, bob, rival].map((one) => one.all("knocked").length);
    newcomer.knock();
    newcomer.knock();
    expect(heard()).toEqual([2, 2, 0]);
    newcomer.knock();
    expect(heard()).toEqual([3, 3, 1]);
    newcomer.enter("e");
    newcomer.knock();
    expect(heard()).toEqual([4, 4, 1]);
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
    newcomer.knock();
    newcomer.knock();
    expect(members.map((one) => one.all("knocked").length)).toEqual([1, 3, 3, 3]);
  });

  test("are heard between a commit and its members' entering", () => {
    const { join, alice, bob } = group(2);
    alice.commit("f");
    join().knock();
    expect([alice.types().at(-1), bob.types().at(-1)]).toEqual(["knocked", "knocked"]);
  });

  test("an answer goes to who waits, and to nobody who is inside", () => {
    const { join, alice, bob } = group(2);
    const newcomer = join();
    const answer = (from: Client, to: string) => from.say({ type: "answer", to, body: "wait" });
    answer(alice, newcomer.member);
    expect(newcomer.last).toMatchObject({ type: "answered", from: alice.member, body: "wait" });
    answer(alice, bob.member);
    answer(alice, "x".repeat(22));
    answer(newcomer, newcomer.member);
    expect([alice.all("answered"), bob.all("answered"), newcomer.all("answered").length]).toEqual([[], [], 1]);
  });
});

describe("commits", () => {
  test("are ordered at a node for those who stand there, and lead to the next", () => {
    const { join, alice, bob } = group(2);
    const elsewhere = join().enter("elsewhere");
    elsewhere.fresh();
    alice.commit("f");
    expect(alice.last).toMatchObject({ type: "ordered", from: alice.member, at: node("e"), next: node("f") });
    expect(bob.last).toEqual(alice.last);
    expect(elsewhere.types()).toEqual([]);
  });

  test("of two rivals the first is ordered, the other refused with the successors", () => {
    const { alice, bob } = group(2);
    bob.commit("f");
    alice.commit("g");
    expect(alice.received.slice(1).map(({ type }) => type)).toEqual(["ordered", "refused"]);
    expect(alice.last).toEqual({ type: "refused", at: node("e"), successors: [node("f")] });
    expect(bob.types()).toEqual(["joined", "ordered"]);
  });

  test("a rival is ordered that names all successors, and none that leaves one out", () => {
    const { alice, bob, others } = group(4);
    alice.commit("f");
    bob.commit("g", { despite: [node("f")] });
    others[0]?.commit("h", { despite: [node("g")] });
    expect(others[0]?.last).toMatchObject({ type: "refused", successors: [node("f"), node("g")] });
    others[0]?.commit("h", { despite: [node("g"), node("f"), node("never")] });
    expect(others[1]?.all("ordered").map(({ next }) => next)).toEqual(["f", "g", "h"].map(node));
  });

  test("one a session and node: who ordered garbage cannot order more of it", () => {
    const { alice, bob } = group(2);
    alice.commit("f");
    alice.commit("g", { despite: [node("f")] });
    expect(alice.last).toMatchObject({ type: "refused" });
    bob.commit("g", { despite: [node("f")] });
    bob.enter("g");
    bob.commit("h");
    expect(bob.last).toMatchObject({ type: "ordered", at: node("g") });
  });

  test("the same commit again is ordered once more, to its sender alone", () => {
    const { alice, bob } = group(2);
    alice.commit("f", { newcomers: [] });
    const heard = bob.received.length;
    alice.commit("f");
    expect(alice.all("ordered").map(({ body }) => body)).toEqual(["commit", "commit"]);
    expect(bob.received).toHaveLength(heard);
    alice.commit("f", { body: "another" });
    expect(alice.last).toMatchObject({ type: "refused" });
  });

  test("a next that is a node or an edge's name already is refused", () => {
    const { join, alice, bob } = group(2);
    join().enter("other");
    for (const taken of ["other", "e"]) {
      alice.commit(taken);
      expect(alice.last).toMatchObject({ type: "refused", successors: [] });
    }
    bob.restock("unknown", "promised");
    alice.commit("promised");
    expect(alice.last).toMatchObject({ type: "refused" });
  });

  test("from elsewhere than where one stands, or without proof, it is refused without a word of what is there", () => {
    const { join, alice, bob } = group(2);
    alice.commit("f");
    bob.enter("other");
    bob.commit("g", { at: node("e"), despite: [node("f")] });
    expect(bob.last).toEqual({ type: "refused", at: node("e"), successors: [] });
    const outsider = join();
    outsider.commit("g", { at: node("f") });
    expect(outsider.last).toEqual({ type: "refused", at: node("f"), successors: [] });
  });

  test("those at both ends hear each other for 5 s, and those who stay behind nothing after", () => {
    const { wait, alice, bob } = group(2);
    alice.commit("f");
    alice.enter("f");
    for (const one of [alice, bob]) one.fresh();
    alice.relay();
    bob.relay();
    bob.say({ type: "beat", body: "b" });
    expect(alice.fresh()).toEqual(["relayed", "relayed", "heartbeat-relayed"]);
    expect(bob.fresh()).toEqual(["relayed", "relayed"]);
    wait(5_000);
    alice.relay();
    bob.relay();
    bob.say({ type: "beat", body: "b" });
    bob.commit("g", { despite: [node("f")] });
    expect(alice.fresh()).toEqual(["relayed"]);
    expect(bob.received).toEqual([{ type: "refused", at: node("e"), successors: [node("f")] }]);
    bob.enter("f").relay();
    expect(alice.fresh()).toEqual(["relayed"]);
  });

  test("a newcomer is sent what the next node hears and may not speak there until it shows the token", () => {
    const { join, wait, alice, bob } = group(2);
    const newcomer = join();
    alice.commit("f", { newcomers: [newcomer] });
    expect(newcomer.types()).toEqual(["joined", "welcomed"]);
    bob.relay();
    newcomer.relay("too early");
    newcomer.commit("g", { at: node("f") });
    expect(newcomer.types().slice(2)).toEqual(["relayed", "refused"]);
    newcomer.enter("f").relay("thanks");
    expect(alice.last).toMatchObject({ type: "relayed", from: newcomer.member, body: "thanks" });
    wait(60_000);
    newcomer.relay("still-in");
    expect(newcomer.last).toMatchObject({ type: "relayed", body: "still-in" });
  });

  test("a newcomer that shows nothing for 10 s stands nowhere", () => {
    const { join, wait, alice } = group(1);
    const newcomer = join();
    alice.commit("f", { newcomers: [newcomer] });
    alice.enter("f");
    wait(9_999);
    alice.relay();
    wait(1);
    alice.relay();
    expect(newcomer.all("relayed")).toHaveLength(1);
    expect(newcomer.enter("f").last).toMatchObject({ type: "entered", is: "tip" });
  });

  test("a newcomer that is invited gets the commits that follow", () => {
    const { join, alice } = group(1);
    const newcomer = join();
    alice.commit("f", { newcomers: [newcomer] });
    alice.enter("f").commit("g");
    expect(newcomer.types()).toEqual(["joined", "welcomed", "ordered"]);
  });

  test("a welcome to a member that joins the group again does not move it; to somebody unknown, or twice, does no harm", () => {
    const { alice, bob } = group(2);
    const to = [bob.member, "x".repeat(22), bob.member];
    alice.commit("f", { welcome: { to, body: "welcome" } });
    expect(bob.types()).toEqual(["joined", "ordered", "welcomed"]);
    bob.relay();
    expect(bob.types().at(-1)).toBe("relayed");
  });
});

describe("history", () => {
  test("is what leads on from a node, in its order, for who knows its token", () => {
    const { join, alice, bob } = group(2);
    alice.commit("f", { body: "one" });
    bob.commit("g", { body: "two", despite: [node("f")] });
    const behind = join();
    behind.say({ type: "fetch", token: token("e") });
    const edges = [
      { next: node("f"), body: "one" },
      { next: node("g"), body: "two" },
    ];
    expect(behind.last).toEqual({ type: "history", at: node("e"), edges });
    behind.say({ type: "fetch", token: token("unknown") });
    expect(behind.last).toEqual({ type: "history", at: node("unknown"), edges: [] });
  });

  test("a server that lost it is supplied again, and those behind are sent it", () => {
    const { join } = setUp();
    const [behind, ahead] = [join().enter("e"), join().enter("f")];
    behind.fresh();
    ahead.restock("e", "f");
    expect(behind.received).toMatchObject([{ type: "ordered", at: node("e"), next: node("f"), body: "commit" }]);
    ahead.restock("e", "f");
    expect(behind.received).toHaveLength(1);
    expect(join().enter("e").all("entered")).toMatchObject([{ is: "ended" }]);
  });

  test("what is restocked at an unknown node makes it an ended one", () => {
    const { join, alice } = group(1);
    alice.restock("before", "e");
    const behind = join().enter("before");
    expect(behind.last).toMatchObject({ type: "entered", is: "ended" });
    behind.relay();
    expect(behind.all("relayed")).toEqual([]);
  });

  test("garbage that is restocked at the tip takes nobody's say: it is named, and passed over", () => {
    const { join, alice, bob } = group(2);
    bob.restock("e", "garbage", "garbage");
    alice.commit("f");
    expect(alice.last).toEqual({ type: "refused", at: node("e"), successors: [node("garbage")] });
    alice.commit("f", { despite: [node("garbage")] });
    expect(alice.last).toMatchObject({ type: "ordered", next: node("f") });
    for (let i = 0; i < 20; i++) bob.restock("e", `more ${i}`, "garbage");
    join().say({ type: "fetch", token: token("e") });
    alice.say({ type: "fetch", token: token("e") });
    expect(alice.all("history")[0]?.edges).toHaveLength(16);
    expect(alice.all("history")[0]?.edges[1]).toEqual({ next: node("f"), body: "commit" });
  });

  test("a node full of garbage takes a commit all the same", () => {
    const { alice, bob } = group(2);
    for (let i = 0; i < 20; i++) bob.restock("e", `garbage ${i}`);
    alice.commit("f");
    const [refused] = alice.all("refused");
    expect(refused?.successors).toHaveLength(16);
    alice.commit("f", { despite: refused?.successors ?? [] });
    expect(alice.last).toMatchObject({ type: "ordered", next: node("f") });
    alice.commit("f");
    expect(alice.last).toMatchObject({ type: "ordered", next: node("f") });
  });
});

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

  test("is never told that it is alone, though nobody is left", () => {
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
    outside.commit("made up 2", { door: outside.opens("G") });
    for (const one of [ada, mallory, outside, ...others]) one.leave();
    expect(["D", "F", "G", "E"].map((door) => join(door).types())).toEqual([
      ...Array(3).fill(["joined"]),
      ["joined", "alone"],
    ]);
  });
});

describe("doors", () => {
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

  test("a commit that opens another room's door is refused whole", () => {
    const { alice, bob, join } = group(2);
    const other = join("E").enter("other");
    alice.commit("f", { door: alice.opens("E") });
    expect(alice.last).toMatchObject({ type: "refused", successors: [] });
    expect(bob.types()).toEqual(["joined"]);
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

describe("any course of events", () => {
  const actions = ["begin", "enter", "drop", "resume", "leave", "relay", "knock", "commit", "restock", "wait"] as const;
  const steps = fc.array(fc.tuple(fc.constantFrom(...actions), fc.nat(4), fc.nat(4)), {
    minLength: 20,
    maxLength: 80,
  });
  type Course = [(typeof actions)[number], number, number][];

  /** Five clients do what the steps say, among ten epochs; those who resume lose nothing. */
  function play(course: Course): Client[] {
    const { rooms, wait } = setUp();
    const clients = Array.from({ length: 5 }, () => new Client().join(rooms));
    const all = new Set(clients);
    for (const [action, who, whom] of course) {
      const [client, other] = [clients[who], clients[whom]];
      if (!client || !other) return expect.unreachable();
      if (action === "begin") clients[who] = new Client().join(rooms);
      if (action === "enter") client.enter(`epoch ${whom}`);
      if (action === "drop") client.drop();
      if (action === "resume") client.join(rooms, { resume: client.place });
      if (action === "leave") client.leave();
      if (action === "relay") client.relay(`from${who}`);
      if (action === "knock") client.knock();
      if (action === "commit") client.commit(`epoch ${whom}`, { newcomers: [other] });
      if (action === "restock") client.restock(`epoch ${who}`, `epoch ${whom}`);
      if (action === "wait") wait(who * 5_000);
      all.add(clients[who] ?? client);
    }
    return [...all];
  }

  test("one number is one message, and each session's numbers rise", () => {
    fc.assert(
      fc.property(steps, (course) => {
        const order = new Map<number, Down>();
        for (const { received } of play(course)) {
          let last = -1;
          for (const message of received) {
            if (message.type === "joined") last = message.seq;
            else if ("seq" in message) {
              expect(message.seq).toBeGreaterThan(last);
              last = message.seq;
              expect(order.get(last) ?? message).toEqual(message);
              order.set(last, message);
            }
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test("a commit is ordered under one name for one node", () => {
    fc.assert(
      fc.property(
        steps.map((course) => course.filter(([action]) => action !== "restock")),
        (course) => {
          const from = new Map<string, string>();
          for (const { at, next } of play(course).flatMap((client) => client.all("ordered"))) {
            expect(from.get(next) ?? at).toBe(at);
            from.set(next, at);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
