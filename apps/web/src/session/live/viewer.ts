import { type FromViewerKeys, LinkStore, LiveViewerKeys, parseLiveLink } from "@sealcast/keys";
import { MediaPool, type Size } from "@sealcast/media";
import { type Breach, type Fault, type ViewerEvent, watchRoom } from "@sealcast/network";
import type { Voice } from "@sealcast/recording";
import { systemClock, TokenBucket } from "@sealcast/time";
import { createStore, type StoreApi } from "zustand/vanilla";
import { EncryptionAudit, NO_FRAMES, PROOF_EVERY_MS, type Samples } from "../audit/encryption-audit.ts";
import { Overload } from "../audit/overload.ts";
import { Repair } from "../audit/repair.ts";
import { PAGE_BUDGETS } from "../budgets.ts";
import { lacking } from "../devices/support.ts";
import { toJson } from "../json.ts";
import { watchPath } from "../link.ts";
import type { Measurable } from "../measuring/measurable.ts";
import { Timing } from "../measuring/timing.ts";
import { decodable } from "../peer/codecs.ts";
import type { Shown } from "../peer/shown.ts";
import type { RecordingStage } from "../recording/consent.ts";
import { NOT_RECORDING, OwnRecording, type RecordingView } from "../recording/recording.ts";
import { spawnMedia, spawnViewerKeys } from "../workers.ts";
import { StreamLatency } from "./latency.ts";
import { type FromHost, type FromViewer, MAX_QUESTION, parseFromHost } from "./messages.ts";
import { type Buffering, Reception } from "./reception.ts";
import type { PlaybackState, ViewerProblem, WatchActions, WatchView } from "./watch-view.ts";

const SERVER_WITHIN_MS = 10_000;
/** One picture and its sound are little work, and each worker takes time to start. */
const WORKERS = 1;
/** For so long after nothing came, signatures may be missing because they were lost on the way, or come late. */
const EXPLAINS_MS = 5_000;

type LinkRead = Awaited<ReturnType<typeof parseLiveLink>>;

export interface OpenWatch {
  store: StoreApi<WatchView>;
  actions: WatchActions;
  /** Done when the server is being asked, or never will be. What is drawn before holds that up. */
  begun: Promise<void>;
  /** For the dashboard; null before there is something to measure. */
  measurable(): Measurable | null;
  close(): void;
}

/**
 * Opens a live stream for somebody who watches. `secret` is the link's fragment, "" after a reload. `host` is what the
 * host is called. The caller closes what it opened.
 */
export function openWatch({ room, secret, host }: { room: string; secret: string; host: string }): OpenWatch {
  const viewer = new Viewer(room, host);
  const begun = viewer.begin(secret);
  return {
    store: viewer.store,
    actions: viewer,
    begun,
    measurable: () => viewer.measurable(),
    close: () => viewer.close(),
  };
}

/**
 * A live stream at one who watches. What happens in it, in order: the link is checked and taken out of the address
 * (`begin`); the keys worker asks the host for the keys, through this page and the server, which see none
 * (`#fromRoom`, `#fromKeys`); the host makes a connection (`#message`), and over it comes what the host sealed and signed;
 * twice a second what the workers did is compared with what the browser played (`#prove`).
 */
class Viewer implements WatchActions {
  readonly store: StoreApi<WatchView>;
  readonly #room: string;
  readonly #host: string;
  readonly #links = new LinkStore();
  readonly #latency = new StreamLatency();
  readonly #overload = new Overload();
  readonly #recording: OwnRecording;
  /** Of this viewer's recording. */
  #stage: RecordingStage | null = null;
  #secret = "";
  readonly #keys: LiveViewerKeys;
  #started: { pool: MediaPool; proof: EncryptionAudit; repair: Repair; timing: Timing } | null = null;
  #signalling: ReturnType<typeof watchRoom> | null = null;
  #iceServers: RTCIceServer[] = [];
  /** As the server says. What it says changes words only. */
  #hostIs: "absent" | "here" | "away" | "ended" | null = null;
  #isWaiting = false;
  #isFull = false;
  #hasEnded = false;
  /** The stream that the keys are of. */
  #stream: string | null = null;
  #rotation: number | null = null;
  #reception: Reception | null = null;
  /** Frames of this connection were decoded. */
  #hasPlayed = false;
  /** Nothing comes now, after something did; and when that last was so, in milliseconds of performance.now(). */
  #isSilent = false;
  #silentAt = Number.NEGATIVE_INFINITY;
  readonly #messages = new TokenBucket(PAGE_BUDGETS.messages, systemClock);
  readonly #connections = new TokenBucket(PAGE_BUDGETS.connections, systemClock);
  readonly #questions = new TokenBucket(PAGE_BUDGETS.questions, systemClock);
  /** The host's page sent too much, or what none sends. */
  #isClosed = false;
  #listens = false;
  #shown: Shown | null = null;
  #proving = false;
  #timers: ReturnType<typeof setInterval>[] = [];
  #closed = false;

  constructor(room: string, host: string) {
    this.#room = room;
    this.#host = host;
    // Before anything is waited for: it takes a while to start.
    this.#keys = new LiveViewerKeys(spawnViewerKeys(), room, (message) => this.#fromKeys(message));
    this.store = createStore<WatchView>(firstView);
    const scene = {
      voices: () => this.#voices(),
      stage: (stage: RecordingStage | null) => {
        this.#stage = stage;
        if (this.#stream !== null) this.#tell({ type: "records", stage });
      },
      changed: (recording: RecordingView) => this.#show({ recording }),
    };
    this.#recording = new OwnRecording(scene, () => import("../recording/recording-parts.ts"));
    globalThis.addEventListener("online", this.#networkChanged);
    globalThis.addEventListener("pagehide", this.#unloading);
  }

  async begin(fragment: string): Promise<void> {
    const secret = fragment === "" ? ((await this.#links.recall(this.#room).catch(() => null)) ?? "") : fragment;
    // Rejects where the browser lacks what it takes to read a link.
    const link = await parseLiveLink(this.#room, secret).catch(() => ({ ok: false, why: "damaged" }) as const);
    if (this.#closed) return;
    if (link.ok) {
      this.#secret = secret;
      this.#enter();
    }
    void this.#makeSure(link);
  }

  async #makeSure(link: LinkRead): Promise<void> {
    const lacks = (await lacking()).filter((lack) => lack !== "devices" && lack !== "locks");
    if (this.#closed) return;
    if (lacks.length > 0) {
      this.#show({ lacks });
      return this.#refuse("browser-unsupported");
    }
    if (!link.ok) return this.#refuse(link.why === "outdated" ? "link-outdated" : "link-damaged");
    void this.#keys.watch(link);
    void this.#hideLink();
  }

  /** The keys worker has begun to ask: until the host answers there is time for another one to start. */
  #start(): void {
    if (this.#started !== null) return;
    const pool = new MediaPool(
      () => spawnMedia(1),
      (port) => this.#keys.post({ type: "media", port }),
      { replaced: () => this.#show({ healed: { what: "worker", who: "" } }), fanOutFailed: () => undefined },
      WORKERS,
    );
    const repair = new Repair({ rejoin: () => this.tryAgain(), healed: (healed) => this.#show({ healed }) });
    this.#started = { pool, proof: new EncryptionAudit(pool), repair, timing: new Timing(pool) };
  }

  /** The link leaves the address once it is kept for the next load. */
  async #hideLink(): Promise<void> {
    await this.#links.keep(this.#room, this.#secret).catch(() => undefined);
    if (!this.#closed) history.replaceState(history.state, "", location.pathname);
  }

  choose(buffering: Buffering): void {
    this.#show({ buffering });
    this.#reception?.buffer(buffering);
  }

  record(title: string): void {
    if (this.store.getState().mayRecord) void this.#recording.start(title);
  }

  pauseRecording(on: boolean): void {
    this.#recording.pause(on);
  }

  stopRecording(): void {
    void this.#recording.stop();
  }

  dismissRecording(): void {
    this.#recording.dismiss();
  }

  listen(on: boolean): void {
    if (on === this.#listens) return;
    this.#listens = on;
    this.#reception?.listen(on);
    this.#recording.follow();
    if (this.#stream !== null) this.#tell({ type: "listens", listens: on });
  }

  hasPicture(): void {
    if (this.#reception === null) return;
    this.#hasPlayed = true;
    this.#stand();
  }

  shows({ width, height }: Size): void {
    this.#shown = { source: "camera", width, height };
    this.#reception?.show(this.#shown);
  }

  ask(question: string): "yes" | "no" | "wait" {
    const text = question.trim().slice(0, MAX_QUESTION);
    if (text === "" || this.#stream === null || this.#hasEnded) return "no";
    if (!this.#questions.tryTake()) return "wait";
    this.#tell({ type: "question", text });
    return "yes";
  }

  tryAgain(): void {
    this.#isClosed = false;
    this.#hangUp();
    this.#hello(true);
  }

  measurable(): Measurable | null {
    if (this.#started === null) return null;
    const { pool, timing } = this.#started;
    const peers = () => (this.#reception === null ? [] : [this.#reception]);
    return { pool, timing, peers, encryption: () => this.store.getState().encryption };
  }

  watchLink(): string {
    return location.origin + watchPath(this.#room, this.#secret);
  }

  close(): void {
    this.#closed = true;
    void this.#recording.stop();
    for (const timer of this.#timers) clearInterval(timer);
    globalThis.removeEventListener("online", this.#networkChanged);
    globalThis.removeEventListener("pagehide", this.#unloading);
    this.#reception?.close();
    this.#signalling?.close();
    this.#keys.close();
    this.#started?.pool.close();
  }

  #enter(): void {
    const url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/signal`;
    this.#signalling = watchRoom(url, this.#room, {
      challenge: (nonce) => this.#keys.post({ type: "room", event: { type: "challenge", nonce } }),
      event: (event) => this.#fromRoom(event),
      status: (signalling) => this.#show({ signalling }),
      unreadable: () => this.#started?.proof.drop("unreadable"),
      fault: (fault) => this.#faulted(fault),
    });
    this.#timers.push(setInterval(() => void this.#prove(), PROOF_EVERY_MS));
    this.#timers.push(setTimeout(() => this.#stillOpening(), SERVER_WITHIN_MS));
  }

  #fromRoom(event: ViewerEvent): void {
    if (event.type === "watching") {
      this.#hostIs = event.host;
      this.#show({ refusal: null });
      if (event.stunPort !== null) this.#iceServers = [{ urls: `stun:${location.hostname}:${event.stunPort}` }];
    } else if (event.type === "host-is") this.#hostIs = event.is === "back" ? "here" : event.is;
    this.#keys.post({ type: "room", event });
    this.#stand();
  }

  #fromKeys(message: Exclude<FromViewerKeys, { type: "keep" }>): void {
    switch (message.type) {
      case "to-room":
        return this.#toRoom(message.message);
      case "waiting":
        this.#isWaiting = true;
        return this.#stand();
      case "watching":
        return this.#watch(message.stream);
      case "rotated":
        this.#rotation = message.rotation;
        return;
      case "message":
        return this.#message(message.body);
      case "ended":
        this.#hasEnded = true;
        this.#stream = null;
        this.#recordings({ host: null, viewersMay: false });
        return this.#hangUp();
      case "refused":
        return this.#refuse(message.why);
      case "dropped":
        return this.#started?.proof.drop(message.what);
    }
  }

  #toRoom(message: Extract<FromViewerKeys, { type: "to-room" }>["message"]): void {
    if (message.type === "watch") return this.#signalling?.enter(message);
    this.#start();
    this.#signalling?.send(message);
  }

  /** The host answered. Of another load of the host's page, nothing of the last one is of use. */
  #watch(stream: string): void {
    if (stream !== this.#stream) {
      this.#hangUp();
      this.#recordings({ host: null, viewersMay: false });
    }
    this.#stream = stream;
    this.#isWaiting = false;
    this.#hasEnded = false;
    this.#hello(this.#reception?.state !== "connected");
    this.#stand();
  }

  #hello(fresh: boolean): void {
    this.#tell({ type: "hello", decodes: decodable(), fresh, listens: this.#listens });
    if (this.#stage !== null) this.#tell({ type: "records", stage: this.#stage });
  }

  #message(body: Uint8Array): void {
    if (!this.#isClosed && this.#messages.take() < 0) this.#breached("flood");
    const message = this.#isClosed ? null : parseFromHost(body);
    if (message === null) return;
    if (message.type === "sends") return this.#show({ picture: message.picture, sound: message.sound });
    if (message.type === "recordings") return this.#recordings(message);
    this.#isFull = message.type === "full";
    if (message.type === "signal") this.#receive(message);
    this.#stand();
  }

  /** A recording that the host no longer allows ends; what was recorded until then is kept. */
  #recordings({ host, viewersMay }: Pick<Extract<FromHost, { type: "recordings" }>, "host" | "viewersMay">): void {
    this.#show({ hostRecords: host, mayRecord: viewersMay });
    if (!viewersMay) void this.#recording.stop();
  }

  /** What is played here, while the host allows it. */
  #voices(): Voice[] {
    const { mayRecord, stream, standing, picture } = this.store.getState();
    if (!mayRecord || standing !== "playing") return [];
    const [video = null] = picture ? stream.getVideoTracks() : [];
    const [audio = null] = stream.getAudioTracks();
    return [{ id: "host", name: this.#host, video, audio }];
  }

  /** What the host says comes in its order: the connection that was offered last is the one that counts. */
  #receive({ link, signal }: Extract<FromHost, { type: "signal" }>): void {
    const isOffer = signal.type === "description" && signal.description.type === "offer";
    if (isOffer && link !== this.#reception?.id) {
      if (this.#connections.take() < 0) return this.#breached("flood");
      this.#meet(link);
    }
    if (link === this.#reception?.id) this.#reception.link.receive(signal);
  }

  #meet(link: string): void {
    if (this.#started === null) return;
    this.#hangUp();
    const { pool, timing } = this.#started;
    const reception = new Reception(this.#host, link, {
      iceServers: this.#iceServers,
      pool,
      buffering: this.store.getState().buffering,
      listens: this.#listens,
      shown: this.#shown,
      signal: (signal) => this.#tell({ type: "signal", link, signal }),
      timing: (body) => timing.heard(reception, body),
      breached: (breach) => this.#breached(breach),
      addressRefused: () => this.#started?.proof.drop("address"),
      changed: () => this.#linked(reception),
    });
    this.#reception = reception;
    this.#show({ stream: reception.stream });
  }

  /** Nothing more is taken from the host's page until the person tries again. */
  #breached(breach: Breach): void {
    this.#isClosed = true;
    this.#started?.proof.drop(breach);
    this.#hangUp();
  }

  #linked(reception: Reception): void {
    if (reception !== this.#reception) return;
    // Of a picture that nobody vouches for nothing stays on the screen.
    if (reception.isForged) this.#show({ stream: new MediaStream() });
    this.#restore(reception);
    this.#stand();
  }

  /** Signatures were lost with the way, or may have been: what comes now is judged anew on a fresh connection. */
  #restore(reception: Reception): void {
    if (reception.state !== "connected" || !reception.isForged || this.#isSilent) return;
    if (this.#isExplained(reception)) this.tryAgain();
  }

  #isExplained({ wasLost }: Reception): boolean {
    return wasLost || performance.now() - this.#silentAt < EXPLAINS_MS;
  }

  #hangUp(): void {
    this.#reception?.close();
    this.#reception = null;
    this.#hasPlayed = false;
    this.#isSilent = false;
    this.#silentAt = Number.NEGATIVE_INFINITY;
    this.#show({ stream: new MediaStream(), latency: null });
    this.#stand();
  }

  #tell(message: FromViewer): void {
    this.#keys.post({ type: "send", body: toJson(message) });
  }

  readonly #networkChanged = (): void => this.#reception?.link.restart();

  readonly #unloading = (): void => this.#signalling?.close();

  async #prove(): Promise<void> {
    if (this.#started === null || this.#proving) return;
    const { proof, repair } = this.#started;
    this.#proving = true;
    const reception = this.#reception;
    const { samples, fanOuts } = await proof.sample(reception === null ? [] : [reception]).finally(() => {
      this.#proving = false;
    });
    if (this.#closed || reception !== this.#reception) return;
    this.#hasPlayed ||= hasPlayed(samples);
    this.#isSilent = this.#hasPlayed && this.#isSent && isSilent(samples);
    if (this.#isSilent) this.#silentAt = performance.now();
    const overloaded = this.#overload.examine({ samples, fanOuts });
    this.#show({ encryption: proof.judge(samples, fanOuts, this.#rotation), overloaded });
    if (reception !== null) this.#show({ latency: await this.#latency.of(reception.link.connection) });
    if (reception?.isForged === true) this.#restore(reception);
    else repair.examine(samples, 0);
    this.#stand();
  }

  #stillOpening(): void {
    if (this.store.getState().standing === "opening") this.#refuse("server-unreachable");
  }

  /** Only what the host sealed ends anything here: the stream plays on, and the server is tried again. */
  #faulted({ code }: Fault): void {
    this.#show({ refusal: code === "room-full" ? "full" : code === "refused-door" ? "unknown-link" : "other" });
    this.#stand();
  }

  #refuse(problem: ViewerProblem): void {
    if (this.store.getState().problem !== null) return;
    this.#show({ problem, stream: new MediaStream() });
    this.close();
    this.#stand();
  }

  #stand(): void {
    this.#show({ standing: this.#standing() });
    this.#recording.follow();
  }

  #standing(): PlaybackState {
    const { problem, refusal } = this.store.getState();
    if (problem !== null) return "refused";
    if (this.#hostIs === null) return refusal === null || refusal === "other" ? "opening" : refusal;
    if (this.#hasEnded) return "ended";
    if (this.#isClosed) return "closed";
    const reception = this.#reception;
    if (reception !== null && this.#stream !== null) {
      if (reception.state === "connected") {
        if (reception.isForged && !this.#isExplained(reception)) return "forged";
        if (reception.isForged || this.#isSilent) return this.#hostIs === "here" ? "reconnecting" : "away";
        return this.#hasPlayed || !this.#isSent ? "playing" : "connecting";
      }
      if (this.#hostIs === "here") return this.#hasPlayed ? "reconnecting" : "connecting";
    }
    if (this.#hostIs === "absent") return "not-started";
    if (this.#hostIs !== "here") return this.#hostIs;
    return this.#isWaiting ? "waiting" : this.#isFull ? "full" : "connecting";
  }

  /** Whether the host sends anything to this page now. */
  get #isSent(): boolean {
    const { picture, sound } = this.store.getState();
    return picture || (sound && this.#listens);
  }

  #show(change: Partial<WatchView>): void {
    this.store.setState(change);
  }
}

function hasPlayed(samples: Samples["samples"]): boolean {
  return samples.some(
    ([{ line, passed, counted }]) => passed > 0 && (line.kind === "audio" || (counted.after ?? 0) > 0),
  );
}

/** In the last second nothing came to any transform. */
function isSilent(samples: Samples["samples"]): boolean {
  return samples.every(([now, before]) => before !== null && now.report?.came === before.report?.came);
}

function firstView(): WatchView {
  return {
    standing: "opening",
    problem: null,
    lacks: [],
    stream: new MediaStream(),
    picture: true,
    sound: true,
    encryption: NO_FRAMES,
    overloaded: false,
    signalling: "reconnecting",
    refusal: null,
    latency: null,
    buffering: "lowest",
    hostRecords: null,
    mayRecord: false,
    recording: NOT_RECORDING,
    canBuffer: "jitterBufferTarget" in RTCRtpReceiver.prototype,
    healed: null,
  };
}
