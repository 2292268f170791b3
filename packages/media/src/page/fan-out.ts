import { encoderConfig, MOST_SIZES } from "../shared/encoding.ts";
import type { FanOutOrder, FanOutWish, ShownSize } from "../shared/fan-out.ts";
import type { StreamCounter } from "../shared/messages.ts";
import { framesOf, hasBreakoutBox, isWritten, writtenTrack } from "./breakout-box.ts";
import { floorOf, type NewSealer, newSealer } from "./new-sealer.ts";

/** Bits per second. Unless it is set, Chromium probes for no more bandwidth than a stand-in needs. */
const LOOK_FOR = 2_500_000;

/** Sealers of the last workers that may have left frames unsigned (see [Note: Batches]): a viewer remembers as many of them. */
const MOST_INSTANCES = 8 * MOST_SIZES;

/** Whether video can be encoded once for several links here, found by trying. `mimeType` in lower case. */
export async function canEncodeOnce(mimeType: string): Promise<boolean> {
  if (!hasBreakoutBox() || !("VideoEncoder" in globalThis)) return false;
  const config = encoderConfig({ mimeType, width: 1280, height: 720, bitrate: 1_000_000 });
  if (config === null) return false;
  // Rejects where a value is none that this browser knows.
  const { supported = false } = await VideoEncoder.isConfigSupported(config).catch(() => ({ supported: false }));
  return supported;
}

/** To change the parameters of a sender. */
const MOST_TRIES = 5;

const NO_VIDEO: FanOutOrder = { type: "show", picture: null, standsStill: false, isText: false };

interface Host {
  /** To the worker in which all links of this source are sealed. */
  order(order: FanOutOrder, transfer?: Transferable[]): void;
  /** A number that no sealer had before. */
  instance(): number;
  failed(): void;
}

interface Link {
  sender: RTCRtpSender;
  standIns: MediaStreamTrack;
  shown: ShownSize | null;
  /** Until then the sender may still get the stand-ins. */
  put: Promise<void>;
}

/**
 * The page's side of video that is encoded and sealed once for several links: gives each link's sender a track of stand-ins
 * (see [Note: Stand-ins]).
 */
export class FanOut {
  readonly #host: Host;
  /** By the id of the link's sealing transform. */
  readonly #carried = new Map<string, Link>();
  #camera: MediaStreamTrack | null = null;
  #isText = false;
  #mimeType = "";
  /** One for each size. */
  #sealers: NewSealer[];
  /** The numbers of those whose worker died. */
  #ended: number[] = [];
  #isStarted = false;
  #signed: ((batch: Uint8Array) => void) | null = null;
  #limit: number | null = null;
  #isPublished = false;

  /** The numbers are drawn here, so that what `floors` gives does not tell whether anything was sealed. */
  constructor(host: Host) {
    this.#host = host;
    this.#sealers = this.#newSealers();
  }

  /**
   * For each of its sealers the KID and the highest counter so far, by what the pool's workers report of those that have
   * sealed in the epoch that is sent in. Always as many.
   */
  floors(sealed: readonly StreamCounter[]): { kid: bigint; highest: number }[] {
    return this.#sealers.map((sealer) => floorOf(sealer, "camera", sealed));
  }

  /**
   * Frames are to be signed (PROTOCOL.md section 6.13): `signed` gets each batch of signatures, for everybody who gets the
   * picture. To be called before anything is carried.
   */
  sign(signed: (batch: Uint8Array) => void): void {
    this.#signed = signed;
  }

  /** From now on this is the picture, as its content hint is now; null while there is none. The track stays the caller's. */
  show(camera: MediaStreamTrack | null): void {
    const isText = camera?.contentHint === "text";
    if (camera === this.#camera && isText === this.#isText) return;
    this.#camera = camera;
    this.#isText = isText;
    if (!this.#isUsed) return;
    this.#show();
    if (camera === null) for (const id of this.#carried.keys()) void this.put(id);
  }

  /** In lower case. One that all links have negotiated, and of which `canEncodeOnce` says that it can be. */
  encodeAs(mimeType: string): void {
    if (mimeType === this.#mimeType) return;
    this.#mimeType = mimeType;
    if (this.#isStarted) this.#host.order({ type: "encode-as", mimeType });
  }

  /** From now on no link carries more than this many bits per second. Without a limit, the size of the frames decides. */
  limit(bitsPerSecond: number): void {
    if (bitsPerSecond === this.#limit) return;
    this.#limit = bitsPerSecond;
    if (this.#isStarted) this.#host.order({ type: "limit", bitsPerSecond });
    for (const { sender } of this.#carried.values()) void this.#uncap(sender);
  }

  /**
   * Puts the picture on this sender, in the place of what it has. That goes on until a key frame is ready. Does nothing
   * where it is there. `shown`: how large the other end shows it, null while that is not known.
   */
  carry(id: string, sender: RTCRtpSender, shown: ShownSize | null): void {
    if (this.#carried.has(id)) return;
    if (!this.#isStarted) this.#start();
    if (!this.#isUsed) this.#show();
    void this.#standIn(id, sender, shown);
  }

  /** The other end of that link shows the picture so large from now on: no size larger than that needs goes there. */
  shownAs(id: string, shown: ShownSize): void {
    const link = this.#carried.get(id);
    if (link === undefined) return;
    link.shown = shown;
    this.#host.order({ type: "shown", id, shown });
  }

  /**
   * The link is to encode its stand-ins from now on. True where it encoded another picture before: the first stand-in, of
   * another size, will be a key frame.
   */
  async put(id: string): Promise<boolean> {
    const link = this.#carried.get(id);
    if (link === undefined) return false;
    const before = link.sender.track;
    if (before === link.standIns) return false;
    // Rejects when the connection has closed meanwhile: then there is nobody to send to.
    link.put = link.sender.replaceTrack(link.standIns).catch(() => undefined);
    await link.put;
    return before !== null && !isWritten(before);
  }

  /** No picture goes to that link any more. Resolves once nothing more is put on its sender, which may have an ended track then. */
  async drop(id: string): Promise<void> {
    const link = this.#carried.get(id);
    if (link === undefined) return;
    this.#carried.delete(id);
    this.#host.order({ type: "drop", id });
    if (!this.#isUsed) this.#host.order(NO_VIDEO);
    await link.put;
  }

  /** Whether it goes to relays as well, whatever the links have: see `Publication`. */
  publish(on: boolean): void {
    if (on === this.#isPublished) return;
    if (!this.#isStarted) this.#start();
    if (on && !this.#isUsed) this.#show();
    this.#isPublished = on;
    if (!this.#isUsed) this.#host.order(NO_VIDEO);
  }

  /** The worker is another one: what the one before it wrote to is dead. */
  restart(): void {
    if (!this.#isStarted) return;
    this.#ended = [...this.#ended, ...this.#sealers.map(({ instance }) => instance)].slice(-MOST_INSTANCES);
    this.#sealers = this.#newSealers();
    this.#start();
    if (this.#isUsed) this.#show();
    for (const [id, { sender, shown }] of this.#carried) void this.#standIn(id, sender, shown);
  }

  hear(wish: FanOutWish): void {
    if (wish.type === "failed") this.#host.failed();
    else if (wish.type === "signed") this.#signed?.(wish.batch);
    else for (const [id, { sender }] of this.#carried) void this.#estimate(id, sender);
  }

  get #isUsed(): boolean {
    return this.#carried.size > 0 || this.#isPublished;
  }

  #start(): void {
    this.#isStarted = true;
    const sealers = this.#sealers.map(({ instance, first }) => ({ instance, first }));
    this.#host.order({ type: "start", sealers, signed: this.#signed && { ended: this.#ended } });
    this.#host.order({ type: "encode-as", mimeType: this.#mimeType });
    if (this.#limit !== null) this.#host.order({ type: "limit", bitsPerSecond: this.#limit });
  }

  #newSealers(): NewSealer[] {
    return Array.from({ length: MOST_SIZES }, () => newSealer(this.#host.instance()));
  }

  #show(): void {
    // Browsers refuse to read one that has ended.
    if (this.#camera?.readyState !== "live") return this.#host.order(NO_VIDEO);
    const picture = framesOf(this.#camera);
    const order = { type: "show", picture, standsStill: standsStill(this.#camera), isText: this.#isText } as const;
    this.#host.order(order, [picture]);
  }

  async #standIn(id: string, sender: RTCRtpSender, shown: ShownSize | null): Promise<void> {
    const standIns = writtenTrack();
    const put = this.#carried.get(id)?.put ?? Promise.resolve();
    const link: Link = { sender, standIns, shown, put };
    this.#carried.set(id, link);
    void this.#uncap(sender);
    // Nothing goes out on it: no estimate is worth waiting for.
    const isNew = sender.track === null;
    const bitsPerSecond = isNew ? null : this.#limited(await estimateOf(sender));
    // It was dropped meanwhile, or has other ones.
    if (this.#carried.get(id) !== link) return;
    const order = { type: "carry", id, standIns: standIns.writable, isNew, bitsPerSecond, shown: link.shown } as const;
    this.#host.order(order, [standIns.writable]);
    // There is no old picture that would go on, or none to wait for.
    if (isNew || this.#camera === null) void this.put(id);
  }

  async #estimate(id: string, sender: RTCRtpSender): Promise<void> {
    const bitsPerSecond = this.#limited(await estimateOf(sender));
    if (bitsPerSecond !== null) this.#host.order({ type: "estimate", id, bitsPerSecond });
  }

  #limited(estimate: number | null): number | null {
    return estimate === null ? null : Math.min(estimate, this.#limit ?? estimate);
  }

  /** Where another change of the sender's parameters or a negotiation comes between, what that left is the start of the next try. */
  async #uncap(sender: RTCRtpSender): Promise<void> {
    for (let isSet = false, tries = 0; !isSet && tries < MOST_TRIES; tries++) {
      const parameters = sender.getParameters();
      for (const encoding of parameters.encodings) encoding.maxBitrate = this.#limit ?? LOOK_FOR;
      // Where none gets through, the estimate rises more slowly.
      isSet = await sender.setParameters(parameters).then(
        () => true,
        () => false,
      );
    }
  }
}

/** Screens give a frame when something on them moves, and a composition when a screen or a camera does. Cameras always do. */
function standsStill(picture: MediaStreamTrack): boolean {
  return "displaySurface" in picture.getSettings() || isWritten(picture);
}

/** What the browser thinks that the link carries; null as long as it knows nothing. */
async function estimateOf(sender: RTCRtpSender): Promise<number | null> {
  // Rejects once the connection is closed.
  const stats = await sender.getStats().catch(() => null);
  const pairs = [...(stats?.values() ?? [])].filter(({ type, nominated }) => type === "candidate-pair" && nominated);
  return pairs.map(({ availableOutgoingBitrate }) => availableOutgoingBitrate).find((estimate) => estimate) ?? null;
}
