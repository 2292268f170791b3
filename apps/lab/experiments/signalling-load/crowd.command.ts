import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { retryDelay } from "@sealcast/network/retry";
import { type Down, PROTOCOL_VERSION, parseDown, type Up } from "@sealcast/protocol";
import { type RawData, WebSocket } from "ws";

/** Members of each call: what one says goes to all three, itself included. */
const CALL = 3;
/** Sockets that are on their way in at a time. The server holds 500. */
const PENDING = 300;
/** By then everybody knows of a server that was killed. */
const TO_LOSE_MS = 10_000;
/** Letters of a message's body: a sealed group message of the least size. */
const BODY = 600;
/** Of these, the first say when it was due: microseconds by this process's clock. */
const DIGITS = 14;

/** Who is told one of these is in. */
const ENTERED: ReadonlySet<string> = new Set<Down["type"]>(["entered", "hosting", "watching"]);

/** What a crowd is asked to do. */
export type Task =
  /** Brings a number of members into calls, as fast as the servers let them: one after the other to the next of these. */
  | { readonly type: "join"; readonly ports: readonly number[]; readonly count: number }
  /** Members speak in turn, this many times a second altogether, at times that no answer moves. */
  | { readonly type: "speak"; readonly perSecond: number; readonly seconds: number }
  /** Brings a number of viewers to one live room, and its host. */
  | { readonly type: "watch"; readonly port: number; readonly count: number }
  /** The host ends the stream this many times, and the server tells all viewers. Each wait is until the last of them has it. */
  | { readonly type: "end"; readonly times: number; readonly everyMs: number }
  /** Everybody is about to lose their socket: done when that is known of each. */
  | { readonly type: "mark" }
  /** Each wait is from now until someone is in again, over another socket than when they were marked. */
  | { readonly type: "back" }
  /** The same, of those who lost it or had to come again within 10 s: with several servers not all do. */
  | { readonly type: "again" }
  | { readonly type: "leave" };

/** Milliseconds, each from the time that was planned; and how long it all took. */
export interface Waits {
  readonly seconds: number;
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Thousands of clients in one process. */
export class Crowd {
  readonly #clients: Client[] = [];
  #host: Client | null = null;

  async do(task: Task): Promise<Waits> {
    switch (task.type) {
      case "join":
        return this.#join(task);
      case "speak":
        return this.#speak(task);
      case "watch":
        return this.#watch(task);
      case "end":
        return this.#end(task);
      case "mark":
        for (const client of this.#clients) client.mark();
        return waitsOf([], 0);
      case "back":
        return this.#back();
      case "again":
        return this.#again();
      case "leave":
        for (const client of [...this.#clients.splice(0), this.#host]) client?.leave();
        return waitsOf([], 0);
    }
  }

  async #join({ ports, count }: { ports: readonly number[]; count: number }): Promise<Waits> {
    const rooms = Array.from({ length: Math.ceil(count / CALL) }, () => new Door());
    return this.#enter(count, (i) => new Client(ports, i, memberOf(rooms[Math.floor(i / CALL)] ?? new Door())));
  }

  async #speak({ perSecond, seconds }: { perSecond: number; seconds: number }): Promise<Waits> {
    const heard: number[] = [];
    for (const client of this.#clients)
      client.hears = (data) => {
        if (data.length >= BODY) heard.push(now() - dueOf(data));
      };
    const since = now();
    await paced(perSecond * seconds, 1000 / perSecond, (due, i) => this.#clients[i % this.#clients.length]?.speak(due));
    await pause(500);
    return waitsOf(heard, (now() - since - 500) / 1000);
  }

  async #watch({ port, count }: { port: number; count: number }): Promise<Waits> {
    const [host, link, load] = [new Door(), new Door(), id()];
    this.#host = new Client([port], 0, { challenge: (message, at) => host.host(challengeOf(message, at), load, link) });
    await this.#host.enter();
    return this.#enter(
      count,
      () => new Client([port], 0, { challenge: (message, at) => link.watch(challengeOf(message, at), host.liveRoom) }),
    );
  }

  async #end({ times, everyMs }: { times: number; everyMs: number }): Promise<Waits> {
    const dues: number[] = [];
    const last: number[] = [];
    for (const client of this.#clients) {
      let told = 0;
      client.hears = () => {
        last[told++] = now();
      };
    }
    const since = now();
    await paced(times, everyMs, (due) => {
      dues.push(due);
      this.#host?.say({ type: "end" });
    });
    await pause(1_000);
    const waits = last.map((at, time) => at - (dues[time] ?? Number.NaN));
    return waitsOf(waits, (now() - since) / 1000);
  }

  async #back(): Promise<Waits> {
    const since = now();
    const waits = await Promise.all(this.#clients.map((client) => client.again().then(() => now() - since)));
    return waitsOf(waits, (now() - since) / 1000);
  }

  async #again(): Promise<Waits> {
    const since = now();
    const waits: number[] = [];
    const each = this.#clients.map((client) => client.again().then(() => void waits.push(now() - since)));
    await pause(TO_LOSE_MS);
    await Promise.all(each.filter((_, i) => this.#clients[i]?.isLost));
    return waitsOf(waits, Math.max(...waits) / 1000);
  }

  async #enter(count: number, make: (i: number) => Client): Promise<Waits> {
    const since = now();
    const waits: number[] = [];
    let next = 0;
    const enterNext = async () => {
      while (next < count) {
        const client = make(next++);
        this.#clients.push(client);
        const at = now();
        await client.enter();
        waits.push(now() - at);
      }
    };
    await Promise.all(Array.from({ length: PENDING }, enterNext));
    return waitsOf(waits, (now() - since) / 1000);
  }
}

/** What a client says until it is in: its answer to each message of the server at this host, by type. */
type Entry = Readonly<Record<string, (message: Down, host: string) => Up>>;

/** What a door's signature on one socket is over. */
interface Challenge {
  readonly host: string;
  readonly nonce: string;
}

/** The key pair of a link, or of a live host, and the token of a call's one epoch. */
class Door {
  readonly token = randomBytes(32).toString("base64url");
  readonly #publicKey: Buffer;
  readonly #privateKey: KeyObject;

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    this.#publicKey = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
    this.#privateKey = privateKey;
  }

  /** The live room that this key names, as its host's. */
  get liveRoom(): string {
    const hash = createHash("sha512").update("Sealcast live room\0").update(this.#publicKey).digest();
    return hash.subarray(0, 16).toString("base64url");
  }

  join(challenge: Challenge): Up {
    return { type: "join", version: PROTOCOL_VERSION, ...this.#prove(1, challenge), resume: null };
  }

  watch(challenge: Challenge, room: string): Up {
    return { type: "watch", version: PROTOCOL_VERSION, room, ...this.#prove(4, challenge), resume: null };
  }

  host(challenge: Challenge, load: string, link: Door): Up {
    const { door: key, signature } = this.#prove(5, challenge);
    const doors = [link.#publicKey.toString("base64url")];
    return { type: "host", version: PROTOCOL_VERSION, key, signature, load, doors };
  }

  #prove(role: number, { host, nonce }: Challenge): { door: string; signature: string } {
    const numbers = [PROTOCOL_VERSION, role, 0, host.length];
    const head = Buffer.from(`Sealcast door\0${String.fromCharCode(...numbers)}${host}`, "latin1");
    const signed = Buffer.concat([head, this.#publicKey, Buffer.from(nonce, "base64url")]);
    const signature = sign(null, signed, this.#privateKey).toString("base64url");
    return { door: this.#publicKey.toString("base64url"), signature };
  }
}

/** One client, which comes again whenever its socket is lost, after the product's waits. */
class Client {
  readonly #ports: readonly number[];
  /** Of the ports, counted on and on: each socket goes to the next, as behind a balancer. */
  #which: number;
  readonly #entry: Entry;
  #socket: WebSocket | null = null;
  #isIn = false;
  #isDone = false;
  #marked: WebSocket | null = null;
  #tries = 0;
  #changed: () => void = () => undefined;
  hears: (message: Buffer) => void = () => undefined;

  constructor(ports: readonly number[], which: number, entry: Entry) {
    this.#ports = ports;
    this.#which = which;
    this.#entry = entry;
  }

  /** Done once it is in its room. */
  async enter(): Promise<void> {
    this.#open();
    await this.again();
  }

  mark(): void {
    this.#marked = this.#socket;
  }

  /** Its marked socket is lost, and no other is in yet. */
  get isLost(): boolean {
    return !this.#isIn;
  }

  /** Done once it is in its room, over another socket than the marked one. */
  async again(): Promise<void> {
    while (!this.#isIn || this.#socket === this.#marked) {
      await new Promise<void>((changed) => {
        this.#changed = changed;
      });
    }
  }

  speak(due: number): void {
    this.say({ type: "relay", body: bodyOf(due) });
  }

  /** Lost where it is not in at the moment: the servers may have asked it to come again. */
  say(message: Up): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  leave(): void {
    this.#isDone = true;
    this.#socket?.terminate();
  }

  #open(): void {
    const host = hostOf(this.#ports[this.#which++ % this.#ports.length] ?? 0);
    const socket = new WebSocket(`ws://${host}/signal`, { origin: `http://${host}`, perMessageDeflate: false });
    this.#socket = socket;
    socket.on("error", () => undefined);
    socket.on("message", (data: RawData) => this.#receive(data as Buffer, host));
    socket.once("close", () => this.#lost());
  }

  #receive(data: Buffer, host: string): void {
    if (this.#isIn) return this.hears(data);
    const parsed = parseDown(data.toString());
    if (!parsed.ok) throw new Error(`not a message: ${parsed.message}`);
    const answer = this.#entry[parsed.value.type]?.(parsed.value, host);
    if (answer) return this.say(answer);
    if (!ENTERED.has(parsed.value.type)) return;
    this.#isIn = true;
    this.#tries = 1;
    this.#changed();
  }

  #lost(): void {
    this.#isIn = false;
    if (!this.#isDone) setTimeout(() => this.#open(), retryDelay(++this.#tries - 1));
  }
}

function memberOf(door: Door): Entry {
  return {
    challenge: (message, host) => door.join(challengeOf(message, host)),
    joined: () => ({ type: "enter", token: door.token, knockKey: null }),
  };
}

/** Calls `act` at its times, whatever the last call led to; what is late is caught up with at once. */
async function paced(count: number, everyMs: number, act: (due: number, i: number) => void): Promise<void> {
  const since = now();
  for (let i = 0; i < count; ) {
    for (; i < count && since + i * everyMs <= now(); i++) act(since + i * everyMs, i);
    await pause(1);
  }
}

function bodyOf(due: number): string {
  return String(Math.round(due * 1000)).padStart(DIGITS, "0") + "A".repeat(BODY - DIGITS);
}

function dueOf(message: Buffer): number {
  const at = message.indexOf('"body":"') + '"body":"'.length;
  return Number(message.toString("latin1", at, at + DIGITS)) / 1000;
}

function waitsOf(waits: readonly number[], seconds: number): Waits {
  const sorted = Float64Array.from(waits).sort();
  const at = (q: number) => sorted[Math.max(1, Math.ceil(q * sorted.length)) - 1] ?? 0;
  return { seconds, count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}

function challengeOf(message: Down, host: string): Challenge {
  return { host, nonce: message.type === "challenge" ? message.nonce : "" };
}
const now = (): number => performance.now();
const hostOf = (port: number): string => `127.0.0.1:${port}`;
const id = (): string => randomBytes(16).toString("base64url");
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
