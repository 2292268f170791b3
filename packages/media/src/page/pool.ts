import { type Policy, parseSignedBatch, type Source, unpackKid, type VideoSource } from "@sealcast/frame";
import { type Clock, milli, systemClock } from "@sealcast/time";
import type { FanOutReport } from "../shared/fan-out.ts";
import { LatestBatches } from "../shared/latest-batches.ts";
import type {
  FromMedia,
  MediaKind,
  PolicyAnnouncement,
  StreamCounter,
  TrackReport,
  TransformOptions,
  Verdict,
} from "../shared/messages.ts";
import type { WorkerTimings } from "../shared/timings.ts";
import { FanOut } from "./fan-out.ts";
import { Instances } from "./instances.ts";
import { MediaWorker, type PolicyRule, type RelayedPorts } from "./media-worker.ts";
import { Publication } from "./publication.ts";
import { Slot, type Start } from "./slot.ts";

/** A transform in one of the pool's workers. */
export interface Attachment {
  readonly id: string;
  /** How many times another transform took this one's place: its counters begin at 0 each time. */
  readonly renewals: number;
  /** Resolves when a worker holds the track and, on the sealing side, a key: only then may media be attached. */
  readonly ready: Promise<void>;
  /** Sets a fresh transform, since this one lets nothing through any more. */
  renew(): void;
  /** Has this track's encoder send a key frame. */
  needKeyFrame(): void;
  /** Call when the track's connection is closed. */
  release(): void;
}

/** What the pool's workers counted. */
export interface PoolReport {
  /** Of every live transform, by attachment id. */
  tracks: Map<string, TrackReport>;
  /** Of each source that had one; none where its worker does not answer. */
  fanOuts: FanOutReport[];
  /** The highest counters sealed so far in the epoch that is sent in, by KID. */
  sealed: StreamCounter[];
}

/** What the pool tells of its own accord. */
export interface PoolEvents {
  /** A worker stopped answering. Its tracks are with another one by now. */
  replaced(): void;
  /** One encoder for all does not work here: the fan-out is to carry nothing any more. */
  fanOutFailed(): void;
}

const MAX_WORKERS = 4;
/** A video frame costs several times an audio frame's work. */
const LOAD: Record<MediaKind, number> = { audio: 1, video: 4 };

type Purpose =
  | { side: "seal"; kind: MediaKind; source: Source }
  | ({ side: "open"; kind: MediaKind; source: Source } & From);

/** Whose frames open, and what passes them on, if anything does. */
type From = Pick<Extract<TransformOptions, { side: "open" }>, "leaf" | "relay">;

interface Track {
  readonly id: string;
  readonly purpose: Purpose;
  /** Has this worker do it: puts a transform on the sender or receiver, or gives it ports. */
  readonly set: (worker: MediaWorker, options: TransformOptions) => void;
  readonly hooks: Hooks;
  readonly ready: PromiseWithResolvers<void>;
  slot: Slot;
  renewals: number;
  /** The latest of its sealing transforms' numbers, and which of them died with their worker. */
  instances: number[];
  ended: readonly number[];
  verdict: Verdict;
}

interface Hooks {
  /** Makes the encoder start from a key frame, where its worker cannot; null where it is at the far end. */
  readonly forceKeyFrame: (() => void) | null;
  /** Gets the signatures of what is sealed; null: it is not signed. */
  readonly signed: ((batch: Uint8Array) => void) | null;
  /** Hears each verdict that differs from the one before, first "signed"; null: frames need not be signed. */
  readonly judged: ((verdict: Verdict) => void) | null;
}

/** Transforms of one track that may have frames which are not signed yet. */
const MOST_INSTANCES = 8;
/** After its release: half a second, and what a busy computer takes besides. */
const SIGNED_WITHIN = milli(3_000);

/**
 * Places whole tracks on workers: a track stays with one worker, since browsers silently drop frames that come back in
 * another order. So do all tracks of one leaf's source, one after the other, so that a frame opens once. A worker that dies or hangs is replaced, and its tracks get fresh transforms. Owns its workers; `close`
 * ends them.
 */
export class MediaPool {
  readonly #spawn: () => Worker;
  readonly #keys: (port: MessagePort) => void;
  readonly #events: PoolEvents;
  readonly #clock: Clock;
  readonly #slots: Slot[];
  /** The worker of all outgoing video: what is sealed once for several links leaves in the worker that sealed it. */
  readonly #video: Slot;
  /** Each source's video, encoded and sealed once for all links that it carries. */
  readonly fanOuts: Readonly<Record<VideoSource, FanOut>>;
  /** What a live stream's host sends to relays. */
  readonly publication: Publication;
  readonly #tracks = new Map<string, Track>();
  /** Of tracks that were released, what gets the signatures of what they sealed last. */
  readonly #leaving = new Map<string, NonNullable<Hooks["signed"]>>();
  /** Where each leaf's each source is opened, also after its track is gone. */
  readonly #openers = new Map<string, Slot>();
  /** The latest of each member and source, for a worker that takes another's place. */
  readonly #rules = new Map<string, PolicyRule>();
  /** For the same. */
  readonly #batches = new LatestBatches();
  readonly #instances = new Instances();
  #ids = 0;

  /**
   * `keys` hands one end of a channel to the keys worker, which speaks to each media worker directly. `most`: there are no
   * more workers than that; as many as the computer has cores where it is not given.
   */
  constructor(
    spawn: () => Worker,
    keys: (port: MessagePort) => void,
    events: PoolEvents,
    most: number = navigator.hardwareConcurrency,
    clock: Clock = systemClock,
  ) {
    this.#spawn = spawn;
    this.#keys = keys;
    this.#events = events;
    this.#clock = clock;
    const size = Math.min(Math.max(most, 1), MAX_WORKERS);
    this.#video = this.#slot();
    this.#slots = [this.#video, ...Array.from({ length: size - 1 }, () => this.#slot())];
    this.fanOuts = { camera: this.#fanOut("camera"), "screen-picture": this.#fanOut("screen-picture") };
    this.publication = new Publication({
      post: (message, transfer) => this.#video.worker.post(message, transfer),
      instance: () => this.#instances.next(),
      picture: this.fanOuts.camera,
    });
  }

  /** The counters as they are now. A worker that does not answer is left out. */
  async report(): Promise<PoolReport> {
    const reports = await Promise.all(this.#slots.map(({ worker }) => worker.report()));
    const tracks = reports.flatMap((report) => report.tracks);
    return {
      tracks: new Map(tracks.map((track) => [track.id, track])),
      fanOuts: reports.flatMap(({ fanOuts }) => fanOuts),
      sealed: reports.flatMap(({ sealed }) => sealed),
    };
  }

  /** How long frames take in each worker, in their order; null where one does not answer. Times of single frames are kept from the first call on, for some seconds. */
  timings(): Promise<(WorkerTimings | null)[]> {
    return Promise.all(this.#slots.map(({ worker }) => worker.timings()));
  }

  /** From now on every frame that leaves this transform is copied to the port, as it is on the wire; null: no more. */
  eavesdrop(id: string, port: MessagePort | null): void {
    this.#tracks.get(id)?.slot.worker.eavesdrop(id, port);
  }

  /**
   * Call in the task that made the transceiver, before any await. With `signed`, frames are signed (PROTOCOL.md section
   * 6.13): it gets each batch of signatures, for everybody who gets these frames.
   */
  seal(sender: RTCRtpSender, kind: MediaKind, source: Source, signed: Hooks["signed"] = null): Attachment {
    return this.#attach(
      { side: "seal", kind, source },
      (worker, options) => {
        sender.transform = worker.transform(options);
      },
      { forceKeyFrame: kind === "video" ? () => forceKeyFrame(sender) : null, signed, judged: null },
    );
  }

  /**
   * Call inside the `track` event or in the task that made the transceiver, before any await. With `judged`, frames have to
   * be signed, see `verify`: it hears each verdict that differs from the one before, first "signed". While that is "unsigned"
   * the track opens nothing, and from "forged" on it never does.
   */
  open(
    receiver: RTCRtpReceiver,
    kind: MediaKind,
    source: Source,
    leaf: number,
    judged: Hooks["judged"] = null,
  ): Attachment {
    return this.#attach(
      { side: "open", kind, source, leaf, relay: null },
      (worker, options) => {
        receiver.transform = worker.transform(options);
      },
      { forceKeyFrame: null, signed: null, judged },
    );
  }

  /** The same of a track that a relay passes on: its frames have to be signed. `mark` ends those that the relay makes up itself. */
  openRelayed(
    receiver: RTCRtpReceiver,
    { kind, source, leaf, mark }: { kind: MediaKind; source: Source; leaf: number; mark: Uint8Array },
    judged: (verdict: Verdict) => void,
  ): Attachment {
    return this.#attach(
      { side: "open", kind, source, leaf, relay: { mark } },
      (worker, options) => {
        receiver.transform = worker.transform(options);
      },
      { forceKeyFrame: null, signed: null, judged },
    );
  }

  /**
   * Opens what comes over a relay of live streams as a port's messages, each a `RelayedFrame`, and gives on what opened. `ports` is
   * called for each worker that does so, one after the other. All has to be signed, as for `open` with `judged`.
   */
  openPublished(
    { kind, source, leaf }: { kind: MediaKind; source: Source; leaf: number },
    ports: () => RelayedPorts,
    judged: (verdict: Verdict) => void,
  ): Attachment {
    return this.#attach(
      { side: "open", kind, source, leaf, relay: null },
      (worker, options) => {
        if (options.side === "seal" || options.signed === null) return;
        worker.openRelayed({ ...options, signed: options.signed }, ports());
      },
      { forceKeyFrame: null, signed: null, judged },
    );
  }

  /** A batch of signatures from the network. Only what is of that leaf counts. */
  verify(batch: Uint8Array, leaf: number): void {
    const signed = parseSignedBatch(batch);
    if (signed === null || unpackKid(signed.batch.kid).leaf !== leaf) return;
    this.#batches.add(signed, this.#clock.now());
    for (const { worker } of this.#slots) worker.verify(signed, milli(0));
  }

  /** From now on this member's frames of a source go out as `policy` says, in that epoch only. Announce it before. */
  follow(source: VideoSource, epoch: number, policy: Policy): void {
    this.#rule(`own ${source}`, { type: "follow", source, epoch, policy });
  }

  /** What another member said inside the group. Until then, their readable frames are refused. */
  announced(announcement: PolicyAnnouncement): void {
    const { leaf, source } = announcement;
    this.#rule(`${leaf} ${source}`, { type: "announced", ...announcement });
  }

  /** This member joined the group again: everything is sealed, and nobody has announced anything. */
  forgetPolicies(): void {
    this.#rules.clear();
    for (const { worker } of this.#slots) worker.rule({ type: "forget-policies" });
  }

  close(): void {
    for (const { worker } of this.#slots) worker.close();
  }

  #rule(name: string, rule: PolicyRule): void {
    this.#rules.set(name, rule);
    for (const { worker } of this.#slots) worker.rule(rule);
  }

  #fanOut(source: VideoSource): FanOut {
    return new FanOut({
      order: (order, transfer) => this.#video.worker.fanOut(source, order, transfer),
      instance: () => this.#instances.next(),
      failed: () => this.#events.fanOutFailed(),
    });
  }

  #slot(): Slot {
    const start: Start = (patience, dead) =>
      new MediaWorker(this.#spawn(), this.#keys, patience, this.#clock, {
        heard: (message) => this.#heard(message),
        wishes: (source, wish) => this.fanOuts[source].hear(wish),
        soundSigned: (batch) => this.publication.signed(batch),
        dead,
      });
    return new Slot(start, this.#clock, (slot) => this.#replaced(slot));
  }

  #replaced(slot: Slot): void {
    for (const rule of this.#rules.values()) slot.worker.rule(rule);
    for (const track of this.#tracks.values()) if (track.slot === slot) this.#revive(track);
    const now = this.#clock.now();
    for (const { signed, came } of this.#batches.all(now)) slot.worker.verify(signed, milli(now - came));
    if (slot === this.#video) {
      this.publication.restart();
      for (const fanOut of Object.values(this.fanOuts)) fanOut.restart();
    }
    this.#events.replaced();
  }

  #attach(purpose: Purpose, set: Track["set"], hooks: Hooks): Attachment {
    const slot = this.#slotFor(purpose);
    const ready = Promise.withResolvers<void>();
    const track: Track = {
      id: `t${this.#ids++}`,
      ...{ purpose, set, hooks, ready, slot },
      renewals: 0,
      instances: [],
      ended: [],
      verdict: "signed",
    };
    slot.load += LOAD[purpose.kind];
    this.#tracks.set(track.id, track);
    this.#transform(track);
    return {
      id: track.id,
      ready: ready.promise,
      get renewals() {
        return track.renewals;
      },
      renew: () => this.#renew(track),
      needKeyFrame: () => this.#needKeyFrame(track),
      release: () => this.#release(track),
    };
  }

  /** A leaf's source is opened in one worker for good: only that one knows which frames were opened before. */
  #slotFor(purpose: Purpose): Slot {
    if (purpose.side === "seal" && purpose.kind === "video") return this.#video;
    const least = this.#slots.reduce((least, next) => (next.load < least.load ? next : least));
    if (purpose.side === "seal") return least;
    const name = `${purpose.leaf} ${purpose.source}`;
    const slot = this.#openers.get(name) ?? least;
    this.#openers.set(name, slot);
    return slot;
  }

  #transform(track: Track): void {
    track.set(track.slot.worker, this.#options(track));
  }

  #options(track: Track): TransformOptions {
    const { id, purpose, hooks, ended, verdict } = track;
    if (purpose.side === "open") return { id, ...purpose, signed: hooks.judged && { forged: verdict === "forged" } };
    const instance = this.#instances.next();
    track.instances = [...track.instances, instance].slice(-MOST_INSTANCES);
    return { id, ...purpose, instance, signed: hooks.signed && { ended } };
  }

  /** Its worker is dead, and with it what was not signed yet. */
  #revive(track: Track): void {
    track.ended = track.instances;
    // What it waited for is not known any more.
    if (track.verdict === "unsigned") this.#judged(track, "signed");
    this.#renew(track);
  }

  #renew(track: Track): void {
    track.renewals++;
    this.#transform(track);
  }

  #needKeyFrame({ id, slot }: Track): void {
    slot.worker.needKeyFrame(id);
  }

  async #forceKeyFrame({ id, slot: { worker }, hooks }: Track): Promise<void> {
    const put = await Promise.all(Object.values(this.fanOuts).map((fanOut) => fanOut.put(id)));
    if (!put.includes(true)) await hooks.forceKeyFrame?.();
    worker.keyFrameComes(id);
  }

  #release({ id, purpose, hooks, slot }: Track): void {
    slot.load -= LOAD[purpose.kind];
    this.#tracks.delete(id);
    slot.worker.release(id);
    if (hooks.signed === null) return;
    this.#leaving.set(id, hooks.signed);
    this.#clock.after(SIGNED_WITHIN, () => this.#leaving.delete(id));
  }

  #heard(message: Extract<FromMedia, { id: string }>): void {
    const track = this.#tracks.get(message.id);
    if (message.type === "signed") return (track?.hooks.signed ?? this.#leaving.get(message.id))?.(message.batch);
    if (track === undefined) return;
    if (message.type === "key-frame-needed") return void this.#forceKeyFrame(track);
    if (message.type === "verdict") return this.#judged(track, message.verdict);
    track.ready.resolve();
    // A fresh transform's far end has lost what went before, and goes on from a key frame.
    if (track.renewals > 0 && track.purpose.side === "seal") this.#needKeyFrame(track);
  }

  #judged(track: Track, verdict: Verdict): void {
    track.verdict = verdict;
    track.hooks.judged?.(verdict);
  }
}

/** For browsers whose transforms cannot ask for a key frame: Chromium makes one when parameters say so. */
async function forceKeyFrame(sender: RTCRtpSender): Promise<void> {
  const parameters: RTCRtpSendParameters = sender.getParameters();
  const encodingOptions = parameters.encodings.map(() => ({ keyFrame: true }));
  // The types of the platform do not know the second argument yet. Rejects on a sender that is stopped: nothing to do.
  const set = sender.setParameters as (of: RTCRtpSendParameters, options: object) => Promise<void>;
  await set.call(sender, parameters, { encodingOptions }).catch(() => undefined);
}
