import { fromBase64url, fromHex, toBase64url, toHex } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import {
  atMostEvery,
  type Cancel,
  type Clock,
  dropOldest,
  milli,
  type Rate,
  SerialQueue,
  TokenBucket,
} from "@sealcast/time";
import type { FromHostKeys, HostDrop, LiveToHost, ToHostKeys, ViewerChange } from "../../shared/live-messages.ts";
import type { Identity } from "../identity/identity.ts";
import { MediaKeys } from "../media-keys.ts";
import { MAX_BODY } from "../plaintext.ts";
import type { AdmissionState, LiveAdmission } from "./admission.ts";
import { type DirectionKeys, sealAnswer } from "./answer.ts";
import { type Ask, LIVE_TYPES, pskOf, RESUME_ID_SIZE, sealWord, type Word } from "./ask.ts";
import { LiveAsks } from "./asks.ts";
import { type ChannelContent, LiveChannel } from "./channel.ts";
import { LiveDeparted } from "./departed.ts";
import { LiveOutbox } from "./outbox.ts";
import { type LiveStream, signingContext } from "./stream.ts";
import { LiveWatchers } from "./watchers.ts";

const ROTATE_EVERY = milli(10 * 60_000);
/** From an answer to the proof that the viewer opened it. */
const PROVE_WITHIN = milli(10_000);
/** Page messages about viewers: at most ten a second. */
const CHANGES_EVERY = milli(100);
/** A viewer who is not there after the host came back: the server forgets one after 60 s. */
const FORGET_AFTER = milli(75_000);
/** Dismissed sessions that are remembered until the server says that they are gone: as many as a room has. */
const MOST_DISMISSED = 5_000;
/** Records sealed at a time in a rotation: what else there is to do comes in between. */
const ROTATION_BATCH = 128;

/** Records of one viewer: 64 messages said again (see `LiveChannel`) with as many acknowledgements, and more a second than a page says. */
const RECORDS: Rate = { burst: 128, perSecond: 16 };

/** A viewer who was answered. */
interface Watcher {
  readonly nonce: string;
  readonly resumeId: Uint8Array;
  readonly channel: LiveChannel;
  /** The same however often the session asks. */
  readonly records: TokenBucket;
  /** Sent again until the viewer proves that they opened it: before that they get no key. */
  answer: Uint8Array | null;
  /** They were given a key of the stream, maybe over an earlier channel. */
  hasKeys: boolean;
  isAway: boolean;
}

export interface LiveHostOptions {
  readonly identity: Identity;
  readonly admission: LiveAdmission;
  readonly stream: LiveStream;
  /** The server's name as the page's address has it, with its port, in lower case. */
  readonly server: string;
  readonly clock: Clock;
  /** Seconds since 1970. */
  readonly seconds: () => bigint;
  /** Gets everything for the page, in order. */
  readonly tell: (message: FromHostKeys) => void;
}

type Command = Exclude<ToHostKeys, { type: "host" }>;

/** The host of one live stream: admits viewers, gives them the stream's keys, and changes these. */
export class LiveHost {
  readonly #options: LiveHostOptions;
  readonly #mediaKeys: MediaKeys;
  readonly #outbox: LiveOutbox;
  /** Sessions at the server. */
  #present = new Set<string>();
  readonly #watchers = new LiveWatchers<Watcher>();
  readonly #departed = new LiveDeparted();
  readonly #asks: LiveAsks;
  /** Sessions that were answered and have proved nothing, and what stops their time. */
  readonly #unproven = new Map<string, Cancel>();
  /** Sessions of whose end the server has not said anything: with a lost socket the dismissal may be lost. */
  readonly #dismissed = new Set<string>();
  /** Watchers who have not acknowledged the present rotation. */
  #behind = new Set<string>();
  #changes = new Map<string, ViewerChange["is"]>();
  readonly #changesSoon: () => void;
  #cancelRotation: Cancel = () => undefined;
  readonly #commands = new SerialQueue();
  #isOver = false;

  static async start(options: LiveHostOptions): Promise<LiveHost> {
    const host = new LiveHost(options);
    const { admission, stream, tell } = options;
    const context = signingContext(admission.room, stream.id);
    host.#mediaKeys.sign({ key: stream.privateSigningKey, context });
    host.#mediaKeys.enter(await stream.keys(), "start");
    host.#scheduleRotation();
    host.#keep();
    tell({ type: "hosting", room: admission.room, fragment: await admission.fragment() });
    return host;
  }

  private constructor(options: LiveHostOptions) {
    this.#options = options;
    this.#mediaKeys = new MediaKeys(options.clock);
    this.#changesSoon = atMostEvery(options.clock, CHANGES_EVERY, () => this.#tellChanges());
    const { admission, clock, seconds } = options;
    this.#asks = new LiveAsks({
      ...{ admission, clock, seconds },
      isAnswered: (viewer, nonce) => this.#isAnswered(viewer, nonce),
      admit: (viewer, ask, standing, generation) => this.#admit(viewer, ask, standing, generation),
      say: (viewer, ask, standing, word) => this.#say(viewer, ask, standing, word),
      isAdmitted: (viewer) => this.#watchers.has(viewer) || this.#hasKeys(viewer),
      end: (viewer) => this.#endSession(viewer),
      waits: (viewer) => this.#changed(viewer, "waiting"),
      refuse: (what) => this.#refuse(what),
    });
    this.#outbox = new LiveOutbox(options.clock, (message) => {
      this.#toRoom(message);
      if (message.type === "deliver") for (const viewer of message.accept) this.#awaitProof(viewer);
    });
  }

  /** Resolves when the message was dealt with. */
  receive(message: Command): Promise<void> {
    // Asks and records do not wait for commands, nor these for them: a removal takes effect while thousands ask.
    if (message.type === "room") return this.#hear(message.event);
    return this.#queue(() => this.#obey(message));
  }

  #queue(task: () => Promise<void> | void): Promise<void> {
    return this.#commands.run(() => (this.#isOver ? undefined : task()));
  }

  #obey(message: Exclude<Command, { type: "room" }>): Promise<void> | void {
    switch (message.type) {
      case "media":
        return this.#mediaKeys.attach(message.port);
      case "counters":
        return this.#options.stream.sealed(message.floors);
      case "send":
        return this.#send(message.to, message.body);
      case "remove":
        return this.#remove(message.viewers);
      case "admit":
        return this.#decide(message.viewer, message.yes);
      case "end":
        return this.#end();
    }
  }

  async #hear(event: LiveToHost): Promise<void> {
    if (this.#isOver) return;
    switch (event.type) {
      case "challenge":
        return this.#challenged(event.nonce);
      case "hosting":
        return this.#rejoined(new Set(event.viewers));
      case "viewer":
        this.#checkDismissal(event.viewer, event.is);
        return this.#moved(event.viewer, event.is);
      case "told":
        return this.#told(event.from, fromBase64url(event.body) ?? new Uint8Array());
    }
  }

  async #challenged(nonce: string): Promise<void> {
    const { admission, stream, server } = this.#options;
    const proof = await admission.prove({ nonce, host: server });
    const doors = await admission.doors();
    this.#toRoom({ type: "host", nonce, ...proof, load: toBase64url(stream.id), doors });
  }

  /** What was said while the host's socket was down is lost: it goes again. */
  #rejoined(present: Set<string>): void {
    this.#present = present;
    for (const viewer of present) this.#checkDismissal(viewer, "back");
    for (const viewer of this.#watchers.keys()) {
      if (present.has(viewer)) this.#moved(viewer, "back");
      else this.#missing(viewer);
    }
  }

  #checkDismissal(viewer: string, is: "here" | "away" | "back" | "gone"): void {
    if (is === "gone") this.#dismissed.delete(viewer);
    else if (is === "back" && this.#dismissed.has(viewer)) this.#sayDismissed(viewer);
  }

  #missing(viewer: string): void {
    this.#moved(viewer, "away");
    this.#options.clock.after(FORGET_AFTER, () => {
      if (!this.#present.has(viewer)) this.#moved(viewer, "gone");
    });
  }

  #moved(viewer: string, is: "here" | "away" | "back" | "gone"): void {
    if (is === "gone") return this.#gone(viewer);
    if (is !== "away") this.#present.add(viewer);
    const watcher = this.#watchers.get(viewer);
    if (watcher === undefined) return;
    watcher.isAway = is === "away";
    if (watcher.answer === null) this.#changed(viewer, watcher.isAway ? "away" : "watching");
    if (is === "back") watcher.channel.resend();
    if (is === "away") this.#hasRotation(viewer);
  }

  /** As the server says. */
  #gone(viewer: string): void {
    const watcher = this.#watchers.get(viewer);
    if (watcher !== undefined) this.#leaves(viewer, watcher);
    else if (this.#asks.isWaiting(viewer)) this.#changed(viewer, "gone");
    this.#outbox.forget(viewer);
    this.#forget(viewer);
  }

  /** Not by the host's doing: who has the key can still be removed. */
  #leaves(viewer: string, { resumeId, hasKeys }: Watcher): void {
    this.#changed(viewer, hasKeys && !this.#watchers.isElsewhere(viewer, resumeId) ? "departed" : "left");
    if (!hasKeys) return;
    const earlier = this.#departed.add(viewer, toHex(resumeId));
    if (earlier !== null) this.#changed(earlier, "left");
    const isFull = () => this.#departed.isFull(this.#watchers.size);
    if (isFull()) void this.#queue(() => (isFull() ? this.#rotate("rotation") : undefined));
  }

  /** As the host says. */
  #dismiss(viewer: string): void {
    this.#sayDismissed(viewer);
    this.#changed(viewer, "gone");
    this.#forget(viewer);
  }

  #sayDismissed(viewer: string): void {
    this.#outbox.dismiss(viewer);
    this.#dismissed.add(viewer);
    dropOldest(this.#dismissed, MOST_DISMISSED);
  }

  #forget(viewer: string): void {
    this.#present.delete(viewer);
    this.#asks.forget(viewer);
    this.#drop(viewer);
  }

  #drop(viewer: string): void {
    this.#watchers.get(viewer)?.channel.close();
    this.#watchers.delete(viewer);
    this.#stopProof(viewer);
    this.#hasRotation(viewer);
  }

  /** From when their answer leaves: it may wait behind others'. Their time runs on however often they ask. */
  #awaitProof(viewer: string): void {
    if (this.#unproven.has(viewer) || !this.#watchers.get(viewer)?.answer) return;
    this.#unproven.set(
      viewer,
      this.#options.clock.after(PROVE_WITHIN, () => this.#endSession(viewer)),
    );
  }

  /** Who has the key has it for as long as it counts: they leave, and can be removed. */
  #endSession(viewer: string): void {
    if (!this.#hasKeys(viewer)) return this.#dismiss(viewer);
    this.#sayDismissed(viewer);
    this.#gone(viewer);
  }

  #hasKeys(viewer: string): boolean {
    return this.#watchers.get(viewer)?.hasKeys ?? this.#departed.resumeIdOf(viewer) !== null;
  }

  #stopProof(viewer: string): void {
    this.#unproven.get(viewer)?.();
    this.#unproven.delete(viewer);
  }

  #told(viewer: string, body: Uint8Array): Promise<void> | void {
    if (body[0] === LIVE_TYPES.record) return this.#record(viewer, body);
    // One that is to end is not answered again before it has.
    if (body[0] !== LIVE_TYPES.ask || this.#dismissed.has(viewer) || !this.#asks.takes(viewer)) return;
    this.#present.add(viewer);
    return this.#asks.hear(viewer, body);
  }

  async #record(viewer: string, body: Uint8Array): Promise<void> {
    const watcher = this.#watchers.get(viewer);
    if (watcher === undefined) return;
    // Each costs an acknowledgement; what an honest viewer says comes again.
    if (!watcher.records.tryTake()) return this.#refuse("bad-record");
    const isTheirs = await watcher.channel.receive(body);
    if (this.#watchers.get(viewer) !== watcher) return;
    if (!isTheirs) return this.#refuse("bad-record");
    if (watcher.answer === null) return;
    watcher.answer = null;
    watcher.hasKeys = true;
    this.#stopProof(viewer);
    const earlier = this.#departed.sessionOf(toHex(watcher.resumeId));
    if (earlier !== null) this.#changed(earlier, "left");
    this.#changed(viewer, "watching");
    await this.#giveKeys(viewer, watcher, false);
  }

  #isAnswered(viewer: string, nonce: string): boolean {
    const known = this.#watchers.get(viewer);
    if (known?.nonce !== nonce) return false;
    if (known.answer !== null && !this.#outbox.isAnswering(viewer)) this.#outbox.push(viewer, known.answer, "answer");
    return true;
  }

  async #say(viewer: string, { nonce }: Ask, { secret }: AdmissionState, word: Word): Promise<void> {
    const { identity, admission } = this.#options;
    this.#outbox.push(viewer, await sealWord(identity, { secret, room: admission.room, nonce }, word));
  }

  #decide(viewer: string, yes: boolean): void {
    for (const each of this.#asks.decide(viewer, yes)) this.#changed(each, "gone");
  }

  /** False: a removal came between, and the ask is to be judged again. `generation`: as it was when it was judged. */
  async #admit(viewer: string, ask: Ask, { secret }: AdmissionState, generation: number): Promise<boolean> {
    const { admission, identity, stream } = this.#options;
    const psk = pskOf(ask, secret);
    const asked = { room: admission.room, nonce: ask.nonce, viewerKey: ask.viewerKey, psk };
    const answer = await sealAnswer(identity, asked, stream.grant);
    if (answer === null) {
      this.#refuse("bad-ask");
      return true;
    }
    const channel = await this.#openChannel(viewer, answer.keys);
    const isGone = !this.#present.has(viewer) || this.#isOver;
    const isCurrent = admission.generation === generation;
    if (isGone || !isCurrent) channel.close();
    else this.#answer(viewer, ask, channel, answer.body);
    return isGone || isCurrent;
  }

  #answer(viewer: string, ask: Ask, channel: LiveChannel, answer: Uint8Array): void {
    const known = this.#watchers.get(viewer);
    if (known === undefined) this.#changed(viewer, "answered");
    known?.channel.close();
    // One for a session, however often it asks.
    const held = this.#resumeIdOf(viewer);
    const own = (held === null ? null : fromHex(held)) ?? random(RESUME_ID_SIZE);
    const resumeId = ask.kind === "resume" ? ask.resumeId.slice() : own;
    const hasKeys = this.#hasKeys(viewer);
    const records = known?.records ?? new TokenBucket(RECORDS, this.#options.clock);
    if (known === undefined && held !== null) this.#departed.forget(held);
    this.#watchers.set(viewer, { nonce: toHex(ask.nonce), resumeId, channel, records, answer, hasKeys, isAway: false });
    // Nothing of the channel before is of use any more.
    this.#outbox.forget(viewer);
    this.#outbox.push(viewer, answer, "answer");
  }

  #openChannel(viewer: string, { toViewer, toHost }: DirectionKeys): Promise<LiveChannel> {
    return LiveChannel.open({
      clock: this.#options.clock,
      sealKey: toViewer,
      openKey: toHost,
      transmit: (body, isUrgent) => this.#outbox.push(viewer, body, isUrgent ? "urgent" : "other"),
      isHeldUp: () => this.#outbox.isWaiting(viewer),
      deliver: (content) => {
        if (content.type === "message") this.#options.tell({ type: "message", from: viewer, body: content.body });
      },
      idle: () => this.#hasRotation(viewer),
    });
  }

  async #send(viewer: string, body: Uint8Array): Promise<void> {
    if (body.length > MAX_BODY) throw new RangeError(`a message of ${body.length} bytes: at most ${MAX_BODY}`);
    const watcher = this.#watchers.get(viewer);
    if (watcher !== undefined) await this.#sendTo(viewer, watcher, { type: "message", body });
  }

  /** Anyone who is too far behind asks again. */
  async #sendTo(viewer: string, watcher: Watcher, content: ChannelContent): Promise<void> {
    if (await watcher.channel.send(content)) return;
    if (this.#watchers.get(viewer) !== watcher) return;
    this.#leaves(viewer, watcher);
    this.#drop(viewer);
  }

  /** Also those who are gone meanwhile: they have the link, and may have the key. */
  async #remove(viewers: readonly string[]): Promise<void> {
    const ids = new Set(viewers.flatMap((viewer) => this.#resumeIdOf(viewer) ?? []));
    const removed = [...this.#watchers].filter(([viewer]) => ids.has(this.#resumeIdOf(viewer) ?? ""));
    const departed = [...ids].flatMap((id) => this.#departed.sessionOf(id) ?? []);
    const { admission, tell } = this.#options;
    for (const id of ids) this.#departed.forget(id);
    for (const [viewer] of removed) this.#watchers.delete(viewer);
    // An answer that nobody has opened yet could be one that was put by.
    const unproven = [...this.#unproven.keys()].filter((viewer) => this.#watchers.has(viewer));
    for (const id of ids) admission.remove(id);
    admission.replaceLink();
    this.#asks.linkReplaced();
    for (const viewer of unproven) this.#dismiss(viewer);
    const rotated = this.#rotate("removal");
    this.#keep();
    this.#toRoom({ type: "doors", doors: await admission.doors() });
    tell({ type: "link", fragment: await admission.fragment() });
    await this.#farewell(removed, "removed");
    for (const viewer of new Set([...viewers, ...departed, ...removed.map(([each]) => each)])) this.#dismiss(viewer);
    await rotated;
  }

  /** In hex. */
  #resumeIdOf(viewer: string): string | null {
    const watcher = this.#watchers.get(viewer);
    return watcher === undefined ? this.#departed.resumeIdOf(viewer) : toHex(watcher.resumeId);
  }

  async #farewell(watchers: readonly [string, Watcher][], why: "removed" | "ended"): Promise<void> {
    await Promise.all(watchers.map(([, { channel }]) => channel.send({ type: "farewell", why })));
    for (const [, { channel }] of watchers) channel.close();
  }

  async #rotate(step: "rotation" | "removal"): Promise<void> {
    const { stream, tell } = this.#options;
    stream.rotate();
    this.#scheduleRotation();
    const { rotation } = stream;
    const watchers = [...this.#watchers].filter(([, { answer }]) => answer === null);
    this.#behind = new Set(watchers.flatMap(([viewer, { isAway }]) => (isAway ? [] : [viewer])));
    const here = new Set(watchers.map(([, { resumeId }]) => toHex(resumeId)));
    for (const viewer of this.#departed.outlive(here)) this.#changed(viewer, "left");
    this.#mediaKeys.enter(await stream.keys(), step);
    tell({ type: "rotated", rotation });
    for (let at = 0; at < watchers.length; at += ROTATION_BATCH) {
      const batch = watchers.slice(at, at + ROTATION_BATCH);
      await Promise.all(batch.map(([viewer, watcher]) => this.#giveKeys(viewer, watcher, step === "removal")));
    }
    this.#settleRotation();
  }

  async #giveKeys(viewer: string, watcher: Watcher, removal: boolean): Promise<void> {
    const { admission, stream } = this.#options;
    const { rotation } = stream;
    const resume = await admission.resume(watcher.resumeId);
    // A rotation that comes between gives its own.
    if (stream.rotation === rotation) await this.#sendTo(viewer, watcher, stream.keysFor(resume, removal));
  }

  #hasRotation(viewer: string): void {
    if (this.#behind.delete(viewer)) this.#settleRotation();
  }

  #settleRotation(): void {
    if (this.#behind.size === 0) this.#mediaKeys.acknowledged(this.#options.stream.rotation);
  }

  #scheduleRotation(): void {
    this.#cancelRotation();
    this.#cancelRotation = this.#options.clock.after(ROTATE_EVERY, () => {
      void this.#queue(() => this.#rotate("rotation"));
    });
  }

  async #end(): Promise<void> {
    this.#isOver = true;
    this.#cancelRotation();
    for (const stop of this.#unproven.values()) stop();
    this.#asks.clear();
    await this.#farewell([...this.#watchers], "ended");
    this.#outbox.flush();
    this.#toRoom({ type: "end" });
    this.#mediaKeys.clear();
  }

  #changed(viewer: string, is: ViewerChange["is"]): void {
    this.#changes.delete(viewer);
    this.#changes.set(viewer, is);
    this.#changesSoon();
  }

  #tellChanges(): void {
    const changes = [...this.#changes].map(([viewer, is]) => ({ viewer, is }));
    this.#changes = new Map();
    this.#options.tell({ type: "viewers", changes });
  }

  #keep(): void {
    const { admission, tell } = this.#options;
    tell({ type: "keep", room: admission.room, state: admission.encode() });
  }

  #toRoom(message: Extract<FromHostKeys, { type: "to-room" }>["message"]): void {
    this.#options.tell({ type: "to-room", message });
  }

  #refuse(what: HostDrop): void {
    this.#options.tell({ type: "dropped", what });
  }
}
