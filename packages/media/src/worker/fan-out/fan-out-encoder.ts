import type { DropReason, VideoSource } from "@sealcast/frame";
import { atMostEvery, type Cancel, type Clock, every, type Milli, milli, systemClock } from "@sealcast/time";
import { type FanOutOrder, type FanOutReport, type FanOutWish, KEY_FRAME_GAP } from "../../shared/fan-out.ts";
import { PICTURE_TRACKS } from "../../shared/publication.ts";
import type { RelayFeed } from "../relay-feed.ts";
import type { Keyring } from "../sealing/keyring.ts";
import type { Policies } from "../sealing/policies.ts";
import { Sealer } from "../sealing/sealer.ts";
import type { Signer } from "../sealing/signer.ts";
import type { WorkerLoad } from "../track/worker-load.ts";
import { takeEach } from "../track-pieces.ts";
import { type EncodedStandIn, FanOutLink } from "./fan-out-link.ts";
import type { SealedFrame } from "./sealed-frame.ts";
import { TierEncoder } from "./tier-encoder.ts";
import { rateOf, type Tier, tiersOf } from "./tiers.ts";
import { upright } from "./upright.ts";

/** Estimates are asked for so often, since nothing else slows a fan-out down. */
const ESTIMATES_GAP = milli(500);
/** A screen gives a frame only when something on it moves: a request for a key frame waits this long at most. */
const STILL = milli(500);

/** Who comes to a relay begins with the newest group, of which each starts with a key frame. */
const GROUP = milli(2_000);

interface Wishes {
  /** Has the encoder of a link make a key frame of its next stand-in. */
  standInKey(id: string): void;
  tell(wish: FanOutWish): void;
}

interface Rules {
  keyring: Keyring;
  policies: Policies;
  load: WorkerLoad;
  /** Where frames go besides the links; null: nowhere. */
  feed?(): Pick<RelayFeed, "isWatched" | "write"> | null;
}

interface Size {
  encoder: TierEncoder;
  needKey: () => void;
  refused: Map<DropReason, number>;
  /** When the latest key frame came, or one was asked for, for the sake of the relays. */
  grouped: Milli;
}

/**
 * One source, encoded once a size and sealed once, for every link that it carries: camera -> encoders -> sealers ->
 * writers, all in this worker. Only sizes that a link gets are encoded.
 */
export class FanOutEncoder {
  readonly #source: VideoSource;
  readonly #wishes: Wishes;
  readonly #clock: Clock;
  readonly #feed: NonNullable<Rules["feed"]>;
  readonly #sizes: Size[];
  readonly #carried = new Map<string, FanOutLink>();
  #tiers: Tier[] = [];
  #of = { width: 0, height: 0 };
  #mimeType = "";
  /** Bits per second, of what goes to relays. */
  #limit = Number.POSITIVE_INFINITY;
  #camera: ReadableStream<VideoFrame> | null = null;
  #standsStill = false;
  #isText = false;
  /** The last frame, which is to be encoded again. */
  #still: { frame: VideoFrame; cancel: Cancel } | null = null;
  #stopAsking: Cancel | null = null;

  /** `sealers`: a number for each, never used before, and a first counter. `signer` makes one for each, where frames are signed. */
  constructor(
    source: VideoSource,
    sealers: readonly { instance: number; first: number }[],
    signer: () => Signer | null,
    { keyring, policies, load, feed = () => null }: Rules,
    wishes: Wishes,
    clock: Clock = systemClock,
  ) {
    this.#source = source;
    this.#clock = clock;
    this.#wishes = wishes;
    this.#feed = feed;
    this.#sizes = sealers.map((sealer, tier) =>
      this.#size(tier, new Sealer(keyring, policies, "video", { source, ...sealer }, signer()), load),
    );
  }

  hear(order: Exclude<FanOutOrder, { type: "start" }>): void {
    switch (order.type) {
      case "show":
        return this.#show(order);
      case "encode-as":
        this.#mimeType = order.mimeType;
        return;
      case "limit":
        this.#limit = order.bitsPerSecond;
        return;
      case "carry":
        return this.#carry(order);
      case "drop":
        return this.#drop(order.id);
      case "shown":
        return this.#adjust(order.id, (link) => link.show(order.shown));
      case "estimate":
        return this.#adjust(order.id, (link) => link.estimate(order.bitsPerSecond));
    }
  }

  /** What a link's encoder made. False where no such link is carried: the stand-in is to go nowhere. */
  standIn(id: string, standIn: EncodedStandIn): boolean {
    this.#carried.get(id)?.standIn(standIn);
    return this.#carried.has(id);
  }

  /** The link's encoder makes its next frame a key frame. */
  keyed(id: string): void {
    this.#carried.get(id)?.keyed();
  }

  /** Frames of a link were lost. False where it is not carried. */
  restart(id: string): boolean {
    this.#carried.get(id)?.restart();
    return this.#carried.has(id);
  }

  /** Nothing of this size is at the relay, or someone begins to watch it there. */
  startGroup(tier: number): void {
    this.#sizes[tier]?.needKey();
  }

  report(): FanOutReport {
    const links = [...this.#carried];
    const encoders = this.#sizes.flatMap(({ encoder, refused }, tier) => {
      if (encoder.encoding === null) return [];
      const { width, height } = encoder.encoding;
      const carried = links.flatMap(([id, link]) => (link.tiers[0] === tier ? [id] : []));
      const reasons = [...refused].map(([why, count]) => ({ why, count }));
      return [{ width, height, frames: encoder.frames, links: carried, refused: reasons }];
    });
    const frames = this.#sizes.reduce((sum, { encoder }) => sum + encoder.frames, 0);
    return {
      source: this.#source,
      sizes: this.#tiers.map(({ width, height }) => ({ width, height })),
      encoders,
      frames,
      paused: links.flatMap(([id, { isPaused }]) => (isPaused ? [id] : [])),
    };
  }

  #size(tier: number, sealer: Sealer, load: WorkerLoad): Size {
    const refused = new Map<DropReason, number>();
    const encoder = new TierEncoder(sealer, load, this.#clock, {
      sealed: (picture) => this.#sealed(tier, picture),
      refused: (why) => {
        refused.set(why, (refused.get(why) ?? 0) + 1);
        needKey();
      },
      failed: () => this.#wishes.tell({ type: "failed" }),
    });
    const needKey = atMostEvery(this.#clock, KEY_FRAME_GAP, () => encoder.needKey());
    return { encoder, needKey, refused, grouped: milli(Number.NEGATIVE_INFINITY) };
  }

  #show({ picture, standsStill, isText }: Extract<FanOutOrder, { type: "show" }>): void {
    this.#forget();
    this.#standsStill = standsStill;
    this.#isText = isText;
    // What is shown now may have other sizes, or the same ones with other rates.
    this.#of = { width: 0, height: 0 };
    this.#camera = picture;
    if (picture === null) for (const { encoder } of this.#sizes) encoder.stop();
    else
      void takeEach(
        picture,
        (frame) => this.#frame(upright(frame)),
        () => picture === this.#camera,
        this.#clock,
      );
  }

  #frame(frame: VideoFrame): void {
    const { displayWidth: width, displayHeight: height } = frame;
    if (this.#of.width !== width || this.#of.height !== height) {
      this.#of = { width, height };
      this.#tiers = tiersOf(width, height, { standsStill: this.#standsStill, isText: this.#isText });
      for (const link of this.#carried.values()) link.choose(this.#tiers);
    }
    for (const [at, { encoder }] of this.#sizes.entries()) {
      const links = [...this.#carried.values()].filter(({ tiers }) => tiers.includes(at));
      const tier = this.#tiers[at];
      const isIdle = links.length === 0 && !this.#isWatched(at);
      if (isIdle || tier === undefined) encoder.stop();
      else
        encoder.encode(frame, {
          ...tier,
          mimeType: this.#mimeType,
          isText: this.#isText,
          bitrate: this.#rate(at, tier, links),
        });
    }
    // Held back, it would be missing: a camera has three places for frames in Chromium, and with none free it gives nothing.
    if (this.#standsStill) this.#keep(frame);
    else frame.close();
  }

  /** To relays goes no more than to a link. */
  #rate(at: number, tier: Tier, links: readonly FanOutLink[]): number {
    const rates = links.map(({ rate }) => rate);
    return rateOf(tier, this.#isWatched(at) ? [...rates, this.#limit] : rates);
  }

  /** For as long as no other comes, it is encoded again: key frames are asked for. */
  #keep(frame: VideoFrame): void {
    this.#forget();
    const again = () => this.#frame(new VideoFrame(frame, { timestamp: frame.timestamp + STILL * 1_000 }));
    this.#still = { frame, cancel: this.#clock.after(STILL, again) };
  }

  #forget(): void {
    if (this.#still === null) return;
    this.#still.cancel();
    this.#still.frame.close();
    this.#still = null;
  }

  #sealed(tier: number, picture: SealedFrame): void {
    for (const link of this.#carried.values()) link.offer(tier, picture);
    if (this.#isWatched(tier)) this.#publish(tier, picture);
  }

  #isWatched(tier: number): boolean {
    const track = PICTURE_TRACKS[tier];
    return track !== undefined && this.#feed()?.isWatched(track) === true;
  }

  #publish(tier: number, picture: SealedFrame): void {
    const size = this.#sizes[tier];
    const track = PICTURE_TRACKS[tier];
    if (size === undefined || track === undefined) return;
    const { isKey, since, encoding } = picture;
    this.#feed()?.write(track, picture, { startsGroup: isKey, at: Number.isNaN(encoding) ? since : encoding });
    const now = this.#clock.now();
    if (!isKey && now - size.grouped < GROUP) return;
    size.grouped = now;
    if (!isKey) size.needKey();
  }

  #carry({ id, standIns, isNew, bitsPerSecond, shown }: Extract<FanOutOrder, { type: "carry" }>): void {
    const known = this.#carried.get(id);
    if (known !== undefined) return known.renew(standIns);
    const link = new FanOutLink(
      this.#clock,
      { standIns, isNew, bitsPerSecond },
      {
        standInKey: () => this.#wishes.standInKey(id),
        key: (tier) => this.#sizes[tier]?.needKey(),
      },
    );
    this.#carried.set(id, link);
    if (shown !== null) link.show(shown);
    if (this.#tiers.length > 0) link.choose(this.#tiers);
    link.restart();
    this.#stopAsking ??= every(this.#clock, ESTIMATES_GAP, () => this.#wishes.tell({ type: "estimates" }));
  }

  #drop(id: string): void {
    this.#carried.get(id)?.close();
    this.#carried.delete(id);
    if (this.#carried.size > 0) return;
    this.#stopAsking?.();
    this.#stopAsking = null;
    // Those that relays get stop with the picture.
    for (const [at, { encoder }] of this.#sizes.entries()) if (!this.#isWatched(at)) encoder.stop();
  }

  /** The link has heard something by which another size may suit it. */
  #adjust(id: string, hear: (link: FanOutLink) => void): void {
    const link = this.#carried.get(id);
    if (link === undefined) return;
    hear(link);
    if (this.#tiers.length > 0) link.choose(this.#tiers);
  }
}
