import { type Down, PROTOCOL_VERSION, parseDown } from "@sealcast/protocol";
import { ManualClock, milli } from "@sealcast/time";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Allowance } from "./allowance.ts";
import { Room, type Seat, type Sent } from "./room.ts";

type Received<T extends Down["type"]> = Extract<Down, { type: T }>;
type Resume = Sent<"join">["resume"];
type State = Sent<"join">["state"];

/** A client as the room sees it: one session, over one socket after the other. */
class Client {
  readonly received: Down[] = [];
  /** The sessions, by member, that were admitted for the state they gave. */
  readonly alive = new Set<string>();
  closed = 0;
  /** Whether much is waiting for its socket. */
  isBusy = false;
  #seat: Seat | null = null;

  join(room: Room, { resume = null, state = null }: { resume?: Resume; state?: State } = {}): this {
    this.#seat = room.join(
      { type: "join", version: PROTOCOL_VERSION, room: "r".repeat(22), resume, state },
      {
        send: (text) => this.#receive(text),
        offer: (text) => void (this.isBusy || this.#receive(text)),
        close: () => this.closed++,
      },
    );
    if (this.#seat && state) this.alive.add(this.member);
    return this;
  }

  say(message: Parameters<Seat["handle"]>[0]): void {
    this.#seat?.handle(message);
  }

  commit(epoch: number, to: readonly Client[] = [], body = "commit"): void {
    const welcome = to.length > 0 ? { to: to.map((client) => client.member), body: "welcome" } : null;
    this.say({ type: "commit", epoch, body, welcome });
  }

  drop(): void {
    this.#seat?.drop();
  }

  get isSeated(): boolean {
    return this.#seat !== null;
  }
  get joined(): Received<"joined"> {
    return this.all("joined").at(-1) ?? expect.unreachable("never joined");
  }
  get member(): string {
    return this.joined.member;
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

  #receive(text: string): void {
    const parsed = parseDown(text);
    this.received.push(parsed.ok ? parsed.value : expect.unreachable(`not a message: ${text}`));
  }
}

function setUp() {
  const clock = new ManualClock();
  let ids = 0;
  let expired = 0;
  const randomId = () => String(ids++).padStart(22, "0");
  const allowance = new Allowance();
  const room = new Room({ clock, randomId, stunPort: 3478, allowance }, () => expired++);
  return { room, allowance, wait: (ms: number) => clock.advance(milli(ms)), expired: () => expired };
}

/** A founder and others that it has welcomed, who have received nothing since. */
function group(size: number) {
  const { room, ...rest } = setUp();
  const [founder, ...others] = Array.from({ length: size }, () => new Client().join(room));
  if (!founder) return expect.unreachable();
  others.forEach((other, epoch) => void founder.commit(epoch, [other]));
  return { room, founder, others, all: [founder, ...others], epoch: others.length, ...rest };
}

const alive = (epoch: number) => ({ state: { epoch, authenticator: "auth" } });

describe("joining", () => {
  test("the first of an empty room founds its group, the others wait", () => {
    const { room } = setUp();
    const [first, second] = [new Client().join(room), new Client().join(room)];
    expect(first.joined).toMatchObject({ founder: true, resumed: false, head: null, seq: 0, stunPort: 3478 });
    expect(second.joined).toMatchObject({ founder: false, resumed: false });
    expect(second.member).not.toBe(first.member);
    first.say({ type: "relay", body: "hello" });
    expect(first.types()).toEqual(["joined", "relayed"]);
    expect(second.types()).toEqual(["joined"]);
  });

  test("a knock goes to all admitted but the knocker", () => {
    const { room, founder, others } = group(2);
    const newcomer = new Client().join(room);
    newcomer.say({ type: "knock", body: "package" });
    expect(founder.received.at(-1)).toMatchObject({ type: "knocked", from: newcomer.member, body: "package" });
    expect(others[0]?.received.at(-1)).toEqual(founder.received.at(-1));
    founder.say({ type: "knock", body: "anew" });
    expect([founder.all("knocked").length, others[0]?.all("knocked").length]).toEqual([1, 2]);
    expect(newcomer.types()).toEqual(["joined"]);
  });

  test("an answer goes to who knocked, and to nobody who is in", () => {
    const { room, founder, others } = group(2);
    const newcomer = new Client().join(room);
    founder.say({ type: "answer", to: newcomer.member, body: "wait" });
    expect(newcomer.received.at(-1)).toMatchObject({ type: "answered", from: founder.member, body: "wait" });
    founder.say({ type: "answer", to: others[0]?.member ?? "", body: "wait" });
    founder.say({ type: "answer", to: "x".repeat(22), body: "wait" });
    newcomer.say({ type: "answer", to: newcomer.member, body: "wait" });
    expect([founder.all("answered"), others[0]?.all("answered")]).toEqual([[], []]);
    expect(newcomer.types()).toEqual(["joined", "answered"]);
  });

  test("a welcome admits: the newcomer gets it and what follows, not the commit that adds it", () => {
    const { room, founder } = group(1);
    const [newcomer, waiting] = [new Client().join(room), new Client().join(room)];
    founder.commit(0, [newcomer]);
    newcomer.say({ type: "relay", body: "thanks" });
    expect(newcomer.types()).toEqual(["joined", "welcomed", "relayed"]);
    expect(founder.types()).toEqual(["joined", "ordered", "relayed"]);
    expect(waiting.types()).toEqual(["joined"]);
    expect(new Client().join(room).joined.head).toEqual({ epoch: 1, authenticator: null });
  });

  test("a welcome to somebody unknown, or twice to one, does no harm", () => {
    const { room, founder } = group(1);
    const newcomer = new Client().join(room);
    const to = [newcomer.member, "x".repeat(22), newcomer.member];
    founder.say({ type: "commit", epoch: 0, body: "commit", welcome: { to, body: "welcome" } });
    expect(newcomer.types()).toEqual(["joined", "welcomed"]);
  });

  test("whoever is not admitted can knock, ping and leave, and nothing else", () => {
    const { room, founder } = group(1);
    const waiting = new Client().join(room);
    const before = founder.received.length;
    waiting.say({ type: "relay", body: "b" });
    waiting.say({ type: "skip", seq: 1 });
    waiting.say({ type: "restock", epoch: 0, body: "b" });
    waiting.say({ type: "fetch", epoch: 0 });
    waiting.commit(0, [waiting]);
    waiting.say({ type: "ping" });
    expect(waiting.received.slice(1)).toEqual([
      { type: "history", commits: [] },
      { type: "refused", epoch: 0, head: null },
      { type: "pong" },
    ]);
    expect(founder.received).toHaveLength(before);
  });

  test("a room takes 50, whoever is gone not counted", () => {
    const { room, wait } = setUp();
    const clients = Array.from({ length: 50 }, () => new Client().join(room));
    expect(new Client().join(room).isSeated).toBe(false);
    clients[7]?.drop();
    expect(new Client().join(room).isSeated).toBe(false);
    wait(15_000);
    expect(new Client().join(room).isSeated).toBe(true);
    expect(clients[7]?.join(room, { resume: clients[7].place }).isSeated).toBe(false);
  });
});

describe("commits", () => {
  test("of two for one epoch the first is ordered, the other refused with the head", () => {
    const { founder, others, epoch } = group(2);
    const [other] = others;
    other?.commit(epoch, [], "winner");
    founder.commit(epoch, [], "loser");
    expect(founder.received.at(-2)).toMatchObject({ type: "ordered", epoch, body: "winner", from: other?.member });
    expect(founder.received.at(-1)).toEqual({
      type: "refused",
      epoch,
      head: { epoch: epoch + 1, authenticator: null },
    });
    expect(other?.received.at(-1)).toEqual(founder.received.at(-2));
  });

  test("a skipped commit frees its slot, once per member and epoch", () => {
    const { founder, others, epoch } = group(2);
    const skip = () => founder.say({ type: "skip", seq: founder.all("ordered").at(-1)?.seq ?? 0 });
    others[0]?.commit(epoch, [], "invalid");
    skip();
    others[0]?.commit(epoch, [], "again");
    expect(founder.all("ordered").at(-1)?.body).toBe("again");
    skip();
    founder.commit(epoch, [], "late");
    expect(founder.received.at(-1)).toMatchObject({ type: "refused", epoch });
    founder.say({ type: "fetch", epoch });
    expect(founder.received.at(-1)).toEqual({ type: "history", commits: [{ epoch, body: "again" }] });
  });

  test("a skip of an older commit, or of what is no commit, changes nothing", () => {
    const { founder, epoch } = group(3);
    const [older] = founder.all("ordered");
    founder.say({ type: "skip", seq: older?.seq ?? 0 });
    founder.say({ type: "relay", body: "b" });
    founder.say({ type: "skip", seq: founder.all("relayed")[0]?.seq ?? 0 });
    founder.commit(epoch - 1);
    expect(founder.received.at(-1)).toMatchObject({ type: "refused", head: { epoch } });
  });

  test("a restarted server is told the epoch, and its history supplied again", () => {
    const { room } = setUp();
    const [behind, ahead] = [new Client().join(room, alive(4)), new Client().join(room, alive(6))];
    expect(behind.joined).toMatchObject({ founder: false, head: { epoch: 4, authenticator: "auth" } });
    expect(ahead.joined.head).toEqual({ epoch: 6, authenticator: "auth" });
    behind.commit(4);
    expect(behind.received.at(-1)).toMatchObject({ type: "refused", head: { epoch: 6 } });
    for (const epoch of [4, 5, 6]) ahead.say({ type: "restock", epoch, body: `c${epoch}` });
    behind.say({ type: "fetch", epoch: 4 });
    expect(behind.received.at(-1)).toEqual({
      type: "history",
      commits: [
        { epoch: 4, body: "c4" },
        { epoch: 5, body: "c5" },
      ],
    });
  });
});

describe("a live group comes back", () => {
  test("a lone founder yields, and waits", () => {
    const { room, founder } = group(1);
    const back = new Client().join(room, alive(3));
    expect(founder.types()).toEqual(["joined", "yield"]);
    founder.say({ type: "relay", body: "too late" });
    founder.say({ type: "knock", body: "package" });
    expect(back.types()).toEqual(["joined", "knocked"]);
    back.commit(3, [founder]);
    expect(founder.types()).toEqual(["joined", "yield", "welcomed"]);
  });

  test("a founder whose group has grown does not yield, and no claim moves its head", () => {
    const { room, founder } = group(2);
    const back = new Client().join(room, alive(2 ** 32));
    expect(founder.all("yield")).toEqual([]);
    expect(back.joined.head?.epoch).toBe(1);
  });

  test("a lone founder that is away learns of it when it resumes", () => {
    const { room, founder, wait } = group(1);
    const { place } = founder;
    founder.drop();
    wait(20_000);
    new Client().join(room, alive(3));
    founder.join(room, { resume: place });
    expect(founder.types()).toEqual(["joined", "joined", "away", "gone", "yield"]);
  });
});

describe("dropping and resuming", () => {
  test("what was missed is replayed in order, and the others see away and back", () => {
    const { room, founder, others, wait } = group(2);
    const [other] = others;
    const seen = founder.received.length;
    const { place, member } = founder;
    founder.drop();
    other?.say({ type: "relay", body: "one" });
    other?.say({ type: "relay", body: "two" });
    wait(14_999);
    founder.join(room, { resume: place });
    expect(founder.joined).toMatchObject({ member, resumed: true, founder: false, seq: place.seq });
    expect(founder.types().slice(seen)).toEqual(["joined", "away", "relayed", "relayed", "back"]);
    expect(other?.types().slice(-4)).toEqual(["away", "relayed", "relayed", "back"]);
    wait(60_000);
    expect(other?.types().at(-1)).toBe("back");
  });

  test("gone after 15 s, still there to resume for 60 s, and not longer", () => {
    const { room, founder, others, wait } = group(3);
    const [one, two] = others;
    const places = [one?.place ?? null, two?.place ?? null];
    one?.drop();
    two?.drop();
    wait(15_000);
    expect(founder.types().slice(-4)).toEqual(["away", "away", "gone", "gone"]);
    wait(44_999);
    one?.join(room, { resume: places[0] ?? null });
    expect(one?.joined.resumed).toBe(true);
    expect(founder.types().at(-1)).toBe("back");
    wait(1);
    two?.join(room, { resume: places[1] ?? null });
    expect(two?.joined).toMatchObject({ resumed: false, founder: false });
  });

  test("a session that cannot be replayed whole is replaced; its state still admits it", () => {
    const { room, founder, others } = group(2);
    const [other] = others;
    const old = other?.member;
    const place = other?.place ?? null;
    other?.drop();
    for (let i = 0; i < 257; i++) founder.say({ type: "relay", body: "much" });
    other?.join(room, { resume: place, ...alive(1) });
    expect(other?.joined.resumed).toBe(false);
    expect(other?.member).not.toBe(old);
    expect(founder.received.at(-1)).toMatchObject({ type: "presence", member: old, is: "gone" });
    founder.say({ type: "relay", body: "hello" });
    expect(other?.types().slice(-2)).toEqual(["joined", "relayed"]);
  });

  test("a second socket takes a live session over, and the first one has no more say", () => {
    const { room, founder, others } = group(2);
    const [other] = others;
    const second = new Client();
    second.join(room, { resume: other?.place ?? null });
    expect([other?.closed, second.joined.member]).toEqual([1, other?.member]);
    const before = founder.received.length;
    other?.say({ type: "relay", body: "ghost" });
    other?.drop();
    expect(founder.received).toHaveLength(before);
    second.say({ type: "relay", body: "alive" });
    expect(founder.received.at(-1)).toMatchObject({ type: "relayed", body: "alive" });
  });

  test("a wrong token resumes nothing", () => {
    const { room, founder, others } = group(2);
    const stranger = new Client().join(room, { resume: { token: "z".repeat(22), seq: 0 } });
    expect(stranger.joined).toMatchObject({ resumed: false, founder: false });
    expect([founder.closed, others[0]?.closed]).toEqual([0, 0]);
  });

  test("a welcome that came while its socket was dropped is replayed", () => {
    const { room, founder } = group(1);
    const newcomer = new Client().join(room);
    const { place } = newcomer;
    newcomer.drop();
    founder.commit(0, [newcomer]);
    newcomer.join(room, { resume: place });
    expect(newcomer.types()).toEqual(["joined", "joined", "welcomed", "back"]);
  });
});

describe("leaving", () => {
  test("who leaves is gone at once, for good", () => {
    const { room, founder, others } = group(2);
    const place = others[0]?.place ?? null;
    others[0]?.say({ type: "leave" });
    others[0]?.drop();
    expect(others[0]?.closed).toBe(1);
    expect(founder.received.at(-1)).toMatchObject({ type: "presence", is: "gone", member: others[0]?.member });
    expect(new Client().join(room, { resume: place }).joined.resumed).toBe(false);
  });

  test("when nobody of the group is left, whoever waited longest founds a new one", () => {
    const { room, founder, others, wait } = group(2);
    const waiting = Array.from({ length: 3 }, () => new Client().join(room));
    waiting[0]?.drop();
    others[0]?.drop();
    founder.say({ type: "leave" });
    expect(waiting[1]?.types()).toEqual(["joined"]);
    wait(15_000);
    expect(waiting.map((client) => client.types())).toEqual([["joined"], ["joined", "found"], ["joined"]]);
    expect(new Client().join(room).joined).toMatchObject({ founder: false, head: null });
  });

  test("nobody is there to found: the first to resume does", () => {
    const { room, founder } = group(1);
    const waiting = new Client().join(room);
    const { place } = waiting;
    waiting.drop();
    founder.say({ type: "leave" });
    waiting.join(room, { resume: place });
    expect(waiting.types()).toEqual(["joined", "joined", "found"]);
  });

  test("a newcomer founds over a group that is gone; that one comes back by its state, and the founder yields", () => {
    const { room, founder, wait } = group(1);
    const { place } = founder;
    founder.drop();
    wait(15_000);
    const newcomer = new Client().join(room);
    expect(newcomer.joined).toMatchObject({ founder: true, head: null });
    founder.join(room, { resume: place, ...alive(2) });
    expect(founder.joined).toMatchObject({ resumed: false, head: { epoch: 2 } });
    expect(newcomer.types()).toEqual(["joined", "yield"]);
  });

  test("a room expires once it has been empty for 60 s, not before", () => {
    const { room, wait, expired } = setUp();
    new Client().join(room).say({ type: "leave" });
    wait(59_999);
    const next = new Client().join(room);
    expect(next.joined.founder).toBe(true);
    wait(120_000);
    expect(expired()).toBe(0);
    next.drop();
    wait(60_000 + 59_999);
    expect(expired()).toBe(0);
    wait(1);
    expect(expired()).toBe(1);
  });

  test("a room that is closed runs no timer", () => {
    const { room, wait, expired, others } = group(2);
    others[0]?.drop();
    room.close();
    wait(600_000);
    expect(expired()).toBe(0);
  });
});

describe("heartbeats", () => {
  test("go to every other admitted session that is here, and to nobody later", () => {
    const { room, founder, others } = group(3);
    const waiting = new Client().join(room);
    const [second, third] = others;
    third?.drop();
    const before = founder.place.seq;
    founder.say({ type: "beat", body: "b" });
    waiting.say({ type: "beat", body: "b" });
    expect(second?.types().at(-1)).toBe("beaten");
    expect(second?.received.at(-1)).toEqual({ type: "beaten", from: founder.member, body: "b" });
    expect(second?.all("beaten").length).toBe(1);
    third?.join(room, { resume: third.place });
    for (const client of [founder, waiting]) expect(client.all("beaten")).toEqual([]);
    expect(third?.all("beaten")).toEqual([]);
    founder.say({ type: "relay", body: "next" });
    expect(second?.all("relayed").at(-1)?.seq, "a heartbeat takes no number").toBe(before + 2);
  });
});

describe("any course of events", () => {
  const actions = [
    "enter",
    "enter alive",
    "drop",
    "resume",
    "leave",
    "relay",
    "knock",
    "commit",
    "skip",
    "wait",
  ] as const;
  const steps = fc.array(fc.tuple(fc.constantFrom(...actions), fc.nat(4), fc.nat(4)), {
    minLength: 20,
    maxLength: 80,
  });

  /** Five clients do what the steps say; at the end each says something, so that who is admitted hears it. */
  function play(course: [(typeof actions)[number], number, number][]): Client[] {
    const { room, wait } = setUp();
    const clients = Array.from({ length: 5 }, () => new Client().join(room));
    const highest = () => Math.max(-1, ...clients.flatMap((client) => client.all("ordered")).map(({ epoch }) => epoch));
    for (const [action, who, whom] of course) {
      const [client, other] = [clients[who], clients[whom]];
      if (!client || !other) return expect.unreachable();
      if (action === "enter") clients.push(...clients.splice(who, 1, new Client().join(room)));
      if (action === "enter alive") clients.push(...clients.splice(who, 1, new Client().join(room, alive(whom))));
      if (action === "drop") client.drop();
      if (action === "resume") client.join(room, { resume: client.place });
      if (action === "leave") client.say({ type: "leave" });
      if (action === "relay") client.say({ type: "relay", body: "b" });
      if (action === "knock") client.say({ type: "knock", body: "b" });
      if (action === "commit") client.commit(Math.max(0, highest() + 1 - (who % 2)), [other]);
      if (action === "skip") client.say({ type: "skip", seq: client.place.seq });
      if (action === "wait") wait(who * 5_000);
    }
    for (const client of clients) client.say({ type: "relay", body: "last" });
    return clients;
  }

  /** What each session received: a client that could not resume went on as another session. */
  function sessionsOf(clients: readonly Client[]): Down[][] {
    return clients.flatMap(({ received }) => {
      const starts = received.flatMap((message, i) => (message.type === "joined" && !message.resumed ? [i] : []));
      return starts.map((start, i) => received.slice(start, starts[i + 1]));
    });
  }

  /** Numbers from which and up to which a session was admitted and heard. */
  function admitted(session: readonly Down[], alive: ReadonlySet<string>): [from: number, to: number][] {
    const spans: [number, number][] = [];
    let from: number | null = null;
    let last = 0;
    for (const message of session) {
      if (!("seq" in message)) continue;
      if (message.type !== "joined") last = message.seq;
      const enters = message.type === "joined" && !message.resumed && (message.founder || alive.has(message.member));
      if (enters || message.type === "found" || message.type === "welcomed") from ??= message.seq;
      if (message.type === "yield" && from !== null) {
        spans.push([from, message.seq]);
        from = null;
      }
    }
    return from === null ? spans : [...spans, [from, last]];
  }

  const isForAll = (message: Down): message is Received<"relayed" | "ordered" | "presence"> =>
    message.type === "relayed" || message.type === "ordered" || message.type === "presence";

  test("every admitted session receives the same, in the same order, without a gap", () => {
    fc.assert(
      fc.property(steps, (course) => {
        const clients = play(course);
        const sessions = sessionsOf(clients);
        const alive = new Set(clients.flatMap((client) => [...client.alive]));
        const order = new Map<number, Down>();
        for (const message of sessions.flat().filter(isForAll)) {
          expect(order.get(message.seq) ?? message).toEqual(message);
          order.set(message.seq, message);
        }
        for (const session of sessions) {
          const numbers = session.flatMap((message) =>
            "seq" in message && message.type !== "joined" ? [message.seq] : [],
          );
          expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
          const heard = new Set(session.filter(isForAll).map(({ seq }) => seq));
          for (const [from, to] of admitted(session, alive)) {
            const missed = [...order.keys()].filter((seq) => seq > from && seq <= to && !heard.has(seq));
            expect(missed).toEqual([]);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test("in one group, an epoch has one commit", () => {
    const withoutSkips = steps.map((course) =>
      course.filter(([action]) => action !== "skip" && action !== "enter alive"),
    );
    fc.assert(
      fc.property(withoutSkips, (course) => {
        for (const session of sessionsOf(play(course))) {
          const epochs = session.flatMap((message) => (message.type === "ordered" ? [message.epoch] : []));
          expect(epochs).toEqual([...new Set(epochs)].sort((a, b) => a - b));
        }
      }),
      { numRuns: 100 },
    );
  });
});

test("what a room kept is given back when a group is founded anew, and when the room closes", () => {
  const { room, allowance, wait } = setUp();
  const alice = new Client().join(room);
  alice.commit(0);
  alice.say({ type: "relay", body: "hello" });
  const used = allowance.used;
  expect(used).toBeGreaterThan("commit".length);
  alice.drop();
  wait(15_000);
  new Client().join(room);
  expect(allowance.used, "the journal alone, with who went").toBeGreaterThan(0);
  room.close();
  expect(allowance.used).toBe(0);
});
