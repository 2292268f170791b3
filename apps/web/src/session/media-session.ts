import type { LayerCount } from "@sealcast/keys";
import { MediaPool } from "@sealcast/media";
import { systemClock } from "@sealcast/time";
import type { Proven } from "./audit/browser-counters.ts";
import { type Encryption, EncryptionAudit, NO_FRAMES, PROOF_EVERY, type Samples } from "./audit/encryption-audit.ts";
import { Overload } from "./audit/overload.ts";
import { type OverloadStep, OverloadSteps } from "./audit/overload-steps.ts";
import { type Healing, Repair } from "./audit/repair.ts";
import type { LocalMedia } from "./devices/local.ts";
import { type AddressView, IceAccess } from "./ice-access.ts";
import { Lifetime } from "./lifetime.ts";
import type { Measurable } from "./measuring/measurable.ts";
import { type TimedLink, Timing } from "./measuring/timing.ts";
import type { MediaParts, MediaPeer } from "./peer/media-peer.ts";
import { PictureEncoding, type Receivers } from "./peer/picture-encoding.ts";
import { offersTurn } from "./shell.ts";
import { keepAwake } from "./wake-lock.ts";
import { spawnMedia } from "./workers.ts";

/** What a call and both ends of a stream show of their media. */
export interface MediaView extends AddressView {
  encryption: Encryption;
  /** This computer does not keep up: video is being skipped. */
  overloaded: boolean;
  /** How much of this person's video gives way since this computer does not keep up. */
  overloadStep: OverloadStep;
  /** The last thing that was mended; a new object each time. */
  healed: Healing | null;
}

export const NO_MEDIA: MediaView = {
  ...{ encryption: NO_FRAMES, overloaded: false, overloadStep: 0, healed: null },
  ...{ hidesAddress: false, hasTurn: false },
};

interface MediaSessionOptions {
  /** Whether connections go through the TURN server alone, as the person chose the last time. */
  hidesAddress: boolean;
  show(change: Partial<MediaView>): void;
  /** A media worker and the keys worker speak to each other over it. */
  keysPort(port: MessagePort): void;
  /** Connections whose media is held against the browser's counters. */
  peers(): readonly MediaPeer[];
  /** What goes besides, not over any of these connections, and is held against the browser's counters, too. */
  besides?(): readonly Proven[];
  /** What goes over relays, to be measured. */
  timedRelays?(): readonly TimedLink[];
  /** Whether samples of these connections say something now. */
  isAudited(peers: readonly MediaPeer[]): boolean;
  /** What is to be done with samples beside the badge. */
  sampled(samples: Samples): void;
  /** The camera gives less from now on, or as much as it did. */
  ease(step: OverloadStep): void;
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
  readonly ice: IceAccess;
  readonly #options: MediaSessionOptions;
  readonly #overload = new Overload();
  readonly #steps = new OverloadSteps(this.life.clock);
  #step: OverloadStep = 0;
  #parts: Parts | null = null;
  #encryption = NO_FRAMES;
  #isSampling = false;

  constructor(options: MediaSessionOptions) {
    this.#options = options;
    this.ice = new IceAccess(this.life, {
      view: { hidesAddress: options.hidesAddress, hasTurn: offersTurn() },
      show: (view) => options.show(view),
      changed: (ice) => {
        for (const { link } of options.peers()) link.use(ice);
      },
      hidden: () => {
        if (options.peers().length > 0) options.rejoin();
      },
      refused: () => this.drop("unreadable"),
    });
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
      ice: this.ice.ice,
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
    this.#parts = { pool, audit: new EncryptionAudit(pool, clock), repair, timing: new Timing(pool, clock) };
    return pool;
  }

  /** What the devices give is encoded for all from now on, where it is encoded once. */
  feed(local: LocalMedia): void {
    for (const source of ["camera", "screen-picture"] as const) this.pool?.fanOuts[source].show(local.track(source));
  }

  /** From now on the badge follows what is counted, and the screen stays on while there is something to count. */
  audit(): void {
    keepAwake(this.life, () => this.#options.isAudited(this.#options.peers()));
    this.life.every(PROOF_EVERY, () => void this.#sample());
  }

  /** The epoch, or a stream's rotation, that is sent in from now on. */
  enter(epoch: number): void {
    this.#judged({ ...this.#encryption, epoch });
  }

  get epoch(): number | null {
    return this.#encryption.epoch;
  }

  /** Something that came was refused, for this reason. */
  drop(why: string): void {
    this.#parts?.audit.drop(why);
  }

  /** The network changed: each connection looks for a new way at once. */
  reconnect(): void {
    for (const { link } of this.#options.peers()) link.restart();
  }

  /** Sets up transforms, connections and keys again. */
  repair(peers: readonly MediaPeer[]): void {
    this.#parts?.repair.all(peers);
  }

  /** For the dashboard; null before `start`. */
  measurable(): Measurable | null {
    if (this.#parts === null) return null;
    const { pool, timing } = this.#parts;
    const { peers, timedRelays = () => [] } = this.#options;
    return {
      ...{ clock: this.life.clock, pool, timing, encryption: () => this.#encryption },
      peers: () => [...peers(), ...timedRelays()],
    };
  }

  async #sample(): Promise<void> {
    const peers = this.#options.peers();
    if (this.#parts === null || this.#isSampling || !this.#options.isAudited(peers)) return;
    const { audit, repair } = this.#parts;
    this.#isSampling = true;
    const samples = await audit.sample([...peers, ...(this.#options.besides?.() ?? [])]).finally(() => {
      this.#isSampling = false;
    });
    if (!this.#options.isAudited(peers)) return;
    this.#options.sampled(samples);
    this.#judged(audit.judge(samples.samples, samples.fanOuts, this.epoch));
    this.#give(this.#overload.examine(samples));
    for (const peer of peers) peer.examine(samples.fanOuts.now, this.#step === 3);
    repair.examine(samples.samples, this.#options.leaf());
  }

  /** Video gives way where this computer does not keep up. */
  #give(isOverloaded: boolean): void {
    const step = this.#steps.examine(isOverloaded);
    if (step !== this.#step) this.#options.ease(step);
    this.#step = step;
    this.#options.show({ overloaded: isOverloaded, overloadStep: step });
  }

  #judged(encryption: Encryption): void {
    this.#encryption = encryption;
    this.#options.show({ encryption });
  }
}
