import { type Attachment, type MediaPool, type ShownSize, UNSEEN_FOR } from "@sealcast/media";
import { atMostEvery, type Cancel, type Clock, SerialQueue } from "@sealcast/time";
import { SHOWN_GAP } from "../budgets.ts";
import { isCodec } from "./codecs.ts";
import { isUnseen } from "./shown.ts";

interface Around {
  readonly fanOut: MediaPool["fanOuts"]["camera"];
  /**
   * `own`: the track, encoded on this link; `shared`: the picture that one encoder makes for several links; `unchanged`:
   * what it has, for now.
   */
  way(): "own" | "shared" | "unchanged";
  track(): MediaStreamTrack | null;
}

/** What gives way first where the link or the computer does not do for all of a screen, by the content hint of its track. */
const PREFERENCES: Record<string, RTCDegradationPreference> = {
  text: "maintain-resolution",
  motion: "maintain-framerate",
};

/** To change the parameters of a sender. */
const MOST_TRIES = 5;

/** What one media line sends. Its sender has no track before the sealing transform is ready. */
export class Outgoing {
  readonly #sender: RTCRtpSender;
  readonly #sent: Attachment;
  readonly #around: Around;
  /** One change after the other, behind the transform: where that does not become ready, nothing is ever sent. */
  readonly #feeding = new SerialQueue();
  readonly #clock: Clock;
  readonly #show: () => void;
  /** Each change of parameters starts from what the one before it left. */
  readonly #changes = new SerialQueue();
  #limit: number | null = null;
  #shown: ShownSize | null = null;
  /** Nobody has seen it for a while: an own encoder makes none. */
  #rests = false;
  #cancelRest: Cancel | null = null;
  #isClosed = false;

  constructor(sender: RTCRtpSender, sent: Attachment, around: Around, clock: Clock) {
    this.#clock = clock;
    this.#show = atMostEvery(clock, SHOWN_GAP, () => {
      if (this.#shown !== null) this.#follow(this.#shown);
    });
    this.#sender = sender;
    this.#sent = sent;
    this.#around = around;
  }

  /** Sends what there is to send now. */
  feed(): Promise<void> {
    return this.#feeding.run(async () => {
      await this.#sent.ready;
      await this.#give();
    });
  }

  /** From now on in that codec, as far as both ends have negotiated it. */
  encodeAs(name: string): Promise<void> {
    return this.#change((parameters) => {
      const codec = parameters.codecs.find((negotiated) => isCodec(negotiated, name));
      // W3C WebRTC Extensions section 5.5; the types of the platform do not know it yet.
      const encodings: (RTCRtpEncodingParameters & { codec?: RTCRtpCodec })[] = parameters.encodings;
      if (codec === undefined || encodings.every((encoding) => encoding.codec?.mimeType === codec.mimeType))
        return false;
      for (const encoding of encodings) encoding.codec = codec;
      return true;
    });
  }

  /** The line's own encoder makes no more than this many bits per second from now on. */
  async limit(bitsPerSecond: number): Promise<void> {
    this.#limit = bitsPerSecond;
    if (this.#around.way() !== "shared") await this.#adjust();
  }

  /** It has a picture, which is encoded on this link and goes there. */
  get hasOwnPicture(): boolean {
    return this.#sender.track !== null && !this.#rests && this.#around.way() === "own";
  }

  /**
   * The other end shows it so large from now on. A picture that is encoded once goes there no larger than that needs; an own
   * encoder follows the way, and keeps its rate where that is asked for. What nobody sees rests after a while, and goes on with a
   * key frame. One size a second is followed, the last of them: others of that picture get the key frames, too.
   */
  shownAs(shown: ShownSize): void {
    this.#shown = shown;
    this.#show();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRest?.();
    void this.#around.fanOut.drop(this.#sent.id);
    this.#sent.release();
  }

  async #give(): Promise<void> {
    const { fanOut } = this.#around;
    const way = this.#around.way();
    if (way === "unchanged") return;
    if (way === "shared") {
      // That encoder leaves out links by itself.
      await this.#change(({ encodings }) => set(encodings, { active: true }));
      // Of a link that has closed meanwhile nothing would be dropped any more.
      if (!this.#isClosed) fanOut.carry(this.#sent.id, this.#sender, this.#shown);
      return;
    }
    // First: what it is about to put on the sender would take the track's place.
    await fanOut.drop(this.#sent.id);
    const track = this.#around.track();
    // Rejects when the connection has closed meanwhile: then there is nobody to send to.
    if (this.#sender.track !== track) await this.#sender.replaceTrack(track).catch(() => undefined);
    await this.#adjust();
  }

  #follow(shown: ShownSize): void {
    this.#around.fanOut.shownAs(this.#sent.id, shown);
    if (!isUnseen(shown)) this.#rest(false);
    else this.#cancelRest ??= this.#clock.after(UNSEEN_FOR, () => this.#rest(true));
    if (this.#around.way() === "own") void this.#adjust();
  }

  #rest(rests: boolean): void {
    this.#cancelRest?.();
    this.#cancelRest = null;
    if (rests === this.#rests) return;
    this.#rests = rests;
    if (this.#around.way() === "own") void this.#adjust();
  }

  /** Parameters that belong to what the line's own encoder has now. Sound goes before video, as far as browsers follow that. */
  #adjust(): Promise<void> {
    const { track } = this.#sender;
    if (track === null) return Promise.resolve();
    const priority: RTCPriorityType = track.kind === "audio" ? "high" : "low";
    const preference = this.#preferenceFor(track);
    const most = this.#limit;
    // Of whom nothing is heard of sizes switches the encodings itself, as the media relay's client does.
    const active = this.#shown === null ? undefined : { active: !this.#rests };
    return this.#change((parameters) => {
      const isPreferred = parameters.degradationPreference === preference;
      const wanted = { priority, ...active, ...(most !== null && { maxBitrate: most }) };
      if (!set(parameters.encodings, wanted) && isPreferred) return false;
      // A live stream's line may carry a screen first, and a camera after it.
      if (preference === undefined) delete parameters.degradationPreference;
      else parameters.degradationPreference = preference;
      // Firefox does not tell this one.
      for (const encoding of parameters.encodings) encoding.networkPriority = priority;
      return true;
    });
  }

  /** What is shared says itself what matters of it; of a camera the other end does. Undefined: as the browser likes, so far. */
  #preferenceFor({ kind, contentHint }: MediaStreamTrack): RTCDegradationPreference | undefined {
    const ofContent = PREFERENCES[contentHint];
    if (ofContent !== undefined || kind === "audio" || this.#shown === null) return ofContent;
    return this.#shown.keepsRate ? "maintain-framerate" : "balanced";
  }

  /**
   * `change` says whether it changed anything. Where a negotiation or a change of the fan-out's comes between, what that left is
   * the start of the next try.
   */
  #change(change: (parameters: RTCRtpSendParameters) => boolean): Promise<void> {
    return this.#changes.run(async () => {
      for (let isSet = false, tries = 0; !isSet && tries < MOST_TRIES; tries++) {
        const parameters = this.#sender.getParameters();
        if (!change(parameters)) return;
        isSet = await this.#sender.setParameters(parameters).then(
          () => true,
          () => false,
        );
      }
    });
  }
}

type Wanted = Pick<RTCRtpEncodingParameters, "active" | "priority" | "maxBitrate">;

/** @returns whether anything was another before. */
function set(encodings: RTCRtpEncodingParameters[], wanted: Wanted): boolean {
  const before = JSON.stringify(encodings);
  for (const encoding of encodings) Object.assign(encoding, wanted);
  return JSON.stringify(encodings) !== before;
}
