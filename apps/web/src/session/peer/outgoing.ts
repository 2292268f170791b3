import type { Attachment, MediaPool, ShownSize } from "@sealcast/media";
import { atMostEvery, type Clock } from "@sealcast/time";
import { SHOWN_GAP } from "../budgets.ts";
import { isCodec } from "./codecs.ts";

interface Around {
  readonly fanOut: MediaPool["fanOuts"]["camera"];
  /**
   * `own`: the track, encoded on this link; `shared`: the picture that one encoder makes for several links; `unchanged`:
   * what it has, for now.
   */
  way(): "own" | "shared" | "unchanged";
  track(): MediaStreamTrack | null;
}

/** What one media line sends. Its sender has no track before the sealing transform is ready. */
export class Outgoing {
  readonly #sender: RTCRtpSender;
  readonly #sent: Attachment;
  readonly #around: Around;
  /** One change after the other, behind the transform: where that does not become ready, nothing is ever sent. */
  #feeding: Promise<void>;
  readonly #show: () => void;
  #limit: number | null = null;
  #shown: ShownSize | null = null;

  constructor(sender: RTCRtpSender, sent: Attachment, around: Around, clock: Clock) {
    this.#show = atMostEvery(clock, SHOWN_GAP, () => {
      if (this.#shown !== null) around.fanOut.shownAs(sent.id, this.#shown);
    });
    this.#sender = sender;
    this.#sent = sent;
    this.#around = around;
    this.#feeding = sent.ready;
  }

  /** Sends what there is to send now. */
  feed(): Promise<void> {
    this.#feeding = this.#feeding.then(() => this.#give());
    return this.#feeding;
  }

  /** From now on in that codec, as far as both ends have negotiated it. */
  async encodeAs(name: string): Promise<void> {
    const parameters = this.#sender.getParameters();
    const codec = parameters.codecs.find((negotiated) => isCodec(negotiated, name));
    // W3C WebRTC Extensions section 5.5; the types of the platform do not know it yet.
    const encodings: (RTCRtpEncodingParameters & { codec?: RTCRtpCodec })[] = parameters.encodings;
    if (codec === undefined || encodings.every((encoding) => encoding.codec?.mimeType === codec.mimeType)) return;
    for (const encoding of encodings) encoding.codec = codec;
    // Rejects when a negotiation came between: the next change of state tries again.
    await this.#sender.setParameters(parameters).catch(() => undefined);
  }

  /** The line's own encoder makes no more than this many bits per second from now on. */
  async limit(bitsPerSecond: number): Promise<void> {
    this.#limit = bitsPerSecond;
    if (this.#around.way() !== "shared") await this.#cap();
  }

  /**
   * The other end shows it so large from now on. A picture that is encoded once goes there no larger than that needs; an own
   * encoder follows the way. One size a second is followed, the last of them: others of that picture get the key frames, too.
   */
  shownAs(shown: ShownSize): void {
    this.#shown = shown;
    this.#show();
  }

  close(): void {
    this.#around.fanOut.drop(this.#sent.id);
    this.#sent.release();
  }

  async #give(): Promise<void> {
    const { fanOut } = this.#around;
    const way = this.#around.way();
    if (way === "unchanged") return;
    if (way === "shared") return fanOut.carry(this.#sent.id, this.#sender, this.#shown);
    const track = this.#around.track();
    // Rejects when the connection has closed meanwhile: then there is nobody to send to.
    if (this.#sender.track !== track) await this.#sender.replaceTrack(track).catch(() => undefined);
    fanOut.drop(this.#sent.id);
    await this.#cap();
  }

  async #cap(): Promise<void> {
    const most = this.#limit;
    const parameters = this.#sender.getParameters();
    if (most === null || parameters.encodings.every(({ maxBitrate }) => maxBitrate === most)) return;
    for (const encoding of parameters.encodings) encoding.maxBitrate = most;
    // Rejects when a negotiation came between: the next change of what is sent tries again.
    await this.#sender.setParameters(parameters).catch(() => undefined);
  }
}
