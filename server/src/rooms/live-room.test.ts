import { type Down, MAX_VIEWERS, parseDown } from "@sealcast/protocol";
import { ManualClock, milli } from "@sealcast/time";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LivePass, LiveRelayAnswer } from "../relay/live-relays.ts";
import { turnCredentials } from "../turn.ts";
import { LiveRoom } from "./live-room.ts";
import type { RoomOptions, Seat } from "./seat.ts";

type Received<T extends Down["type"]> = Extract<Down, { type: T }>;
const id = (name: string) => name.padEnd(22, "_");
/** A door of this name. */
const door = (name: string) => Buffer.from(name.padEnd(32)).toString("base64url");
const PRESENT = door("present");
const FORMER = door("former");

/** A client as a live room sees it, over one socket after the other. */
class Client {
  readonly received: Down[] = [];
  readonly faults: string[] = [];
  closed = 0;
  isBusy = false;
  refusal: string | null = null;
  #seat: Seat | null = null;

  host(room: LiveRoom, { load = "load", doors = [PRESENT] } = {}): this {
    this.#seat = room.host({ load: id(load), doors }, this.#socket());
    return this;
  }

  watch(room: LiveRoom, resume: string | null = null, door = PRESENT): this {
    const seat = room.watch({ door, resume }, this.#socket());
    if (typeof seat === "string") this.refusal = seat;
    else this.#seat = seat;
    return this;
  }

  /** Comes by this door. */
  static by(door: string, room: LiveRoom): Client {
    return new Client().watch(room, null, door);
  }

  /** Whether the room knows such a message. */
  say(message: Parameters<Seat["handle"]>[0]): boolean {
    return this.#seat?.handle(message) ?? expect.unreachable("no seat");
  }

  /** The host answers these viewers. */
  accept(...viewers: string[]): void {
    this.say({ type: "deliver", accept: viewers, items: [{ to: id("nobody"), body: "answer" }] });
  }

  drop(): void {
    this.#seat?.drop();
  }

  get isSeated(): boolean {
    return this.#seat !== null;
  }

  /** What the host has heard. */
  get bodies(): string[] {
    return this.all("told").map(({ body }) => body);
  }

  get token(): string {
    return this.all("watching").at(-1)?.token ?? expect.unreachable("never joined");
  }

  all<T extends Down["type"]>(type: T): Received<T>[] {
    return this.received.filter((message): message is Received<T> => message.type === type);
  }

  types(): string[] {
    return this.received.map((m) => (m.type === "viewer" || m.type === "host-is" ? m.is : m.type));
  }

  #socket() {
    const send = (text: string): void => {
      const parsed = parseDown(text);
      this.received.push(parsed.ok ? parsed.value : expect.unreachable(`not a message: ${text}`));
    };
    return {
      send,
      offer: (text: string) => void (this.isBusy || send(text)),
      ...{ network: "", charge: () => {} },
      restart: () => expect.unreachable("a live room does not have its clients come again"),
      close: () => void this.closed++,
      fault: (code: string) => void this.faults.push(code),
    };
  }
}

const turn = () => turnCredentials({ urls: ["turn:turn.example.org"], secret: "secret" }, 0);

/** Remembers the passes that stand, and those that were ended. */
class FakeLiveRelays implements NonNullable<RoomOptions["liveRelays"]> {
  readonly standing = new Set<string>();
  readonly ended: string[] = [];

  async issue({ id, path, name }: LivePass): Promise<LiveRelayAnswer> {
    this.standing.add(id);
    return { type: "live-relay", urls: ["https://live.example.org"], path, name, token: "a.b.c", validFor: 600 };
  }

  lapse({ id }: LivePass): void {
    this.standing.delete(id);
  }

  refuse(pass: LivePass): void {
    this.lapse(pass);
  }

  end(pass: LivePass): void {
    this.lapse(pass);
    this.ended.push(pass.may);
  }
}

function setUp(hasTurn = false, liveRelays: FakeLiveRelays | null = null) {
  const clock = new ManualClock();
  let ids = 0;
  let expired = 0;
  const randomId = () => String(ids++).padStart(22, "0");
  let dropped = 0;
  const room = new LiveRoom(
    id("room"),
    { clock, randomId, stunPort: 3478, liveRelays, turn: hasTurn ? turn : null, dropped: () => dropped++ },
    () => expired++,
  );
  return { room, dropped: () => dropped, wait: (ms: number) => clock.advance(milli(ms)), expired: () => expired };
}

/** A host, and viewers that it knows by their ids. */
function stream(viewers: number, hasTurn = false, liveRelays: FakeLiveRelays | null = null) {
  const rest = setUp(hasTurn, liveRelays);
  const host = new Client().host(rest.room);
  const watching = Array.from({ length: viewers }, () => new Client().watch(rest.room));
  const ids = host.all("viewer").map(({ viewer }) => viewer);
  return { ...rest, host, watching, ids };
}

describe("who hears what", () => {
  test("a viewer speaks to the host alone, who learns from whom it is", () => {
    const { host, watching, ids } = stream(3);
    watching[1]?.say({ type: "tell", body: "question" });
    expect(host.all("told")).toEqual([{ type: "told", from: ids[1], body: "question" }]);
    expect(watching.map((viewer) => viewer.types())).toEqual([["watching"], ["watching"], ["watching"]]);
  });

  test("the host speaks to each viewer, and to those alone who are here", () => {
    const { host, watching, ids } = stream(3);
    const [one = "", , three = ""] = ids;
    host.say({
      type: "deliver",
      accept: [],
      items: [
        { to: three, body: "c" },
        { to: one, body: "a" },
        { to: id("nobody"), body: "x" },
      ],
    });
    const heard = watching.map((viewer) => viewer.all("delivered").map(({ body }) => body));
    expect(heard).toEqual([["a"], [], ["c"]]);
  });

  test("no viewer is sent anything that depends on the others: not an id, not a number", () => {
    const alone = stream(1);
    const crowd = stream(50);
    const [first] = crowd.watching;
    for (const viewer of crowd.watching.slice(1)) {
      viewer.say({ type: "tell", body: "hello" });
      viewer.drop();
    }
    crowd.host.say({ type: "end" });
    alone.host.say({ type: "end" });
    const shape = (client?: Client) => client?.received.map((m) => ({ ...m, ...("token" in m && { token: "" }) }));
    expect(shape(first)).toEqual(shape(alone.watching[0]));
    const others = new Set(crowd.ids);
    expect(JSON.stringify(first?.received)).not.toMatch(new RegExp([...others].join("|")));
  });

  test("the host has credentials of the TURN server, and so has a viewer once the host has answered", () => {
    const { host, watching, ids } = stream(2, true);
    expect([host, ...watching].map(({ received }) => received.some((one) => "turn" in one && one.turn))).toEqual([
      true,
      true,
      true,
    ]);
    host.accept(ids[0] ?? "");
    for (const one of [host, ...watching]) expect(one.say({ type: "turn" })).toBe(true);
    expect([host, ...watching].map((one) => one.all("turn").length)).toEqual([1, 1, 0]);
  });

  test("what belongs to the other side, or to calls, is no message here", () => {
    const { host, watching } = stream(1);
    const [viewer] = watching;
    expect(host.say({ type: "tell", body: "a" })).toBe(false);
    expect(viewer?.say({ type: "end" })).toBe(false);
    expect(viewer?.say({ type: "deliver", accept: [], items: [{ to: id("a"), body: "a" }] })).toBe(false);
    expect(viewer?.say({ type: "dismiss", viewers: [id("a")] })).toBe(false);
    for (const client of [host, viewer]) expect(client?.say({ type: "relay", body: "a" })).toBe(false);
  });

  test("a host that does not keep up is spared what viewers say again", () => {
    const { host, watching } = stream(1);
    host.isBusy = true;
    watching[0]?.say({ type: "tell", body: "ask" });
    watching[0]?.drop();
    expect(host.types()).toEqual(["hosting", "here", "away"]);
  });
});

describe("the host's place", () => {
  test("away, back, and another load", () => {
    const { room, host, watching, ids } = stream(2);
    host.drop();
    watching[0]?.say({ type: "tell", body: "lost" });
    const again = new Client().host(room);
    expect(again.received).toEqual([{ type: "hosting", viewers: ids, stunPort: 3478, turn: false, relays: false }]);
    again.drop();
    new Client().host(room, { load: "another" });
    expect(watching[0]?.types()).toEqual(["watching", "away", "back", "away", "here"]);
  });

  test("the same page's next socket takes over in silence, another page's with a word", () => {
    const { room, host } = stream(0);
    const next = new Client().host(room);
    expect([host.closed, host.faults]).toEqual([1, []]);
    const other = new Client().host(room, { load: "another" });
    expect([next.closed, next.faults]).toEqual([0, ["replaced"]]);
    next.drop();
    expect(next.say({ type: "end" })).toBe(true);
    const viewer = new Client().watch(room);
    expect(viewer.all("watching")).toMatchObject([{ host: "here" }]);
    expect(other.types()).toEqual(["hosting", "here"]);
  });

  test("a viewer who comes receives the host's state", () => {
    const { room } = setUp();
    const stateFor = () => new Client().watch(room).all("watching")[0]?.host;
    expect(stateFor()).toBe("absent");
    const host = new Client().host(room);
    expect(stateFor()).toBe("here");
    host.drop();
    expect(stateFor()).toBe("away");
    const again = new Client().host(room);
    again.say({ type: "end" });
    expect(stateFor()).toBe("ended");
    again.say({ type: "leave" });
    expect([again.closed, stateFor()]).toEqual([1, "ended"]);
    new Client().host(room, { load: "next" });
    expect(stateFor()).toBe("here");
  });
});

describe("viewers", () => {
  test("one who drops is away, and back under the same name; after 60 s gone", () => {
    const { room, host, watching, ids, wait } = stream(1);
    const token = watching[0]?.token ?? "";
    watching[0]?.drop();
    host.say({ type: "deliver", accept: [], items: [{ to: ids[0] ?? "", body: "missed" }] });
    const again = new Client().watch(room, token);
    expect(again.received).toMatchObject([{ type: "watching", resumed: true, token }]);
    again.drop();
    wait(59_999);
    expect(host.types().slice(1)).toEqual(["here", "away", "back", "away"]);
    wait(1);
    expect(host.all("viewer").at(-1)).toEqual({ type: "viewer", viewer: ids[0], is: "gone" });
    expect(new Client().watch(room, token).all("watching")).toMatchObject([{ resumed: false }]);
  });

  test("one who resumes while its old socket hangs takes over", () => {
    const { room, host, watching } = stream(1);
    const again = new Client().watch(room, watching[0]?.token);
    expect(watching[0]?.closed).toBe(1);
    watching[0]?.drop();
    watching[0]?.say({ type: "tell", body: "late" });
    again.say({ type: "tell", body: "now" });
    expect(host.all("told").map(({ body }) => body)).toEqual(["now"]);
    expect(host.types().slice(1)).toEqual(["here", "back", "told"]);
  });

  test("one who leaves is gone at once; one whom the host dismisses hears so and cannot resume", () => {
    const { room, host, watching, ids } = stream(2);
    watching[0]?.say({ type: "leave" });
    host.say({ type: "dismiss", viewers: [ids[1] ?? ""] });
    watching[1]?.drop();
    expect(host.all("viewer").filter(({ is }) => is === "gone")).toHaveLength(2);
    expect([watching[0]?.closed, watching[1]?.faults]).toEqual([1, ["dismissed"]]);
    expect(new Client().watch(room, watching[1]?.token).all("watching")).toMatchObject([{ resumed: false }]);
  });

  test("there are 5,000 at most, and who is away keeps its place", () => {
    const { room, watching } = stream(MAX_VIEWERS);
    expect(MAX_VIEWERS).toBe(5_000);
    expect(new Client().watch(room).isSeated).toBe(false);
    watching[0]?.drop();
    expect(new Client().watch(room).isSeated).toBe(false);
    expect(new Client().watch(room, watching[0]?.token).isSeated).toBe(true);
    watching[1]?.say({ type: "leave" });
    expect(new Client().watch(room).isSeated).toBe(true);
  });
});

describe("doors", () => {
  test("while the host is known, here or away, only its doors lead in", () => {
    const { room, host } = stream(0);
    for (const leaves of [false, true]) {
      if (leaves) host.drop();
      expect([Client.by(door("other"), room).refusal, Client.by(PRESENT, room).refusal]).toEqual([
        "refused-door",
        null,
      ]);
    }
  });

  test("before the host 64 wait, whatever their doors, and those of other doors go when it comes", () => {
    const { room } = setUp();
    const early = Array.from({ length: 64 }, (_, i) => Client.by(i < 60 ? door(`${i}`) : PRESENT, room));
    expect(Client.by(PRESENT, room).refusal).toBe("room-full");
    early[63]?.say({ type: "tell", body: "early" });
    early[1]?.drop();
    const host = new Client().host(room);
    expect(host.all("hosting")[0]?.viewers).toHaveLength(4);
    expect(host.types()).toEqual(["hosting"]);
    expect(early.map(({ faults }) => faults[0])).toEqual([
      ...Array.from({ length: 60 }, (_, i) => (i === 1 ? undefined : "refused-door")),
      ...Array(4).fill(undefined),
    ]);
    expect(Client.by(PRESENT, room).isSeated).toBe(true);
  });

  test("a host whose early viewers all go is not forgotten with them", () => {
    const { room, wait, expired } = setUp();
    Client.by(door("other"), room);
    new Client().host(room);
    wait(60_000);
    expect(expired()).toBe(0);
  });

  test("by a former door a viewer tells the host something every 10 s, until the host accepts them", () => {
    const { room, wait } = setUp();
    const host = new Client().host(room, { doors: [PRESENT, FORMER] });
    const [late, other] = [Client.by(FORMER, room), Client.by(PRESENT, room)];
    const [one] = host.all("viewer");
    for (const viewer of [late, other]) for (const body of ["a", "b"]) viewer.say({ type: "tell", body });
    expect(host.bodies).toEqual(["a", "a", "b"]);
    wait(9_999);
    late.say({ type: "tell", body: "c" });
    wait(1);
    late.say({ type: "tell", body: "d" });
    expect(host.bodies.slice(3)).toEqual(["d"]);
    host.accept(one?.viewer ?? "", id("nobody"));
    for (const body of ["e", "f"]) late.say({ type: "tell", body });
    expect(host.bodies.slice(4)).toEqual(["e", "f"]);
  });

  test("what a viewer tells while no host is here spends nothing", () => {
    const { room } = setUp();
    const first = new Client().host(room, { doors: [PRESENT, FORMER] });
    const late = Client.by(FORMER, room);
    first.drop();
    late.say({ type: "tell", body: "unheard" });
    const host = new Client().host(room, { doors: [PRESENT, FORMER] });
    late.say({ type: "tell", body: "heard" });
    expect(host.bodies).toEqual(["heard"]);
  });

  test("256 come by former doors at most; who was accepted does not count, nor who comes by the present door", () => {
    const { room } = setUp();
    const host = new Client().host(room, { doors: [PRESENT, FORMER] });
    for (let i = 0; i < 256; i++) Client.by(FORMER, room);
    expect([Client.by(FORMER, room).refusal, Client.by(PRESENT, room).refusal]).toEqual(["room-full", null]);
    host.accept(host.all("viewer")[0]?.viewer ?? "");
    expect([Client.by(FORMER, room).isSeated, Client.by(FORMER, room).isSeated]).toEqual([true, false]);
  });

  test("the host says which doors lead in: who came by another goes, unless they were accepted, and may resume", () => {
    const { room, host, watching, ids } = stream(2);
    host.accept(ids[0] ?? "");
    host.say({ type: "doors", doors: [door("next")] });
    expect(watching.map(({ faults }) => faults)).toEqual([[], ["refused-door"]]);
    expect(host.all("viewer").at(-1)).toEqual({ type: "viewer", viewer: ids[1], is: "gone" });
    watching[0]?.drop();
    expect(new Client().watch(room, watching[0]?.token).all("watching")).toMatchObject([{ resumed: true }]);
    expect(new Client().watch(room, watching[1]?.token).refusal).toBe("refused-door");
    expect(Client.by(door("next"), room).isSeated).toBe(true);
  });

  test("doors are the host's to say", () => {
    const { watching } = stream(1);
    expect(watching[0]?.say({ type: "doors", doors: [PRESENT] })).toBe(false);
    const items = [{ to: id("a"), body: "a" }];
    expect(watching[0]?.say({ type: "deliver", accept: [id("a")], items })).toBe(false);
  });
});

describe("what they have at the relays", () => {
  function relayed() {
    const relays = new FakeLiveRelays();
    const rest = stream(1, false, relays);
    rest.host.accept(...rest.ids);
    const [viewer = expect.unreachable()] = rest.watching;
    for (const one of [rest.host, viewer]) one.say({ type: "live-relay" });
    expect(relays.standing.size).toBe(2);
    return { ...rest, relays, viewer };
  }

  test("ends with the stream, where the host ends it", () => {
    const { host, viewer, relays } = relayed();
    for (let i = 0; i < 3; i++) host.say({ type: "end" });
    expect(viewer.types().filter((type) => type === "ended")).toHaveLength(1);
    expect([relays.ended, relays.standing.size]).toEqual([["publish"], 1]);
  });

  test("stands while the host is away and viewers are here, and no longer than the room", () => {
    const { host, viewer, relays, wait } = relayed();
    host.drop();
    wait(600_000);
    expect(relays.standing.size).toBe(2);
    viewer.say({ type: "leave" });
    expect(relays.standing.size).toBe(1);
    wait(60_000);
    expect([relays.ended, relays.standing.size]).toEqual([[], 0]);
  });

  test("stands for no room that is closed", () => {
    const { room, relays, host, viewer } = relayed();
    for (const one of [host, viewer]) one.drop();
    expect(relays.standing.size).toBe(2);
    room.close();
    expect([relays.ended, relays.standing.size]).toEqual([[], 0]);
  });
});

test("a room is forgotten 60 s after its last session, and not while someone is away", () => {
  const { room, host, watching, wait, expired } = stream(1);
  host.drop();
  watching[0]?.drop();
  wait(60_000);
  expect(expired()).toBe(0);
  wait(59_999);
  const visit = new Client().watch(room);
  wait(1);
  expect(expired()).toBe(0);
  visit.say({ type: "leave" });
  wait(60_000);
  expect(expired()).toBe(1);
});

test("closing leaves no timer behind", () => {
  const { room, watching, host, wait, expired } = stream(1);
  watching[0]?.drop();
  host.drop();
  room.close();
  wait(1_000_000);
  expect(expired()).toBe(0);
});

test("whatever comes and goes, the host's list is the truth", () => {
  const step = fc.record({ who: fc.nat(4), does: fc.constantFrom("come", "drop", "resume", "leave", "wait", "host") });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { room, wait } = setUp();
      const slots: (Client | null)[] = [null, null, null, null, null];
      const here = new Set<Client>();
      let host = new Client().host(room);
      for (const { who, does } of steps) {
        const client = slots[who] ?? null;
        if (does === "come" && client === null) {
          const newcomer = new Client().watch(room);
          slots[who] = newcomer;
          here.add(newcomer);
        }
        if (does === "drop" && client) {
          client.drop();
          here.delete(client);
        }
        if (does === "resume" && client && !here.has(client)) here.add(client.watch(room, client.token));
        if (does === "leave" && client && here.has(client)) {
          client.say({ type: "leave" });
          here.delete(client);
          slots[who] = null;
        }
        if (does === "wait") wait(30_000);
        if (does === "host") {
          host.drop();
          host = new Client().host(room);
        }
      }
      expect(known(host).size).toBe(here.size);
    }),
    { numRuns: 300 },
  );
});

/** Who is here, as a host adds it up from what it receives. */
function known(host: Client): Set<string> {
  const here = new Set<string>();
  for (const message of host.received) {
    if (message.type === "hosting") for (const viewer of message.viewers) here.add(viewer);
    if (message.type !== "viewer") continue;
    if (message.is === "here" || message.is === "back") here.add(message.viewer);
    else here.delete(message.viewer);
  }
  return here;
}
