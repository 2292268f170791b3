import type { LayerCount } from "@sealcast/keys";
import { MediaPool } from "@sealcast/media";
import { systemClock } from "@sealcast/time";
import { type Encryption, EncryptionAudit, NO_FRAMES, PROOF_EVERY, type Samples } from "./audit/encryption-audit.ts";
import { Overload } from "./audit/overload.ts";
import { type Healing, Repair } from "./audit/repair.ts";
import type { LocalMedia } from "./devices/local.ts";
import { Lifetime } from "./lifetime.ts";
import type { Measurable } from "./measuring/measurable.ts";
import { Timing } from "./measuring/timing.ts";
import type { MediaParts, MediaPeer } from "./peer/media-peer.ts";
import { PictureEncoding, type Receivers } from "./peer/picture-encoding.ts";
import { stunServers } from "./server.ts";
import { spawnMedia } from "./workers.ts";

/** What a call and both ends of a stream show of their media. */
export interface MediaView {
  encryption: Encryption;
  /** This computer does not keep up: video is being skipped. */
  overloaded: boolean;
  /** The last thing that was mended; a new object each time. */
  healed: Healing | null;
}

export const NO_MEDIA: MediaView = { encryption: NO_FRAMES, overloaded: false, healed: null };

interface MediaSessionOptions {
  show(change: Partial<MediaView>): void;
  /** A media worker and the keys worker speak to each other over it. */
  keysPort(port: MessagePort): void;
  /** Connections whose media is held against the browser's counters. */
  peers(): readonly MediaPeer[];
  /** Whether samples of these connections say something now. */
  isAudited(peers: readonly MediaPeer[]): boolean;
  /** What is to be done with samples beside the badge. */
  sampled(samples: Samples): void;
  /** To whom this person's picture goes; none in a viewer's page. */
  receivers(): Receivers;
  /** This member's own leaf: of several who see the same, the lowest mends first. */
  leaf(): number;
  /** Makes fresh keys, or a fresh connection, since frames do not open. */
  rejoin(): void;
}

interface Parts {
  readonly pool: MediaPool;
  readonly audit: EncryptionAudit;
  readonly repair: Repair;
  readonly timing: Timing;
}

/**
 * What a call, a stream's host and a viewer have in common: media workers and their way to the keys worker; twice a second,
 * what the workers did beside what the browser counted, and what is mended then; who answers for times of frames; how the
 * picture is encoded; and the addresses at which connections ask for their own.
 */
export class MediaSession {
  readonly life = new Lifetime(systemClock);
  readonly encoding: PictureEncoding;
  readonly #options: MediaSessionOptions;
  readonly #overload = new Overload();
  #parts: Parts | null = null;
  #encryption = NO_FRAMES;
  #iceServers: RTCIceServer[] = [];
  #isSampling = false;

  constructor(options: MediaSessionOptions) {
    this.#options = options;
    this.encoding = new PictureEncoding(this.life, () => this.pool, options.receivers);
  }

  /** Null before `start`. */
  get pool(): MediaPool | null {
    return this.#parts?.pool ?? null;
  }

  /** What a new connection takes of it; null before `start`. */
  get parts(): MediaParts | null {
    if (this.#parts === null) return null;
    const { pool, timing } = this.#parts;
    return {
      clock: this.life.clock,
      pool,
      timing,
      iceServers: this.#iceServers,
      addressRefused: () => this.drop("address"),
    };
  }

  /** Starts media workers: `workers` at most, one a core where that is not given. */
  start(layers: LayerCount, workers?: number): MediaPool {
    const { show, keysPort, rejoin } = this.#options;
    const healed = (healed: Healing) => show({ healed });
    const events = {
      replaced: () => healed({ what: "worker", who: "" }),
      fanOutFailed: () => this.encoding.fail(),
    };
    const pool = new MediaPool(() => spawnMedia(layers), keysPort, events, workers);
    this.life.bind(() => pool.close());
    const { clock } = this.life;
    const repair = new Repair({ rejoin, healed }, clock);
    this.#parts = { pool, audit: new EncryptionAudit(pool), repair, timing: new Timing(pool, clock) };
    return pool;
  }

  /** What the devices give is encoded for all from now on, where it is encoded once. */
  feed(local: LocalMedia): void {
    for (const source of ["camera", "screen-picture"] as const) this.pool?.fanOuts[source].show(local.track(source));
  }

  /** From now on the badge follows what is counted. */
  audit(): void {
    this.life.every(PROOF_EVERY, () => void this.#sample());
  }

  /** The epoch, or a stream's rotation, that is sent in from now on. */
  enter(epoch: number): void {
    this.#judged({ ...this.#encryption, epoch });
  }

  get epoch(): number | null {
    return this.#encryption.epoch;
  }

  /** The server answers STUN at this port; null: it does not. */
  asksAt(stunPort: number | null): void {
    if (stunPort !== null) this.#iceServers = stunServers(stunPort);
  }

  /** Something that came was refused, for this reason. */
  drop(why: string): void {
    this.#parts?.audit.drop(why);
  }

  /** Sets up transforms, connections and keys again. */
  repair(peers: readonly MediaPeer[]): void {
    this.#parts?.repair.all(peers);
  }

  /** For the dashboard; null before `start`. */
  measurable(): Measurable | null {
    if (this.#parts === null) return null;
    const { pool, timing } = this.#parts;
    return { clock: this.life.clock, pool, timing, peers: this.#options.peers, encryption: () => this.#encryption };
  }

  async #sample(): Promise<void> {
    const peers = this.#options.peers();
    if (this.#parts === null || this.#isSampling || !this.#options.isAudited(peers)) return;
    const { audit, repair } = this.#parts;
    this.#isSampling = true;
    const samples = await audit.sample(peers).finally(() => {
      this.#isSampling = false;
    });
    if (!this.#options.isAudited(peers)) return;
    this.#options.sampled(samples);
    this.#judged(audit.judge(samples.samples, samples.fanOuts, this.epoch));
    this.#options.show({ overloaded: this.#overload.examine(samples) });
    // What its sender did not sign is not mended here: nothing opens any more on that connection.
    if (!peers.some(({ isForged }) => isForged)) repair.examine(samples.samples, this.#options.leaf());
  }

  #judged(encryption: Encryption): void {
    this.#encryption = encryption;
    this.#options.show({ encryption });
  }
}
