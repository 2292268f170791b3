import { canPublish, type FanOutReport, type MediaKind, PICTURE_TRACKS, type Size, SOUND_TRACK } from "@sealcast/media";
import type { LiveRelayAccess, LiveRelayState } from "@sealcast/network/live-relay-messages";
import { type Milli, milli } from "@sealcast/time";
import type { Proven, ProvenLine } from "../audit/browser-counters.ts";
import type { TimedLink } from "../measuring/timing.ts";
import type { MediaSession } from "../media-session.ts";
import type { Stats } from "../peer/link-stats.ts";
import type { EncodedFor } from "../peer/picture-encoding.ts";
import { type FromHost, relayedCodec } from "./messages.ts";
import { RelayWorker, SIGNATURES } from "./relay-worker.ts";

/** A session of that age is none that a relay is about to refuse. */
const LASTING = milli(2_000);
/** Seconds that access is still to hold, for a worker to begin with. */
const LEAST_VALID = 60;
/** Longer than the way to another relay takes. */
const MISSING_AFTER = milli(10_000);

interface RelayPublishingOptions {
  readonly media: Pick<MediaSession, "life" | "pool">;
  /** Asks the server for access. */
  ask(): void;
  /** What goes to viewers as sound now; null: nothing. */
  sound(): MediaStreamTrack | null;
  /** Of `offer`. */
  changed(): void;
}

/** A host's way over relays, for viewers who have no connection: what the fan-out seals, and the sound, once for all of them. */
export class RelayPublishing implements EncodedFor {
  readonly isLinked = true;
  readonly serves = "many";
  /** To be measured. */
  readonly timed: TimedLink = this.#timed(() => this.#lines, { tellTiming: () => undefined });
  readonly #options: RelayPublishingOptions;
  #isOffered = false;
  #isWanted = false;
  #isOnce = false;
  #codec: string | null | undefined;
  #worker: RelayWorker | null = null;
  /** What the server gave last, until when it lets this page in: it gives few, and the way opens as often as its only viewer comes. */
  #access: { readonly given: LiveRelayAccess; readonly ends: Milli } | null = null;
  /** Since when there is a session at a relay; null: there is none. */
  #connectedSince: Milli | null = null;
  /** When viewers last had no need of it, or could find it there. */
  #fineAt: Milli;
  #isMissing = false;
  /** How long frames took to the relays' session, by track. */
  readonly #waits = new Map<string, { frames: number; ms: number }>();
  #sizes: readonly Size[] = [];

  constructor(options: RelayPublishingOptions) {
    this.#options = options;
    this.#fineAt = options.media.life.clock.now();
    options.media.life.bind(() => this.close());
  }

  /** The server has relays, and this browser can send to them. */
  get isOffered(): boolean {
    return this.#isOffered;
  }

  get codec(): string | null | undefined {
    return this.#codec;
  }

  /** What viewers are to be told: where the stream is to be had, or that it is not. Null: neither is known yet. */
  get offer(): Extract<FromHost, { type: "relay" | "full" }> | null {
    if (this.#isMissing) return { type: "full" };
    const codec = this.#worker === null ? null : relayedCodec(this.#codec ?? "");
    return codec === null ? null : { type: "relay", codec, sizes: [...this.#sizes] };
  }

  /** What goes there. No browser counts it: nothing of it comes from anywhere but a sealer. */
  get proven(): Proven[] {
    const lines = this.#lines;
    return lines.length === 0 ? [] : [{ name: null, state: "connected", stats: this.#stats(), lines }];
  }

  /** For a viewer who asks of frames of the picture. */
  timedFor(viewer: Required<Pick<TimedLink, "asked" | "tellTiming">>): TimedLink {
    return this.#timed(() => this.#lines.filter(({ kind }) => kind === "video"), viewer);
  }

  #timed(of: () => ProvenLine[], other: Pick<TimedLink, "asked" | "tellTiming">): TimedLink {
    const lines = () => of().map((line) => ({ ...line, transceiver: { mid: line.kind } }));
    const stats = () => this.#timedStats;
    return {
      ...{ name: null, isRelays: true, ...other },
      get stats() {
        return stats();
      },
      get lines() {
        return lines();
      },
    };
  }

  reached(relays: boolean): void {
    this.#isOffered = relays && canPublish();
  }

  given(access: LiveRelayAccess): void {
    const now = this.#options.media.life.clock.now();
    if (access.token !== "") this.#access = { given: access, ends: milli(now + 1_000 * access.validFor) };
    this.#worker?.given(access);
  }

  /** Whether some viewer is to find the stream there. */
  want(isWanted: boolean): void {
    this.#isWanted = isWanted;
    this.#follow();
  }

  async encodeAs(codec: string | null): Promise<void> {
    if (codec === this.#codec) return;
    this.#codec = codec;
    this.#follow();
    this.#options.changed();
  }

  async encodeOnce(once: boolean): Promise<void> {
    this.#isOnce = once;
    this.#follow();
  }

  sign(batch: Uint8Array): void {
    this.#worker?.post({ type: "signed", batch });
  }

  /** Once a reading: no relay may be reached from here, or one encoder for several may not work. */
  examine(fanOuts: readonly FanOutReport[]): void {
    const now = this.#options.media.life.clock.now();
    const isThere = this.#connectedSince !== null && now - this.#connectedSince >= LASTING;
    if (isThere || !this.#isWanted) this.#fineAt = now;
    const isMissing = now - this.#fineAt >= MISSING_AFTER;
    const sizes = fanOuts.find(({ source }) => source === "camera")?.sizes ?? this.#sizes;
    if (isMissing === this.#isMissing && isSame(sizes, this.#sizes)) return;
    this.#isMissing = isMissing;
    this.#sizes = sizes;
    this.#options.changed();
  }

  /** The sound may be another one. */
  refresh(): void {
    if (this.#worker !== null) this.#options.media.pool?.publication.hear(this.#options.sound());
  }

  close(): void {
    const worker = this.#worker;
    this.#worker = null;
    this.#connectedSince = null;
    if (worker === null) return;
    this.#options.media.pool?.publication.close();
    worker.close();
  }

  #stats(entries: readonly Stats[] = []): Proven["stats"] {
    const latest = { at: this.#options.media.life.clock.now(), entries };
    return { read: async () => latest, latest };
  }

  /** With what a browser calls the pacer's delay. */
  get #timedStats(): Proven["stats"] {
    const at = this.#options.media.life.clock.now();
    const sent = (["video", "audio"] as const).map((kind) => {
      const { frames, ms } = this.#published(kind);
      const counts = { packetsSent: frames, totalPacketSendDelay: ms / 1_000 };
      return { id: kind, timestamp: at, type: "outbound-rtp", kind, mid: kind, ...counts } as const;
    });
    return this.#stats(sent);
  }

  #published(kind: MediaKind): { frames: number; ms: number } {
    const sums = { frames: 0, ms: 0 };
    for (const [track, { frames, ms }] of this.#waits) {
      if ((track === SOUND_TRACK) !== (kind === "audio")) continue;
      sums.frames += frames;
      sums.ms += ms;
    }
    return sums;
  }

  get #lines(): ProvenLine[] {
    const { pool } = this.#options.media;
    if (this.#worker === null || pool === null) return [];
    const line = (source: "camera" | "microphone", kind: "video" | "audio"): ProvenLine => ({
      ...{ source, kind, transceiver: { mid: null }, isRelayed: true },
      ...{ sent: pool.publication.attachments[kind], received: null },
    });
    return [line("camera", "video"), line("microphone", "audio")];
  }

  #follow(): void {
    const isOpen = this.#worker !== null;
    const isDue = this.#isOffered && this.#isWanted && this.#isOnce && relayedCodec(this.#codec ?? "") !== null;
    if (isDue === isOpen) return;
    if (isDue) this.#open();
    else this.close();
    this.#options.changed();
  }

  /** For one worker. What it asks for again, a relay may have refused. */
  #askOnce(): () => void {
    const { media, ask } = this.#options;
    let kept = this.#access;
    return () => {
      const validFor = kept === null ? 0 : (kept.ends - media.life.clock.now()) / 1_000;
      if (kept !== null && validFor > LEAST_VALID) this.#worker?.given({ ...kept.given, validFor });
      else ask();
      kept = null;
    };
  }

  #session({ is }: LiveRelayState): void {
    this.#connectedSince = is === "connected" ? this.#options.media.life.clock.now() : null;
  }

  #open(): void {
    const { pool } = this.#options.media;
    if (pool === null) return;
    const tracks = [...PICTURE_TRACKS, SOUND_TRACK];
    const worker = new RelayWorker(
      { type: "publish", tracks, signatures: SIGNATURES },
      {
        ask: this.#askOnce(),
        state: (state) => this.#session(state),
        published: ({ track, frames, ms }) => this.#waits.set(track, { frames, ms }),
      },
    );
    this.#worker = worker;
    this.#waits.clear();
    const port = () => {
      const { port1, port2 } = new MessageChannel();
      worker.post({ type: "feed", port: port1 }, [port1]);
      return port2;
    };
    pool.publication.open(port, (batch) => this.sign(batch));
    this.refresh();
  }
}

function isSame(some: readonly Size[], others: readonly Size[]): boolean {
  const isAt = ({ width, height }: Size, at: number) => others[at]?.width === width && others[at]?.height === height;
  return some.length === others.length && some.every(isAt);
}
