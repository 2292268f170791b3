import { fromBase64url, toBase64url } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { ManualClock, milli } from "@sealcast/time";
import { hostFingerprint, type LiveLink, parseLiveLink } from "../../shared/live-link.ts";
import type {
  FromHostKeys,
  FromViewerKeys,
  LiveFromHost,
  LiveToHost,
  LiveToViewer,
} from "../../shared/live-messages.ts";
import type { KeyUpdate } from "../../shared/messages.ts";
import type { Identity } from "../identity/identity.ts";
import { newIdentity } from "../room/room.cases.ts";
import { LiveAdmission } from "./admission.ts";
import { type AnsweredAsk, openAnswer } from "./answer.ts";
import { type Claim, LINK_CLAIM, LIVE_TYPES, pskOf, sealAsk } from "./ask.ts";
import { type ChannelContent, LiveChannel, type Rotation } from "./channel.ts";
import { LiveHost } from "./host.ts";
import { newViewerKey } from "./hpke.ts";
import { LiveStream } from "./stream.ts";
import { LiveViewer } from "./viewer.ts";

/** As pages name the server. */
export const SERVER = "sealcast.example:8443";

const fakePort = (news: KeyUpdate[]) =>
  ({ postMessage: (item: KeyUpdate) => void news.push(item) }) as unknown as MessagePort;

/** One load of a host's page. */
export class TestHost {
  readonly said: FromHostKeys[] = [];
  readonly news: KeyUpdate[] = [];
  readonly stream: LiveStream;
  #host: LiveHost | null = null;

  private constructor(stream: LiveStream) {
    this.stream = stream;
  }

  static async load(stage: Stage, identity: Identity, kept: Uint8Array | null): Promise<TestHost> {
    const host = await hostFingerprint(identity.publicKey);
    const admission = kept === null ? await LiveAdmission.create(host) : await LiveAdmission.parse(host, kept);
    if (admission === null) throw new Error("not this host's");
    const test = new TestHost(await LiveStream.begin());
    const { clock, seconds } = stage;
    const tell = (message: FromHostKeys): void => {
      test.said.push(message);
      if (message.type === "to-room") stage.fromHost(test, message.message);
    };
    test.#host = await LiveHost.start({
      identity,
      admission,
      stream: test.stream,
      server: SERVER,
      clock,
      seconds,
      tell,
    });
    await test.keys.receive({ type: "media", port: fakePort(test.news) });
    return test;
  }

  get keys(): LiveHost {
    if (this.#host === null) throw new Error("not loaded");
    return this.#host;
  }

  get fragment(): string {
    return this.said.flatMap((m) => (m.type === "hosting" || m.type === "link" ? [m.fragment] : [])).at(-1) ?? "";
  }

  get room(): string {
    return this.said.flatMap((m) => (m.type === "hosting" ? [m.room] : []))[0] ?? "";
  }

  get kept(): Uint8Array {
    return this.said.flatMap((m) => (m.type === "keep" ? [m.state] : [])).at(-1) ?? new Uint8Array();
  }

  get rotation(): number {
    return this.stream.rotation;
  }

  /** How the page knows each viewer to stand. */
  get viewers(): Map<string, string> {
    const changes = this.said.flatMap((m) => (m.type === "viewers" ? m.changes : []));
    return new Map(changes.map(({ viewer, is }) => [viewer, is]));
  }

  get received(): string[] {
    return this.said.flatMap((m) => (m.type === "message" ? [new TextDecoder().decode(m.body)] : []));
  }

  /** What it had the server hand over. */
  get delivered(): { to: string; body: Uint8Array<ArrayBuffer> }[] {
    return this.#items.map(({ to, body }) => ({ to, body: fromBase64url(body) ?? new Uint8Array() }));
  }

  deliveredTo(session: string): Uint8Array<ArrayBuffer>[] {
    return this.#items.flatMap(({ to, body }) => (to === session ? [fromBase64url(body) ?? new Uint8Array()] : []));
  }

  get #items(): { to: string; body: string }[] {
    return this.said.flatMap((m) => (m.type === "to-room" && m.message.type === "deliver" ? m.message.items : []));
  }

  send(to: Pick<TestViewer, "session">, text: string): Promise<void> {
    return this.keys.receive({ type: "send", to: to.session, body: new TextEncoder().encode(text) });
  }
}

/** One load of a viewer's page. */
export class TestViewer {
  readonly said: FromViewerKeys[] = [];
  readonly news: KeyUpdate[] = [];
  readonly keys: LiveViewer;
  /** What the server calls it. */
  session = "";
  isConnected = false;

  constructor(stage: Stage, room: string, link: LiveLink, kept: Uint8Array | null) {
    const { clock, seconds } = stage;
    const tell = (message: FromViewerKeys): void => {
      this.said.push(message);
      if (message.type === "to-room" && message.message.type === "tell") stage.fromViewer(this, message.message.body);
    };
    this.keys = new LiveViewer({ room, link, server: SERVER, kept, clock, seconds, tell });
    void this.keys.receive({ type: "media", port: fakePort(this.news) });
  }

  get state(): string {
    const last = this.said.findLast(({ type }) => ["watching", "waiting", "ended", "refused"].includes(type));
    return last?.type === "refused" ? last.why : (last?.type ?? "asking");
  }

  /** The latest rotation it has the keys of; -1 for none. */
  get rotation(): number {
    return this.said.flatMap((m) => (m.type === "rotated" ? [m.rotation] : [])).at(-1) ?? -1;
  }

  get streams(): string[] {
    return this.said.flatMap((m) => (m.type === "watching" ? [m.stream] : []));
  }

  get kept(): Uint8Array {
    return this.said.flatMap((m) => (m.type === "keep" ? [m.state] : [])).at(-1) ?? new Uint8Array();
  }

  get received(): string[] {
    return this.said.flatMap((m) => (m.type === "message" ? [new TextDecoder().decode(m.body)] : []));
  }

  /** All that it told the host. */
  get told(): (Uint8Array | null)[] {
    return this.said.flatMap((m) =>
      m.type === "to-room" && m.message.type === "tell" ? [fromBase64url(m.message.body)] : [],
    );
  }

  notes(what: string): number {
    return this.said.filter((m) => m.type === "dropped" && m.what === what).length;
  }

  send(text: string): Promise<void> {
    return this.keys.receive({ type: "send", body: new TextEncoder().encode(text) });
  }
}

/** A viewer without our code: asks with what it has, and does with what comes as it likes. */
export class Guest {
  readonly session = toBase64url(random(16));
  readonly heard: ChannelContent[] = [];
  readonly #stage: Stage;
  readonly #pair: ReturnType<typeof newViewerKey>;
  #asked: { asked: AnsweredAsk; body: Uint8Array; answersBefore: number } | null = null;
  #channel: LiveChannel | null = null;
  #said: Promise<void> = Promise.resolve();

  constructor(stage: Stage, pair = newViewerKey()) {
    this.#stage = stage;
    this.#pair = pair;
  }

  /** With a nonce of its own; resolves when the host has judged it. */
  async ask(secret: Uint8Array, claim: Claim = LINK_CLAIM): Promise<void> {
    const { host, seconds } = this.#stage;
    const [nonce, { publicKey: viewerKey }] = [random(32), await this.#pair];
    const body = await sealAsk(secret, host.room, seconds(), { ...claim, nonce, viewerKey });
    const asked = { room: host.room, nonce, viewerKey, psk: pskOf(claim, secret) };
    this.#asked = { asked, body, answersBefore: this.#answers.length };
    await this.say(body);
  }

  /** The last ask as it was. */
  askAgain(): Promise<void> {
    return this.say(this.#asked?.body ?? new Uint8Array());
  }

  async say(bytes: Uint8Array): Promise<void> {
    const event = { type: "told", from: this.session, body: toBase64url(bytes) } as const;
    await this.#stage.host.keys.receive({ type: "room", event });
  }

  /** The first bytes of what came. */
  get came(): number[] {
    return this.bodies.flatMap(([type]) => type ?? []);
  }

  /** Opens the answer to the last ask, and from then on hears what the host says; proves nothing. */
  async open(): Promise<LiveChannel> {
    const { asked, answersBefore } = this.#asked ?? { answersBefore: 0 };
    await this.#stage.until(() => this.#answers.length > answersBefore);
    const link = await parseLiveLink(this.#stage.host.room, this.#stage.host.fragment);
    const answer = this.#answers.at(-1);
    if (asked === undefined || answer === undefined || !link.ok) throw new Error("there is no answer");
    const { privateKey } = await this.#pair;
    const opened = await openAnswer(privateKey, link.host, asked, answer);
    if (!opened.ok) throw new Error(opened.why);
    this.#channel = await LiveChannel.open({
      clock: this.#stage.clock,
      sealKey: opened.keys.toHost,
      openKey: opened.keys.toViewer,
      transmit: (body) => {
        this.#said = this.say(body);
      },
      deliver: (content) => void this.heard.push(content),
    });
    return this.#channel;
  }

  /** Shows the host that it has opened the answer. Resolves when the keys are here. */
  async prove(): Promise<Rotation> {
    const channel = await this.open();
    const before = this.came.length;
    await channel.acknowledge();
    await this.#stage.until(() => this.came.slice(before).includes(LIVE_TYPES.record));
    await this.listen();
    const keys = this.heard.findLast((content) => content.type === "rotation");
    if (keys === undefined) throw new Error("no keys came");
    return keys;
  }

  /** Over the channel of the answer that it opened last. */
  async tell(body: Uint8Array): Promise<void> {
    await this.#channel?.send({ type: "message", body });
  }

  /** Reads all that came, whether it was acknowledged or not. */
  async listen(): Promise<void> {
    for (const body of this.bodies) if (body[0] === LIVE_TYPES.record) await this.#channel?.receive(body);
  }

  /** Reads all that came, and the host knows that. */
  async acknowledge(): Promise<void> {
    await this.listen();
    await this.#channel?.acknowledge();
    await this.#said;
  }

  get #answers(): Uint8Array<ArrayBuffer>[] {
    return this.bodies.filter(([type]) => type === LIVE_TYPES.answer);
  }

  /** All that came. */
  get bodies(): Uint8Array<ArrayBuffer>[] {
    return this.#stage.host.deliveredTo(this.session);
  }
}

/** The longest wait takes about 230. */
const MAX_TURNS = 1000;

type Way = "to-host" | "to-viewer";

/** The server's live room in memory, its host and its viewers. The time stands still unless a test moves it. */
export class Stage {
  readonly clock = new ManualClock();
  readonly start = BigInt(Math.floor(Date.now() / 1000));
  readonly seconds = (): bigint => this.start + BigInt(Math.floor(this.clock.now() / 1000));
  viewers: TestViewer[] = [];
  /** What the server does with a body on its way: null loses it. */
  meddles: (body: Uint8Array, way: Way, viewer: TestViewer) => Uint8Array | null = (body) => body;
  /** Every body that passed, as the sender sent it. */
  readonly traffic: { way: Way; viewer: TestViewer; body: Uint8Array }[] = [];
  #host: TestHost | null = null;
  #identity: Identity | null = null;
  /** What was handed over and is not dealt with yet. */
  readonly #handed = new Set<Promise<void>>();

  get host(): TestHost {
    if (this.#host === null) throw new Error("no host");
    return this.#host;
  }

  /** A host with a new room. */
  async open(identity?: Identity): Promise<TestHost> {
    this.#identity = identity ?? (await newIdentity());
    return this.#place(await TestHost.load(this, this.#identity, null));
  }

  /** The host's page loads again. */
  async reload(): Promise<TestHost> {
    const kept = this.host.kept;
    this.#host = null;
    this.toViewers({ type: "host-is", is: "away" });
    if (this.#identity === null) throw new Error("no host yet");
    return this.#place(await TestHost.load(this, this.#identity, kept));
  }

  /** The server puts another host into this one's place. */
  swap(host: TestHost): void {
    this.#place(host);
  }

  async watch(fragment: string, kept: Uint8Array | null = null, room = this.host.room): Promise<TestViewer> {
    const link = await parseLiveLink(room, fragment);
    if (!link.ok) throw new Error("a damaged link");
    const viewer = new TestViewer(this, room, link, kept);
    this.viewers.push(viewer);
    this.connect(viewer);
    return viewer;
  }

  /** A viewer who has the keys, as far as the host knows too. */
  async admitted(kept: Uint8Array | null = null, fragment = this.host.fragment): Promise<TestViewer> {
    const viewer = await this.watch(fragment, kept);
    const isIn = () => this.host.viewers.get(viewer.session) === "watching" && viewer.rotation === this.host.rotation;
    await this.until(isIn);
    // One proves the answer, the next one acknowledges the keys: then nothing more is on the way.
    const said = () =>
      this.traffic.filter(
        ({ way, viewer: by, body }) => way === "to-host" && by === viewer && body[0] === LIVE_TYPES.record,
      );
    await this.until(() => said().length >= 2);
    await Promise.all(this.#handed);
    return viewer;
  }

  connect(viewer: TestViewer, resumed = false): void {
    viewer.isConnected = true;
    if (!resumed) viewer.session = toBase64url(random(16));
    this.#tellHost({ type: "viewer", viewer: viewer.session, is: resumed ? "back" : "here" });
    const host = this.#host === null ? "away" : "here";
    void viewer.keys.receive({ type: "room", event: { type: "watching", resumed, host } });
  }

  disconnect(viewer: TestViewer): void {
    viewer.isConnected = false;
    this.#tellHost({ type: "viewer", viewer: viewer.session, is: "away" });
  }

  /** The host's socket drops and comes back. */
  reconnectHost(): void {
    this.#tellHost({ type: "hosting", viewers: this.#connected.map(({ session }) => session) });
    this.toViewers({ type: "host-is", is: "back" });
  }

  fromHost(host: TestHost, message: LiveFromHost): void {
    if (host !== this.#host) return;
    if (message.type === "end") return this.toViewers({ type: "host-is", is: "ended" });
    if (message.type === "dismiss") {
      for (const viewer of this.viewers) if (message.viewers.includes(viewer.session)) viewer.isConnected = false;
      return;
    }
    if (message.type !== "deliver") return;
    for (const { to, body } of message.items) {
      const viewer = this.#connected.find(({ session }) => session === to);
      if (viewer !== undefined) this.#pass("to-viewer", viewer, fromBase64url(body) ?? new Uint8Array());
    }
  }

  fromViewer(viewer: TestViewer, body: string): void {
    if (viewer.isConnected) this.#pass("to-host", viewer, fromBase64url(body) ?? new Uint8Array());
  }

  /** Hands over a body as the server might, no matter who sent it. */
  hand(way: Way, viewer: TestViewer, bytes: Uint8Array): Promise<void> {
    const body = toBase64url(bytes);
    if (way === "to-viewer") return viewer.keys.receive({ type: "room", event: { type: "delivered", body } });
    return this.host.keys.receive({ type: "room", event: { type: "told", from: viewer.session, body } });
  }

  toViewers(event: LiveToViewer): void {
    for (const viewer of this.#connected) void viewer.keys.receive({ type: "room", event });
  }

  /** Lets time pass in small steps, and the work in between, until `holds`: for 5 s at most. */
  async until(holds: () => boolean): Promise<void> {
    for (let turns = 0; !holds(); turns += 1) {
      if (turns === MAX_TURNS) throw new Error(`this does not come about: ${holds}`);
      await turn();
      this.clock.advance(milli(5));
    }
  }

  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 50) {
      this.clock.advance(milli(Math.min(50, left)));
      for (let turns = 0; turns < 4; turns += 1) await turn();
    }
  }

  get #connected(): TestViewer[] {
    return this.viewers.filter(({ isConnected }) => isConnected);
  }

  #place(host: TestHost): TestHost {
    this.#host = host;
    this.#tellHost({ type: "hosting", viewers: this.#connected.map(({ session }) => session) });
    this.toViewers({ type: "host-is", is: "here" });
    return host;
  }

  #pass(way: Way, viewer: TestViewer, body: Uint8Array): void {
    this.traffic.push({ way, viewer, body });
    const passed = this.meddles(body, way, viewer);
    if (passed === null || this.#host === null) return;
    const handed = this.hand(way, viewer, passed);
    this.#handed.add(handed);
    void handed.finally(() => this.#handed.delete(handed));
  }

  #tellHost(event: LiveToHost): void {
    if (this.#host !== null) void this.#host.keys.receive({ type: "room", event });
  }
}

/** Lets the platform's cryptography, which works on other threads, go on. */
const turn = (): Promise<void> => new Promise((done) => setTimeout(done, 0));
