import type { LineSource } from "@sealcast/network";
import type { RelayEvents, RelayOptions, RelayState } from "@sealcast/network/relay";
import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, test, vi } from "vitest";
import type { Samples } from "../audit/encryption-audit.ts";
import { MediaRelay } from "./media-relay.ts";

type Device = Pick<MediaStreamTrack, "getSettings">;

const HALF_A_SECOND = milli(500);

/** A connection to the relay that comes about, is lost and takes tracks when the test says so. */
class FakeConnection {
  readonly events: RelayEvents;
  room = "";
  state: RelayState = "connecting";
  allowed: readonly string[] = [];
  readonly followed = new Set<string>();
  readonly published: LineSource[] = [];
  takes = true;
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
    if (!this.takes) throw new Error("The relay does not take it.");
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
    ...{ isLinked: true, isHeld: false, canSign: true, state: "connected" },
    ...{ lines: [], shownHere: [], video: { wants: true } },
    leave: vi.fn(async (_isLeft: boolean) => undefined),
    sign: vi.fn((_batch: Uint8Array) => undefined),
  };
  const relayed = {
    ...{ proven: [], isTaken: true, isTrusted: true, isPlayed: false },
    ...{ examine: vi.fn((_samples: unknown, _isWanted: boolean) => undefined), close: () => undefined },
  };
  return { media, relayed };
}

const NAMES = ["Ada", "Ben", "Cleo", "Dana", "Emil", "Finn", "Gert", "Mallory"];

const FAN_OUT = { drop: async () => undefined };

/** What a line to the relay sends. */
class FakeSender {
  track: MediaStreamTrack | null = null;
  readonly replaceTrack = async (track: MediaStreamTrack | null) => {
    this.track = track;
  };
  readonly getParameters = () => ({ encodings: [], codecs: [] });
  readonly setParameters = async () => undefined;
}

/** A page in a call of nine, in which a media relay is offered. */
class Page {
  readonly clock = new ManualClock();
  readonly peers = new Map(NAMES.map((name) => [name, someone()]));
  readonly local = { track: (source: LineSource) => this.#on.get(source) ?? null, isSoundAlone: false };
  readonly devices = { local: this.local, hidesSpeech: false };
  readonly told: [to: string, identity: string][] = [];
  readonly drops: string[] = [];
  readonly shown: string[] = [];
  asked = 0;
  /** A batch of signatures of what goes to the relay. */
  sign: (batch: Uint8Array) => void = () => expect.unreachable();
  readonly relay: MediaRelay;
  readonly #on = new Map<LineSource, Device>([["microphone", { getSettings: () => ({}) }]]);
  readonly #ends: (() => void)[] = [];

  constructor() {
    const life = { clock: this.clock, bind: (end: () => void) => this.#ends.push(end) };
    const seal = (_sender: unknown, _kind: unknown, _source: unknown, signed: (batch: Uint8Array) => void) => {
      this.sign = signed;
      return { ready: Promise.resolve(), release: () => undefined };
    };
    const pool = { seal, fanOuts: { camera: FAN_OUT } };
    const media = { life, pool, ice: { ice: { servers: [] } }, drop: (what: string) => this.drops.push(what) };
    this.relay = new MediaRelay({
      ...{
        media,
        people: { peers: this.peers, member: (name: string) => ({ identity: name }) },
        devices: this.devices,
      },
      ask: () => this.asked++,
      tell: (to: string, { identity }: { identity: string }) => this.told.push([to, identity]),
      show: (view: { relay: string }) => this.shown.push(view.relay),
    } as unknown as ConstructorParameters<typeof MediaRelay>[0]);
    this.enter();
  }

  /** The server lets this page in, as one that it does not know, and it is inside. */
  enter(): void {
    this.relay.reached({ relay: true, resumed: false });
    this.relay.admitted();
  }

  look(seconds = 0.5): void {
    for (let sample = 0; sample < 2 * seconds; sample++) {
      this.clock.advance(HALF_A_SECOND);
      this.relay.examine({ samples: [] } as unknown as Samples);
    }
  }

  async give(identity: string, room = "room"): Promise<void> {
    const before = connections.length;
    this.relay.given({ type: "relay-token", url: "wss://relay", room, identity, token: room, validFor: 120 });
    await expect.poll(() => connections.length).toBe(before + 1);
  }

  async arrive(): Promise<void> {
    connections.at(-1)?.arrive();
    await turn();
  }

  switchOn(source: LineSource): void {
    this.#on.set(source, { getSettings: () => ({}) });
    this.relay.refresh();
  }

  unplug(source: LineSource): void {
    this.#on.delete(source);
    this.relay.refresh();
  }

  says(name: string, identity: string): void {
    this.relay.heard(name, { type: "relay", identity });
  }

  /** Whose media is to come over the relay. */
  get named(): string[] {
    return NAMES.filter((name) => this.peers.get(name)?.relayed.examine.mock.lastCall?.[1]);
  }

  end(): void {
    for (const end of this.#ends) end();
  }
}

/** Such a page once it is at the relay, and its connection. */
async function pageAtRelay(): Promise<[Page, FakeConnection]> {
  const page = new Page();
  page.look();
  await page.give("own");
  await page.arrive();
  const [connection] = connections;
  if (connection === undefined) throw new Error("A page at the relay has a connection to it.");
  return [page, connection];
}

test("what a page is called at the relay is said in the group before it is there, also to who comes meanwhile", async () => {
  const page = new Page();
  page.look();
  page.relay.met("Ada");
  expect(page.told).toEqual([]);
  await page.give("own");
  expect([page.told, connections[0]?.state]).toEqual([[["all", "own"]], "connecting"]);
  page.relay.met("Ben");
  await page.arrive();
  page.relay.met("Cleo");
  expect(page.told.slice(1)).toEqual([
    ["Ben", "own"],
    ["Cleo", "own"],
  ]);
});

test("where the relay is not reached, nobody who comes is told, until it is tried again", async () => {
  const page = new Page();
  page.look();
  await page.give("own");
  connections[0]?.fail();
  await turn();
  page.relay.met("Ada");
  page.look(11);
  expect([page.told, page.shown]).toEqual([[["all", "own"]], ["joining", "failed"]]);
  await page.give("own");
  await page.arrive();
  page.look();
  expect([page.told.slice(1), page.shown.at(-1)]).toEqual([[["all", "own"]], "used"]);
});

test("of those who say that they are called the same, the first is, and the next once that one says otherwise or is gone", async () => {
  const [page, connection] = await pageAtRelay();
  for (const name of ["Mallory", "Ben", "Cleo"]) page.says(name, "Ben's");
  page.says("Mallory", "Ben's");
  expect(page.drops).toEqual(["relay-identity", "relay-identity"]);
  page.says("Mallory", "Mallory's");
  page.look();
  expect(page.named).toEqual(["Ben", "Mallory"]);
  expect([connection.allowed, [...connection.followed]]).toEqual(Array(2).fill(["Ben's", "Mallory's"]));
  page.relay.forget("Cleo");
  expect([...connection.followed], "who waits takes nothing along").toContain("Ben's");
  page.says("Cleo", "Ben's");
  page.relay.forget("Ben");
  expect([...connection.followed]).not.toContain("Ben's");
  page.look();
  expect(page.named).toEqual(["Cleo", "Mallory"]);
});

test("no video goes over the relay either while this computer keeps up with sound alone", async () => {
  const [page, connection] = await pageAtRelay();
  const senders = { microphone: new FakeSender(), camera: new FakeSender() };
  for (const source of ["microphone", "camera"] as const) {
    connection.events.seal(senders[source] as unknown as RTCRtpSender, source, null);
    page.switchOn(source);
  }
  const sent = async () => {
    page.relay.refresh();
    await turn();
    return Object.values(senders).map(({ track }) => track !== null);
  };
  expect(await sent()).toEqual([true, true]);
  page.local.isSoundAlone = true;
  expect(await sent()).toEqual([true, false]);
  page.local.isSoundAlone = false;
  expect(await sent()).toEqual([true, true]);
});

test("sound whose device is gone goes on as silence: of a sender without a track the relay takes the connection for lost", async () => {
  const [page, connection] = await pageAtRelay();
  const sender = new FakeSender();
  const silence = {} as MediaStreamTrack;
  connection.events.seal(sender as unknown as RTCRtpSender, "microphone", silence);
  await turn();
  expect(sender.track).toBe(page.local.track("microphone"));
  page.unplug("microphone");
  await turn();
  expect(sender.track).toBe(silence);
  page.switchOn("microphone");
  await turn();
  expect(sender.track).toBe(page.local.track("microphone"));
});

test("nobody whose connection was closed for what they sent gets anything over the relay", async () => {
  const [page, connection] = await pageAtRelay();
  for (const name of ["Mallory", "Ben"]) page.says(name, `${name}'s`);
  page.look();
  expect(connection.allowed).toEqual(["Ben's", "Mallory's"]);
  const { media } = page.peers.get("Mallory") ?? expect.unreachable();
  media.isLinked = false;
  page.look();
  expect([connection.allowed, [...connection.followed]]).toEqual([["Ben's"], ["Ben's"]]);
});

test("nobody gets frames over the relay before signatures reach them, and who is held gets those of frames that are under way", async () => {
  const [page, connection] = await pageAtRelay();
  for (const name of ["Mallory", "Ben"]) page.says(name, `${name}'s`);
  const { media } = page.peers.get("Ben") ?? expect.unreachable();
  media.canSign = false;
  page.look();
  expect(connection.allowed).toEqual(["Mallory's"]);
  media.canSign = true;
  page.look();
  expect(connection.allowed).toEqual(["Ben's", "Mallory's"]);
  connection.events.seal(new FakeSender() as unknown as RTCRtpSender, "microphone", null);
  media.isHeld = true;
  const batch = new Uint8Array(1);
  page.sign(batch);
  expect(media.sign.mock.calls).toEqual([[batch]]);
  page.relay.allow();
  page.look(3.5);
  page.sign(batch);
  expect(media.sign).toHaveBeenCalledOnce();
  expect(connection.allowed).toEqual(["Mallory's"]);
});

test("of someone who is to send directly what plays comes over the relay until all that is due comes directly", async () => {
  const [page, connection] = await pageAtRelay();
  page.says("Ben", "Ben's");
  const { relayed } = page.peers.get("Ben") ?? expect.unreachable();
  const follows = () => {
    page.look();
    return connection.followed.has("Ben's");
  };
  relayed.isPlayed = true;
  expect(follows()).toBe(true);
  relayed.isTrusted = false;
  expect(follows()).toBe(true);
  relayed.isPlayed = false;
  expect(follows()).toBe(false);
});

test("of what someone says that they are called, the last word counts, also while another is called so", async () => {
  const [page, connection] = await pageAtRelay();
  page.says("Ada", "Ada's");
  page.says("Ben", "Ben's");
  page.says("Cleo", "Ada's");
  page.says("Cleo", "Ben's");
  page.says("Ada", "another");
  page.look();
  expect([page.named, connection.allowed]).toEqual([
    ["Ada", "Ben"],
    ["another", "Ben's"],
  ]);
});

test("nobody else is called what this page is, from when it is on its way", async () => {
  const page = new Page();
  page.look();
  await page.give("own");
  page.says("Ada", "own");
  await page.arrive();
  page.says("Ben", "own");
  page.look();
  expect([page.named, page.drops]).toEqual([[], ["relay-identity", "relay-identity"]]);
});

test("a page on its way to the relay for which a server starts again asks once more, and does not stay in the room that it was on its way to", async () => {
  const page = new Page();
  page.look();
  await page.give("own", "old");
  page.enter();
  page.relay.met("Ada");
  await page.arrive();
  page.look();
  expect([connections[0]?.state, page.told, page.shown]).toEqual(["closed", [["all", "own"]], ["joining"]]);
  page.look(10);
  expect(page.asked).toBe(2);
  await page.give("own now", "new");
  await page.arrive();
  page.look();
  expect([connections[1]?.room, connections[1]?.state, page.shown.at(-1)]).toEqual(["new", "connected", "used"]);
});

test("a page asks for a token once the server has seen that it is inside, also after a server started again", async () => {
  const [page] = await pageAtRelay();
  expect(page.asked).toBe(1);
  page.relay.reached({ relay: true, resumed: false });
  page.look(15);
  expect([page.asked, page.shown.at(-1)]).toEqual([1, "joining"]);
  page.relay.admitted();
  page.look();
  expect(page.asked).toBe(2);
});

test("a page that a server does not let in says after a while that the relay is not used, and asks at once when it is let in, also over another socket", async () => {
  const [page] = await pageAtRelay();
  page.relay.reached({ relay: true, resumed: false });
  page.look(100);
  expect([page.asked, page.shown.slice(-2)]).toEqual([1, ["joining", "failed"]]);
  page.relay.reached({ relay: true, resumed: false });
  page.relay.admitted();
  page.look();
  expect(page.asked).toBe(2);
  page.look(10);
  expect(page.asked, "tried again as soon as at first").toBe(3);
});

test("a page whose connection to the server goes on goes on to the relay", async () => {
  const page = new Page();
  page.look();
  await page.give("own");
  page.relay.reached({ relay: true, resumed: true });
  await page.arrive();
  page.look(60);
  expect([connections[0]?.state, page.asked]).toEqual(["connected", 1]);
});

test("the old way to a relay that comes about after the new one is closed, and the new one stays", async () => {
  const page = new Page();
  page.look();
  await page.give("own", "old");
  page.enter();
  page.look(10);
  await page.give("own", "new");
  await page.arrive();
  connections[0]?.arrive();
  await turn();
  expect(connections.map(({ room, state }) => [room, state])).toEqual([
    ["old", "closed"],
    ["new", "connected"],
  ]);
});

test("a camera that goes on while the connection to the relay is made again goes there once there is one", async () => {
  const [page, connection] = await pageAtRelay();
  expect(connection.published).toEqual(["microphone"]);
  connection.is("reconnecting");
  page.switchOn("camera");
  expect(connection.published).toEqual(["microphone"]);
  connection.is("connected");
  expect(connection.published).toContain("camera");
});

test("what the relay does not take is offered again after a while, and no more once the page is not there", async () => {
  const [page, connection] = await pageAtRelay();
  const offered = () => connection.published.filter((source) => source === "camera").length;
  connection.takes = false;
  page.switchOn("camera");
  page.switchOn("camera");
  await turn();
  expect(offered()).toBe(2);
  page.clock.advance(milli(10_000));
  await turn();
  expect(offered()).toBe(3);
  connection.takes = true;
  page.clock.advance(milli(10_000));
  await turn();
  expect(offered()).toBe(4);
  page.clock.advance(milli(60_000));
  expect(offered()).toBe(4);
  connection.takes = false;
  page.switchOn("camera");
  await turn();
  page.end();
  page.clock.advance(milli(60_000));
  expect(offered()).toBe(5);
});

test("who hides how they speak is not at the relay any more with the next sample, and all goes directly", async () => {
  const [page, connection] = await pageAtRelay();
  for (const name of NAMES) page.says(name, `${name}'s`);
  page.look();
  const goesDirectly = () => [...page.peers.values()].map(({ media }) => media.leave.mock.lastCall?.[0] === false);
  expect(goesDirectly()).not.toContain(true);
  page.devices.hidesSpeech = true;
  page.look();
  expect([connection.state, page.shown.at(-1)]).toEqual(["closed", "unused"]);
  expect(goesDirectly()).not.toContain(false);
});

test("who hides how they speak while on the way to the relay does not stay there", async () => {
  const page = new Page();
  page.look();
  await page.give("own");
  page.devices.hidesSpeech = true;
  page.look();
  await page.arrive();
  expect(connections[0]?.state).toBe("closed");
});

test("a page stays at the relay for 10 s after the call became small: others may still be on their way back", async () => {
  const [page, connection] = await pageAtRelay();
  page.peers.delete("Ada");
  page.look(10);
  expect(connection.state).toBe("connected");
  page.look();
  expect(connection.state).toBe("closed");
});

test("who joins the group afresh is still who is called so, though another has said the same", async () => {
  const [page] = await pageAtRelay();
  page.says("Ada", "a");
  page.says("Mallory", "a");
  page.relay.forget("Ada");
  page.look();
  expect(page.named).toEqual(["Mallory"]);
  page.says("Ada", "a");
  page.look();
  expect(page.named).toEqual(["Ada"]);
});

test("a page that leaves the call while it is on its way to the relay does not stay there", async () => {
  const page = new Page();
  page.look();
  await page.give("own");
  page.end();
  await page.arrive();
  expect(connections[0]?.state).toBe("closed");
});
