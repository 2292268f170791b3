import type { LineSource, RelayToken } from "@sealcast/network";
import type { RelayEvents, RelayOptions, RelayState } from "@sealcast/network/relay";
import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, test, vi } from "vitest";
import type { Samples } from "../audit/encryption-audit.ts";
import { MediaRelay } from "./media-relay.ts";

const HALF_A_SECOND = milli(500);

/** A connection to the relay that comes about, is lost and takes tracks when the test says so. */
class FakeConnection {
  readonly events: RelayEvents;
  room = "";
  state: RelayState = "connecting";
  allowed: readonly string[] = [];
  readonly followed = new Set<string>();
  readonly published: LineSource[] = [];
  #made: { resolve(): void; reject(reason: Error): void } | null = null;

  constructor(events: RelayEvents) {
    this.events = events;
    connections.push(this);
  }

  connect({ token }: RelayOptions): Promise<void> {
    this.room = token;
    return new Promise((resolve, reject) => {
      this.#made = { resolve, reject };
    });
  }

  arrive(): void {
    this.is("connected");
    this.#made?.resolve();
  }

  fail(): void {
    this.#made?.reject(new Error("The relay is not reached."));
  }

  is(state: RelayState): void {
    if (this.state === state) return;
    this.state = state;
    this.events.state(state);
  }

  async publish(source: LineSource): Promise<void> {
    this.published.push(source);
  }

  follow(identity: string, what: string | null): void {
    if (what === null) this.followed.delete(identity);
    else this.followed.add(identity);
  }

  allow(identities: readonly string[]): void {
    this.allowed = identities;
  }

  close(): void {
    this.is("closed");
  }
}

const connections = vi.hoisted((): FakeConnection[] => []);
vi.mock("../shell.ts", () => ({ meshPeople: () => 8 }));
vi.mock("@sealcast/network/relay", () => ({ RelayConnection: FakeConnection }));

beforeEach(() => {
  connections.length = 0;
});

const turn = () => new Promise<void>((done) => void setImmediate(done));

/** Someone in the call, who gets this page's media over the relay. */
function someone() {
  const media = {
    ...{ isLinked: true, isHeld: false, state: "connected", lines: [], shownHere: [], video: { wants: true } },
    leave: vi.fn(async (_isLeft: boolean) => undefined),
  };
  const relayed = {
    ...{ proven: [], isTaken: true, isTrusted: true, isPlayed: false },
    ...{ examine: vi.fn((_samples: unknown, _isWanted: boolean) => undefined), close: () => undefined },
  };
  return { media, relayed };
}

/** A page in a call of nine, in which a media relay is offered. */
function page() {
  const clock = new ManualClock();
  const names = ["Ada", "Ben", "Cleo", "Dana", "Emil", "Finn", "Gert", "Mallory"] as const;
  const peers = new Map(names.map((name) => [name as string, someone()]));
  const devices = { local: { track: () => null }, hidesSpeech: false };
  const told: [to: string, identity: string][] = [];
  const drops: string[] = [];
  const shown: string[] = [];
  let asked = 0;
  const ends: (() => void)[] = [];
  const relay = new MediaRelay({
    media: {
      ...{ life: { clock, bind: (end: () => void) => ends.push(end) }, pool: {}, ice: { ice: { servers: [] } } },
      drop: (what: string) => drops.push(what),
    },
    ...{ people: { peers }, devices },
    ask: () => asked++,
    tell: (to: string, { identity }: { identity: string }) => told.push([to, identity]),
    show: (view: { relay: string }) => shown.push(view.relay),
  } as unknown as ConstructorParameters<typeof MediaRelay>[0]);
  relay.reached({ relay: true, resumed: false });
  const look = (seconds = 0.5) => {
    for (let sample = 0; sample < 2 * seconds; sample++) {
      clock.advance(HALF_A_SECOND);
      relay.examine({ samples: [] } as unknown as Samples);
    }
  };
  const give = async (identity: string, room = "room") => {
    const before = connections.length;
    relay.given({ type: "relay-token", url: "wss://relay", room, identity, token: room, validFor: 120 } as RelayToken);
    await expect.poll(() => connections.length).toBe(before + 1);
  };
  const arrive = async () => {
    connections.at(-1)?.arrive();
    await turn();
  };
  const says = (name: string, identity: string) => relay.heard(name, { type: "relay", identity });
  /** Whose media is to come over the relay. */
  const named = () => [...peers].flatMap(([name, { relayed }]) => (relayed.examine.mock.lastCall?.[1] ? [name] : []));
  return {
    relay,
    devices,
    peers,
    told,
    drops,
    shown,
    look,
    give,
    arrive,
    says,
    named,
    end: () => ends[0]?.(),
    asked: () => asked,
  };
}

/** Such a page once it is at the relay. */
async function pageAtRelay() {
  const here = page();
  here.look();
  await here.give("own");
  await here.arrive();
  const [connection] = connections;
  if (connection === undefined) throw new Error("A page at the relay has a connection to it.");
  return { ...here, connection };
}

test("what a page is called at the relay is said in the group before it is there, also to who comes meanwhile", async () => {
  const { relay, told, look, give, arrive } = page();
  look();
  relay.met("Ada");
  expect(told).toEqual([]);
  await give("own");
  expect([told, connections[0]?.state]).toEqual([[["all", "own"]], "connecting"]);
  relay.met("Ben");
  await arrive();
  relay.met("Cleo");
  expect(told.slice(1)).toEqual([
    ["Ben", "own"],
    ["Cleo", "own"],
  ]);
});

test("where the relay is not reached, nobody who comes is told, until it is tried again", async () => {
  const { relay, told, shown, look, give, arrive } = page();
  look();
  await give("own");
  connections[0]?.fail();
  await turn();
  relay.met("Ada");
  look(11);
  expect([told, shown]).toEqual([[["all", "own"]], ["joining", "failed"]]);
  await give("own");
  await arrive();
  look();
  expect([told.slice(1), shown.at(-1)]).toEqual([[["all", "own"]], "used"]);
});

test("of those who say that they are called the same, the first is, and the next once that one says otherwise or is gone", async () => {
  const { relay, connection, drops, look, says, named } = await pageAtRelay();
  for (const name of ["Mallory", "Ben", "Cleo"]) says(name, "Ben's");
  says("Mallory", "Ben's");
  expect(drops).toEqual(["relay-identity", "relay-identity"]);
  says("Mallory", "Mallory's");
  look();
  expect(named()).toEqual(["Ben", "Mallory"]);
  expect([connection.allowed, [...connection.followed]]).toEqual(Array(2).fill(["Ben's", "Mallory's"]));
  relay.forget("Cleo");
  expect([...connection.followed], "who waits takes nothing along").toContain("Ben's");
  says("Cleo", "Ben's");
  relay.forget("Ben");
  expect([...connection.followed]).not.toContain("Ben's");
  look();
  expect(named()).toEqual(["Cleo", "Mallory"]);
});

test("of what someone says that they are called, the last word counts, also while another is called so", async () => {
  const { connection, look, says, named } = await pageAtRelay();
  says("Ada", "Ada's");
  says("Ben", "Ben's");
  says("Cleo", "Ada's");
  says("Cleo", "Ben's");
  says("Ada", "another");
  look();
  expect([named(), connection.allowed]).toEqual([
    ["Ada", "Ben"],
    ["another", "Ben's"],
  ]);
});

test("nobody else is called what this page is, from when it is on its way", async () => {
  const { drops, look, give, arrive, says, named } = page();
  look();
  await give("own");
  says("Ada", "own");
  await arrive();
  says("Ben", "own");
  look();
  expect([named(), drops]).toEqual([[], ["relay-identity", "relay-identity"]]);
});

test("a page on its way to the relay for which a server starts again asks once more, and does not stay in the room that it was on its way to", async () => {
  const { relay, told, shown, look, give, arrive, asked } = page();
  look();
  await give("own", "old");
  relay.reached({ relay: true, resumed: false });
  relay.met("Ada");
  await arrive();
  look();
  expect([connections[0]?.state, told, shown]).toEqual(["closed", [["all", "own"]], ["joining"]]);
  look(10);
  expect(asked()).toBe(2);
  await give("own now", "new");
  await arrive();
  look();
  expect([connections[1]?.room, connections[1]?.state, shown.at(-1)]).toEqual(["new", "connected", "used"]);
});

test("a page whose connection to the server goes on goes on to the relay", async () => {
  const { relay, look, give, arrive, asked } = page();
  look();
  await give("own");
  relay.reached({ relay: true, resumed: true });
  await arrive();
  look(60);
  expect([connections[0]?.state, asked()]).toEqual(["connected", 1]);
});

test("the old way to a relay that comes about after the new one is closed, and the new one stays", async () => {
  const { relay, look, give, arrive } = page();
  look();
  await give("own", "old");
  relay.reached({ relay: true, resumed: false });
  look(10);
  await give("own", "new");
  await arrive();
  connections[0]?.arrive();
  await turn();
  expect(connections.map(({ room, state }) => [room, state])).toEqual([
    ["old", "closed"],
    ["new", "connected"],
  ]);
});

test("a page that leaves the call while it is on its way to the relay does not stay there", async () => {
  const { look, give, arrive, end } = page();
  look();
  await give("own");
  end();
  await arrive();
  expect(connections[0]?.state).toBe("closed");
});
