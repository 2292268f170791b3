import { type FromHostKeys, LiveHostKeys, type ViewerChange } from "@sealcast/keys";
import { MediaPool } from "@sealcast/media";
import { type Breach, type Fault, hostRoom } from "@sealcast/network";
import { systemClock, TokenBucket } from "@sealcast/time";
import { createStore, type StoreApi } from "zustand/vanilla";
import { EncryptionAudit, NO_FRAMES, PROOF_EVERY_MS } from "../audit/encryption-audit.ts";
import { Overload } from "../audit/overload.ts";
import { PacketSizeLeakCheck } from "../audit/packet-size-leak-check.ts";
import { Repair } from "../audit/repair.ts";
import { PAGE_BUDGETS } from "../budgets.ts";
import type { DeviceKind } from "../devices/local.ts";
import { LocalMedia } from "../devices/local.ts";
import { lacking } from "../devices/support.ts";
import { toJson } from "../json.ts";
import { watchPath } from "../link.ts";
import type { Measurable } from "../measuring/measurable.ts";
import { Timing } from "../measuring/timing.ts";
import { CodecChoice } from "../peer/codec-choice.ts";
import { decodable } from "../peer/codecs.ts";
import { EncodeOnce } from "../peer/encode-once.ts";
import type { RecordingStage } from "../recording/consent.ts";
import { NOT_RECORDING, OwnRecording, type RecordingView } from "../recording/recording.ts";
import { spawnHostKeys, spawnMedia } from "../workers.ts";
import type { HostActions, HostProblem, HostView, ViewerEntry } from "./host-view.ts";
import { type FromHost, type FromViewer, parseFromViewer } from "./messages.ts";
import { type PictureSource, StreamVideo } from "./picture.ts";
import { MOST_VIEWERS, placeFor } from "./places.ts";
import { PRESETS, type Quality } from "./preset.ts";
import { Questions } from "./questions.ts";
import { StreamSound } from "./sound.ts";
import { Watcher } from "./watcher.ts";

const SERVER_WITHIN_MS = 10_000;
/** Viewers are told that the stream ended; they find out anyway. */
const GOODBYE_WITHIN_MS = 1_000;
/** Of sound in a packet, whoever watches: a length that follows how many do would tell each of them. */
const PACKET_MS = 40;
/** A connection that waits for somebody is replaced after so long: its addresses may be out of date. */
const SPARE_LIFE_MS = 5 * 60_000;
/** A page that another one has replaced ends once no viewer was connected for so long: a connection may come back. */
const UNWATCHED_MS = 15_000;

interface Started {
  readonly keys: LiveHostKeys;
  readonly pool: MediaPool;
  readonly proof: EncryptionAudit;
  readonly repair: Repair;
  readonly timing: Timing;
}

/** A viewer whom the keys worker or a message of theirs has made known. */
interface Known {
  readonly number: number;
  is: ViewerChange["is"];
  /** They have opened the host's answer, as their channel shows. */
  isProven: boolean;
  /** Null until their page has said that it is ready. */
  decodes: string[] | null;
  /** Whether their page plays the sound now: to one that does not, none is sent. */
  listens: boolean;
  /** Their page says that it records. */
  records: boolean;
  readonly messages: TokenBucket;
  readonly connections: TokenBucket;
  /** Why this page closed the connection to them, and makes no other. */
  breach: Breach | null;
}

export interface OpenHost {
  store: StoreApi<HostView>;
  actions: HostActions;
  /** For the dashboard; null before there is something to measure. */
  measurable(): Measurable | null;
  close(): void;
}

interface Opening {
  /** That newLivePath made. */
  room: string;
  /** What a viewer is called. */
  name: (number: number) => string;
  hidesSpeech: boolean;
}

/** Opens the host's page. The caller closes it. */
export function openHost({ room, name, hidesSpeech }: Opening): OpenHost {
  const host = new Host(room, name, hidesSpeech);
  void host.prepare();
  return { store: host.store, actions: host, measurable: () => host.measurable(), close: () => host.close() };
}

/**
 * A live stream at its host, from lobby to end. What happens in it, in order: keys and devices are got ready (`prepare`);
 * the room is opened (`goLive`); the keys worker admits viewers through this page, which sees no key (`#fromKeys`); each
 * gets a connection that carries the sealed and signed picture (`#send`); and twice a second what the workers did is
 * compared with what the browser sent (`#prove`).
 */
class Host implements HostActions {
  readonly store: StoreApi<HostView>;
  readonly #room: string;
  readonly #name: (number: number) => string;
  readonly #local: LocalMedia;
  readonly #picture: StreamVideo;
  readonly #sound = new StreamSound();
  readonly #preview = new MediaStream();
  readonly #speech = new PacketSizeLeakCheck();
  readonly #overload = new Overload();
  readonly #encoding = new EncodeOnce(() => this.#spread());
  readonly #codecs = new CodecChoice(systemClock, () => this.#pickCodec());
  readonly #questions = new Questions(systemClock);
  readonly #recording: OwnRecording;
  #stage: RecordingStage | null = null;
  readonly #known = new Map<string, Known>();
  readonly #watchers = new Map<string, Watcher>();
  /** The connection of whoever comes next, with its offer ready. */
  #spare: Watcher | null = null;
  #started: Started | null = null;
  /** The sound that goes out. */
  #heard: MediaStreamTrack | null = null;
  #fragment = "";
  #signalling: ReturnType<typeof hostRoom> | null = null;
  #iceServers: RTCIceServer[] = [];
  #rotation: number | null = null;
  #numbers = 0;
  /** When a viewer was last connected, in milliseconds of performance.now(). */
  #watchedAt = Number.NEGATIVE_INFINITY;
  #proving = false;
  #timers: ReturnType<typeof setInterval>[] = [];
  #closed = false;

  constructor(room: string, name: Opening["name"], hidesSpeech: boolean) {
    this.#room = room;
    this.#name = name;
    this.#local = new LocalMedia(() => this.#picture.setCamera(this.#local.track("camera")));
    this.#picture = new StreamVideo(PRESETS.smooth.shape, () => this.#mediaChanged());
    this.store = createStore<HostView>(() => ({
      ...firstView(this.#local, this.#picture, this.#preview),
      hidesSpeech,
    }));
    const scene = {
      voices: () => [{ id: "host", name: "", video: this.#picture.track, audio: this.#heard }],
      stage: (stage: RecordingStage | null) => {
        this.#stage = stage;
        this.#tellAll(this.#recordings());
      },
      changed: (recording: RecordingView) => this.#show({ recording }),
    };
    this.#recording = new OwnRecording(scene, () => import("../recording/recording-parts.ts"));
    navigator.mediaDevices?.addEventListener("devicechange", this.#listDevices);
    globalThis.addEventListener("online", this.#networkChanged);
    globalThis.addEventListener("pagehide", this.#unloading);
  }

  /** The lobby: nothing is sent anywhere. */
  async prepare(): Promise<void> {
    const lacks = await lacking();
    if (this.#closed) return;
    if (lacks.length > 0) {
      this.#show({ lacks });
      return this.#refuse("browser-unsupported");
    }
    const keys = new LiveHostKeys(spawnHostKeys(), this.#room, (message) => this.#fromKeys(message));
    const pool = new MediaPool(
      () => spawnMedia(1),
      (port) => keys.post({ type: "media", port }),
      {
        replaced: () => this.#show({ healed: { what: "worker", who: "" } }),
        fanOutFailed: () => this.#encoding.fail(),
      },
    );
    pool.fanOuts.camera.sign((batch) => {
      for (const watcher of this.#watchers.values()) watcher.sign(batch);
    });
    keys.post({ type: "counters", floors: pool.fanOuts.camera.floors([]) });
    const repair = new Repair({ rejoin: () => undefined, healed: (healed) => this.#show({ healed }) });
    this.#started = { keys, pool, proof: new EncryptionAudit(pool), repair, timing: new Timing(pool) };
    pool.fanOuts.camera.limit(PRESETS[this.store.getState().quality].bitsPerSecond);
    await Promise.all([this.#local.set("camera", true), this.#local.set("microphone", true)]);
    await this.#listDevices();
  }

  goLive(): void {
    if (this.store.getState().phase !== "lobby") return;
    this.#show({ phase: "starting" });
    this.#timers.push(setInterval(() => void this.#prove(), PROOF_EVERY_MS));
    this.#timers.push(setTimeout(() => this.#stillStarting(), SERVER_WITHIN_MS));
    this.#enter();
  }

  show(source: PictureSource): void {
    void this.#picture.show(source);
  }

  setQuality(quality: Quality): void {
    const { shape, bitsPerSecond } = PRESETS[quality];
    this.#show({ quality });
    void this.#local.reshape(shape);
    this.#picture.reshape(shape);
    this.#started?.pool.fanOuts.camera.limit(bitsPerSecond);
    for (const watcher of this.#watchers.values()) void watcher.limit(bitsPerSecond);
  }

  setCamera(on: boolean): void {
    void this.#local.set("camera", on);
  }

  setMicrophone(on: boolean): void {
    void this.#local.set("microphone", on);
  }

  choose(kind: DeviceKind, deviceId: string): void {
    void this.#local.choose(kind, deviceId);
  }

  hideSpeech(on: boolean): void {
    this.#show({ hidesSpeech: on, speechShows: false });
    for (const { link } of this.#watchers.values()) link.renegotiate();
  }

  record(title: string): void {
    if (this.store.getState().phase === "live") void this.#recording.start(title);
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

  letViewersRecord(on: boolean): void {
    this.#show({ viewersMayRecord: on });
    this.#tellAll(this.#recordings());
  }

  remove(id: string): void {
    this.#hangUp(id);
    this.#started?.keys.post({ type: "remove", viewers: [id] });
  }

  answer(id: string, yes: boolean): void {
    this.#started?.keys.post({ type: "admit", viewer: id, yes });
    // Who is let in says so by watching.
    this.#known.delete(id);
    this.#showViewers();
  }

  dismissQuestion(key: number): void {
    this.#questions.dismiss(key);
    this.#show({ questions: this.#questions.asked });
  }

  watchLink(): string {
    return this.#fragment === "" ? "" : location.origin + watchPath(this.#room, this.#fragment);
  }

  measurable(): Measurable | null {
    if (this.#started === null) return null;
    const { pool, timing } = this.#started;
    return {
      pool,
      timing,
      peers: () => [...this.#watchers.values()],
      encryption: () => this.store.getState().encryption,
    };
  }

  end(): void {
    void this.#recording.stop();
    this.#started?.keys.post({ type: "end" });
    for (const id of [...this.#watchers.keys()]) this.#hangUp(id);
    this.#dropSpare();
    this.#known.clear();
    this.#local.close();
    this.#picture.close();
    this.#sound.close();
    this.#show({ phase: "ended", viewers: [], waiting: [] });
    this.#timers.push(setTimeout(() => this.close(), GOODBYE_WITHIN_MS));
  }

  close(): void {
    this.#closed = true;
    void this.#recording.stop();
    this.#codecs.close();
    for (const timer of this.#timers) clearInterval(timer);
    navigator.mediaDevices?.removeEventListener("devicechange", this.#listDevices);
    globalThis.removeEventListener("online", this.#networkChanged);
    globalThis.removeEventListener("pagehide", this.#unloading);
    for (const id of [...this.#watchers.keys()]) this.#hangUp(id);
    this.#dropSpare();
    this.#local.close();
    this.#picture.close();
    this.#sound.close();
    this.#signalling?.close();
    this.#started?.keys.close();
    this.#started?.pool.close();
  }

  /** Once both the person and the keys are ready. */
  #enter(): void {
    if (this.#fragment === "" || this.#signalling !== null || this.store.getState().phase !== "starting") return;
    const url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/signal`;
    this.#signalling = hostRoom(url, {
      challenge: (nonce) => this.#started?.keys.post({ type: "room", event: { type: "challenge", nonce } }),
      event: (event) => {
        if (event.type === "hosting") this.#opened(event.stunPort);
        this.#started?.keys.post({ type: "room", event });
      },
      status: (signalling) => this.#signalled(signalling),
      unreadable: () => this.#started?.proof.drop("unreadable"),
      fault: (fault) => this.#faulted(fault),
    });
  }

  #signalled(signalling: "connected" | "reconnecting"): void {
    if (this.store.getState().signalling !== "replaced") this.#show({ signalling });
  }

  #opened(stunPort: number | null): void {
    if (stunPort !== null) this.#iceServers = [{ urls: `stun:${location.hostname}:${stunPort}` }];
    if (this.store.getState().phase === "starting") this.#show({ phase: "live" });
  }

  #fromKeys(message: Exclude<FromHostKeys, { type: "keep" }>): void {
    switch (message.type) {
      case "hosting":
        this.#fragment = message.fragment;
        this.#show({ hasLink: true });
        return this.#enter();
      case "link":
        this.#fragment = message.fragment;
        return this.#show({ linkReplaced: this.store.getState().linkReplaced + 1 });
      case "to-room":
        return this.#toRoom(message.message);
      case "viewers":
        for (const change of message.changes) this.#moved(change);
        return this.#showViewers();
      case "message":
        return this.#message(message.from, message.body);
      case "rotated":
        this.#rotation = message.rotation;
        return;
      case "refused":
        return this.#refuse(message.why === "not-host" ? "not-host" : "keys-failed");
      case "dropped":
        return this.#started?.proof.drop(message.what);
    }
  }

  #toRoom(message: Extract<FromHostKeys, { type: "to-room" }>["message"]): void {
    if (message.type === "host") this.#signalling?.enter(message);
    else this.#signalling?.send(message);
  }

  #moved({ viewer, is }: ViewerChange): void {
    // The server's word ends no connection that works: see `#linked`.
    const isKept = is === "left" && this.#watchers.get(viewer)?.state === "connected";
    if (is === "gone" || (is === "left" && !isKept)) return this.#letGo(viewer);
    const known = this.#know(viewer);
    known.is = is;
    known.isProven ||= is === "watching";
    // The way to the picture is begun while the viewer still reads the answer.
    const hasKeys = (is === "answered" || is === "watching") && known.breach === null;
    if (hasKeys && !this.#watchers.has(viewer)) this.#send(viewer);
  }

  #letGo(viewer: string): void {
    this.#questions.leave(this.#known.get(viewer)?.number ?? 0);
    this.#known.delete(viewer);
    this.#hangUp(viewer);
    this.#letIn();
  }

  #know(viewer: string): Known {
    const known = this.#known.get(viewer) ?? {
      number: ++this.#numbers,
      is: "answered",
      isProven: false,
      decodes: null,
      listens: false,
      records: false,
      messages: new TokenBucket(PAGE_BUDGETS.messages, systemClock),
      connections: new TokenBucket(PAGE_BUDGETS.connections, systemClock),
      breach: null,
    };
    this.#known.set(viewer, known);
    return known;
  }

  #message(from: string, body: Uint8Array): void {
    if (this.store.getState().phase !== "live" || !this.#takesMessage(from)) return;
    const message = parseFromViewer(body);
    if (message === null) return;
    const known = this.#know(from);
    // What a viewer says proves it as well, and may come before the news of it.
    known.isProven = true;
    if (known.is === "answered") known.is = "watching";
    if (message.type === "question") return this.#asked(known, message.text);
    if (message.type === "hello") return this.#greeted(from, message);
    if (message.type === "listens") return this.#listens(from, message.listens);
    if (message.type === "records") {
      known.records = message.stage !== null;
      return this.#showViewers();
    }
    const watcher = this.#watchers.get(from);
    if (watcher?.id === message.link) watcher.link.receive(message.signal);
  }

  /** Whether a viewer's next message counts. Who sends too many loses their connection. */
  #takesMessage(viewer: string): boolean {
    const known = this.#know(viewer);
    if (known.breach === null && known.messages.take() < 0) this.#breached(viewer, "flood");
    return known.breach === null;
  }

  /** Nothing more goes to that session of a viewer, nor is anything more taken from it. */
  #breached(viewer: string, breach: Breach): void {
    this.#know(viewer).breach = breach;
    this.#started?.proof.drop(breach);
    this.#hangUp(viewer);
    this.#letIn();
    this.#showViewers();
  }

  #breachedBy(watcher: Watcher, breach: Breach): void {
    for (const [viewer, theirs] of this.#watchers) if (theirs === watcher) this.#breached(viewer, breach);
  }

  #asked({ number }: Known, text: string): void {
    if (this.#questions.ask(number, text)) this.#show({ questions: this.#questions.asked });
    else this.#started?.proof.drop("questions");
  }

  #listens(viewer: string, listens: boolean): void {
    this.#know(viewer).listens = listens;
    void this.#watchers.get(viewer)?.refresh();
  }

  #greeted(viewer: string, { decodes, fresh, listens }: Extract<FromViewer, { type: "hello" }>): void {
    const known = this.#know(viewer);
    const isFirst = known.decodes === null;
    known.decodes = decodes;
    this.#listens(viewer, listens);
    if (isFirst && this.#watchers.has(viewer)) return this.#pickCodec();
    if (!fresh && this.#watchers.get(viewer)?.state === "connected") return this.#tellState(viewer);
    if (known.connections.take() < 0) return this.#breached(viewer, "flood");
    this.#hangUp(viewer);
    if (!this.#send(viewer)) this.#tell(viewer, { type: "full" });
    this.#showViewers();
  }

  /** There is room again for somebody who waits. */
  #letIn(): void {
    const next = [...this.#known].find(
      ([viewer, { is, decodes, breach }]) =>
        is === "watching" && decodes !== null && breach === null && !this.#watchers.has(viewer),
    );
    if (next !== undefined) this.#send(next[0]);
  }

  /** False: there is no room for a connection to this viewer now. */
  #send(viewer: string): boolean {
    const { number, isProven } = this.#know(viewer);
    const holders = [...this.#watchers.keys()].map((id) => [id, this.#know(id).isProven] as const);
    const place = placeFor(isProven, new Map(holders));
    if (this.#started === null || place === null) return false;
    if (place.is === "taken") this.#hangUp(place.from);
    if (this.#spare !== null && performance.now() - this.#spare.since > SPARE_LIFE_MS) this.#dropSpare();
    const watcher = this.#spare ?? this.#connection(this.#started);
    this.#spare = null;
    this.#watchers.set(viewer, watcher);
    void watcher.limit(PRESETS[this.store.getState().quality].bitsPerSecond);
    this.#tellState(viewer);
    watcher.meet({
      name: this.#name(number),
      listens: () => this.#known.get(viewer)?.listens ?? false,
      signal: (signal) => this.#tell(viewer, { type: "signal", link: watcher.id, signal }),
    });
    this.#pickCodec();
    return true;
  }

  /** Whoever comes next is not to wait for a connection to be made, nor for its offer. */
  #prepareNext(started: Started): void {
    if (this.#watchers.size < MOST_VIEWERS) this.#spare ??= this.#connection(started);
  }

  #dropSpare(): void {
    this.#spare?.close();
    this.#spare = null;
  }

  #connection({ pool, timing }: Started): Watcher {
    const watcher: Watcher = new Watcher({
      iceServers: this.#iceServers,
      pool,
      stream: this.#preview,
      sound: () => ({
        packetMs: PACKET_MS,
        transmission: this.store.getState().hidesSpeech ? "constant" : "continuous",
      }),
      track: (source) => (source === "camera" ? this.#picture.track : this.#heard),
      timing: (body) => timing.heard(watcher, body),
      breached: (breach) => this.#breachedBy(watcher, breach),
      addressRefused: () => this.#started?.proof.drop("address"),
      changed: () => this.#linked(watcher),
    });
    return watcher;
  }

  #hangUp(viewer: string): void {
    this.#watchers.get(viewer)?.close();
    if (!this.#watchers.delete(viewer)) return;
    this.#pickCodec();
  }

  #linked(watcher: Watcher): void {
    if (watcher.state === "reconnecting") {
      // The network changed, and the offer that waits names what was there before.
      this.#dropSpare();
      for (const [id, other] of this.#watchers)
        if (other === watcher && this.#known.get(id)?.is === "left") this.#letGo(id);
    }
    this.#showViewers();
  }

  /** One codec for everybody who decodes it, so that one encoder can serve them. */
  #pickCodec(): void {
    const said = [...this.#watchers.keys()].map(
      (viewer) => [viewer, this.#known.get(viewer)?.decodes ?? null] as const,
    );
    const codecs = this.#codecs.choose(decodable(), new Map(said));
    const { shared } = this.#codecs;
    if (shared !== null) this.#started?.pool.fanOuts.camera.encodeAs(shared);
    for (const [viewer, codec] of codecs) void this.#watchers.get(viewer)?.encodeAs(codec);
    this.#spread();
  }

  /** From the second viewer on, one encoder takes over from those of the links. */
  #spread(): void {
    const { shared } = this.#codecs;
    const watchers = [...this.#watchers.values()];
    const served = watchers.filter(({ codec }) => shared !== null && codec === shared);
    const once = shared !== null && this.#encoding.isOnce(served.length, shared);
    for (const watcher of watchers) void watcher.encodeOnce(once && served.includes(watcher));
  }

  #tell(to: string, message: FromHost): void {
    this.#started?.keys.post({ type: "send", to, body: toJson(message) });
  }

  #tellAll(message: FromHost): void {
    for (const viewer of this.#watchers.keys()) this.#tell(viewer, message);
  }

  /** What a viewer's page shows beside the picture. */
  #tellState(viewer: string): void {
    this.#tell(viewer, this.#sends());
    this.#tell(viewer, this.#recordings());
  }

  #recordings(): FromHost {
    return { type: "recordings", host: this.#stage, viewersMay: this.store.getState().viewersMayRecord };
  }

  #sends(): FromHost {
    const picture = this.#picture.track !== null;
    const sound = this.#local.view.microphone.on || this.#picture.sound != null;
    return { type: "sends", picture, sound };
  }

  /** A device went on or off, or something else is shown. */
  #mediaChanged(): void {
    const { camera, microphone, sound, chosen } = this.#local.view;
    const { track, source, sound: shared, isRefused } = this.#picture;
    this.#heard = this.#sound.mix([sound, shared].filter((one) => one != null));
    this.#preview.getVideoTracks().forEach((old) => {
      if (old !== track) this.#preview.removeTrack(old);
    });
    if (track !== null) this.#preview.addTrack(track);
    const screenSound = shared === undefined ? null : shared !== null;
    this.#show({ me: { sound, camera, microphone }, chosen, source, screenRefused: isRefused, screenSound });
    this.#started?.pool.fanOuts.camera.show(track);
    this.#recording.follow();
    for (const watcher of this.#watchers.values()) void watcher.refresh();
    this.#tellAll(this.#sends());
  }

  readonly #listDevices = async (): Promise<void> => {
    const all = await navigator.mediaDevices.enumerateDevices();
    const of = (kind: MediaDeviceKind) => all.filter((device) => device.kind === kind && device.deviceId !== "");
    this.#show({
      devices: { cameras: of("videoinput"), microphones: of("audioinput"), speakers: of("audiooutput") },
    });
  };

  readonly #networkChanged = (): void => {
    this.#dropSpare();
    for (const { link } of this.#watchers.values()) link.restart();
  };

  /** The page goes: the server is told at once, and viewers wait for the next load. */
  readonly #unloading = (): void => this.#signalling?.close();

  async #prove(): Promise<void> {
    const started = this.#started;
    if (started === null || this.#proving) return;
    const { pool, proof, repair, keys } = started;
    this.#proving = true;
    const { samples, fanOuts, sealed } = await proof.sample([...this.#watchers.values()]).finally(() => {
      this.#proving = false;
    });
    if (this.store.getState().phase !== "live") return;
    // Whoever comes now opens nothing from before. What is sealed for one viewer is none of the others' affair.
    keys.post({ type: "counters", floors: pool.fanOuts.camera.floors(sealed) });
    const speechShows = this.store.getState().hidesSpeech && this.#speech.shows(samples);
    const overloaded = this.#overload.examine({ samples, fanOuts });
    this.#show({ encryption: proof.judge(samples, fanOuts, this.#rotation), speechShows, overloaded });
    repair.examine(samples, 0);
    this.#prepareNext(started);
    this.#leaveIfReplaced();
  }

  #stillStarting(): void {
    if (this.store.getState().phase === "starting") this.#refuse("server-unreachable");
  }

  /** What the server says ends nothing that viewers see: those who are connected watch on. */
  #faulted({ code }: Fault): void {
    if (code !== "replaced") return;
    this.#show({ signalling: "replaced" });
    this.#leaveIfReplaced();
  }

  /** Another load of this page goes on with the stream, and the last viewer of this one has gone there. */
  #leaveIfReplaced(): void {
    if ([...this.#watchers.values()].some(({ state }) => state === "connected")) this.#watchedAt = performance.now();
    if (this.store.getState().signalling !== "replaced") return;
    if (performance.now() - this.#watchedAt > UNWATCHED_MS) this.#refuse("elsewhere");
  }

  #refuse(problem: HostProblem): void {
    this.#show({ phase: "refused", problem, viewers: [], waiting: [] });
    this.close();
  }

  #showViewers(): void {
    const entries = [...this.#known].map(([id, known]) => ({ id, number: known.number, known }));
    // From the host's answer on: whoever may soon hold the keys can be seen, and removed.
    const viewers = entries.flatMap(({ id, number, known }): ViewerEntry[] =>
      known.is === "waiting" ? [] : [{ id, number, is: this.#standing(id, known), records: known.records }],
    );
    const waiting = entries.flatMap(({ id, number, known }) => (known.is === "waiting" ? [{ id, number }] : []));
    this.#show({ viewers, waiting });
  }

  #standing(viewer: string, { is, decodes, breach }: Known): ViewerEntry["is"] {
    if (breach !== null) return breach;
    const watcher = this.#watchers.get(viewer);
    if (watcher?.state === "connected") return watcher.codec === null ? "unable" : "watching";
    if (is === "away") return "away";
    return watcher === undefined && decodes !== null ? "full" : "connecting";
  }

  #show(change: Partial<HostView>): void {
    this.store.setState(change);
  }
}

function firstView(local: LocalMedia, { canShowBoth }: StreamVideo, picture: MediaStream): HostView {
  const { sound, camera, microphone, chosen } = local.view;
  return {
    phase: "lobby",
    problem: null,
    lacks: [],
    me: { sound, camera, microphone },
    devices: { cameras: [], microphones: [], speakers: [] },
    chosen,
    hidesSpeech: false,
    speechShows: false,
    source: "camera",
    canShowBoth,
    screenRefused: false,
    screenSound: null,
    picture,
    quality: "smooth",
    recording: NOT_RECORDING,
    viewersMayRecord: false,
    viewers: [],
    waiting: [],
    questions: [],
    encryption: NO_FRAMES,
    overloaded: false,
    signalling: "reconnecting",
    hasLink: false,
    linkReplaced: 0,
    healed: null,
  };
}
