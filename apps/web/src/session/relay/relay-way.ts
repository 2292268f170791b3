import type { Attachment, MediaPool } from "@sealcast/media";
import { kindOf, type LineSource } from "@sealcast/network";
import type { RelayConnection, RelayEvents, RelayOptions } from "@sealcast/network/relay";
import { type Cancel, type Clock, milli } from "@sealcast/time";
import type { Proven, ProvenLine } from "../audit/browser-counters.ts";
import type { LocalMedia } from "../devices/local.ts";
import { Outgoing } from "../peer/outgoing.ts";
import type { Received } from "../reception/reception.ts";
import { TrackStats } from "./track-stats.ts";

const SOURCES = ["microphone", "camera", "screen-sound", "screen-picture"] as const;
/** Where a track does not say. */
const USUAL = { width: 1280, height: 720 };
/** What the relay did not take is offered again after this. */
const AGAIN = milli(10_000);

interface RelayWayOptions extends Pick<RelayEvents, "open" | "ended"> {
  readonly pool: MediaPool;
  readonly clock: Clock;
  readonly local: LocalMedia;
  /** A batch of signatures of what went out, for everybody whom it goes to. */
  signed(batch: Uint8Array): void;
  /** It stands otherwise than before. */
  changed(): void;
}

interface SendingLine extends ProvenLine, Pick<Proven, "stats"> {
  readonly sent: Attachment;
  readonly outgoing: Outgoing;
}

/** This page's way over the relay: what it sends there, once for everybody, and what comes. */
export class RelayWay {
  readonly #options: RelayWayOptions;
  readonly #connection: RelayConnection;
  readonly #lines = new Map<LineSource, SendingLine>();
  #cancelAgain: Cancel | null = null;

  /** @throws Where the relay cannot be reached or does not let this page in. */
  static async open(to: RelayOptions, options: RelayWayOptions): Promise<RelayWay> {
    // LiveKit's client is as large as the rest of a call.
    const { RelayConnection } = await import("@sealcast/network/relay");
    const way = new RelayWay(RelayConnection, options);
    await way.#connection.connect(to);
    way.refresh();
    return way;
  }

  private constructor(Connection: typeof RelayConnection, options: RelayWayOptions) {
    this.#options = options;
    this.#connection = new Connection({
      seal: (sender, source, silence) => this.#seal(sender, source, silence),
      open: options.open,
      ended: options.ended,
      state: options.changed,
    });
  }

  get connection(): Pick<RelayConnection, "state" | "follow" | "show" | "allow"> {
    return this.#connection;
  }

  /** What is sent, to be held against the browser's counters. */
  get proven(): Proven[] {
    return [...this.#lines.values()].map((line) => ({
      ...{ name: null, state: "connected" },
      ...{ stats: line.stats, lines: [line] },
    }));
  }

  /** This page's sound, as it goes there. */
  get voice(): Received | null {
    const line = this.#lines.get("microphone");
    return line ? { state: "connected", lines: [line], stats: line.stats } : null;
  }

  /** Sends what there is to send now. */
  refresh(): void {
    for (const source of SOURCES) {
      const settings = this.#options.local.track(source)?.getSettings();
      if (settings === undefined) continue;
      const { width = USUAL.width, height = USUAL.height } = settings;
      if (this.#connection.state === "connected")
        this.#connection.publish(source, { width, height }).catch(() => this.#refreshAgain());
    }
    for (const { outgoing } of this.#lines.values()) void outgoing.feed();
  }

  close(): void {
    this.#cancelAgain?.();
    this.#connection.close();
    for (const { outgoing } of this.#lines.values()) outgoing.close();
    this.#lines.clear();
  }

  /** Once, however many tracks were not taken. */
  #refreshAgain(): void {
    this.#cancelAgain ??= this.#options.clock.after(AGAIN, () => {
      this.#cancelAgain = null;
      this.refresh();
    });
  }

  /** Of each source there is one sender; another one comes after the connection was made again. */
  #seal(sender: RTCRtpSender, source: LineSource, silence: MediaStreamTrack | null): void {
    const { pool, clock, local, signed } = this.#options;
    this.#lines.get(source)?.outgoing.close();
    const kind = kindOf(source);
    const sent = pool.seal(sender, kind, source, signed);
    const fanOut = pool.fanOuts[source === "screen-picture" ? source : "camera"];
    const track = () => (kind === "video" && local.isSoundAlone ? null : (local.track(source) ?? silence));
    const outgoing = new Outgoing(sender, sent, { fanOut, way: () => "own", track }, clock);
    const stats = new TrackStats(sender, clock);
    this.#lines.set(source, {
      ...{ source, kind, transceiver: stats, stats },
      ...{ sent, received: null, outgoing, isRelayed: true },
    });
    void outgoing.feed();
  }
}
