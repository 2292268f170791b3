import { importBaseKey } from "@sealcast/crypto";
import type { KeyNews } from "@sealcast/keys/messages";
import { MediaPool } from "@sealcast/media";
import mediaUrl from "@sealcast/media/worker?worker&url";
import type { CallSeen, CallTerms } from "../shared/selective.ts";
import { atRate } from "../shared/selective.ts";
import type { Sighting } from "../shared/stamp.ts";
import { readStamps, StampedCamera } from "./stamped.ts";

const EPOCH = 1;
const SENDER = 0;
const RECEIVER = 1;
const BITS_PER_SECOND = 2_500_000;

/** Without it Chromium lets frames by until a transform is attached. */
interface SealedConfiguration extends RTCConfiguration {
  encodedInsertableStreams: true;
}

const CONFIGURATION: SealedConfiguration = { encodedInsertableStreams: true };

/** One end of a call between two pages, in one direction, through the product's own worker. */
class End {
  protected readonly connection = new RTCPeerConnection(CONFIGURATION);
  protected readonly pool: MediaPool;

  constructor(leaf: number, { key }: CallTerms) {
    const spawn = () => new Worker(mediaUrl, { type: "module" });
    this.pool = new MediaPool(
      spawn,
      (port) => void enter(port, leaf, key),
      { replaced: () => undefined, fanOutFailed: () => undefined },
      1,
    );
  }

  close(): void {
    this.connection.close();
    this.pool.close();
  }

  /** The local description, once it names every address. */
  protected async described(description: RTCSessionDescriptionInit): Promise<string> {
    await this.connection.setLocalDescription(description);
    while (this.connection.iceGatheringState !== "complete")
      await new Promise((changed) =>
        this.connection.addEventListener("icegatheringstatechange", changed, { once: true }),
      );
    return this.connection.localDescription?.sdp ?? "";
  }
}

export class PictureSender extends End {
  readonly #camera: StampedCamera;
  readonly #line = this.connection.addTransceiver("video", {
    direction: "sendonly",
    sendEncodings: [{ maxBitrate: BITS_PER_SECOND }],
  });
  readonly #attachment = this.pool.seal(this.#line.sender, "video", "camera");

  private constructor(camera: StampedCamera, terms: CallTerms) {
    super(SENDER, terms);
    this.#camera = camera;
    this.pool.follow("camera", EPOCH, atRate(terms.percent));
  }

  static async open(terms: CallTerms): Promise<PictureSender> {
    return new PictureSender(await StampedCamera.open(), terms);
  }

  /** When each picture was taken. */
  get drawn(): readonly Sighting[] {
    return this.#camera.drawn;
  }

  async offer(): Promise<string> {
    const { codecs } = RTCRtpReceiver.getCapabilities("video") ?? { codecs: [] };
    this.#line.setCodecPreferences(codecs.filter(({ mimeType }) => mimeType === "video/VP8"));
    const { sender } = this.#line;
    // Otherwise a busy machine would send smaller pictures.
    await sender.setParameters({ ...sender.getParameters(), degradationPreference: "maintain-resolution" });
    return this.described(await this.connection.createOffer());
  }

  /** Sends from here on. */
  async answered(sdp: string): Promise<void> {
    await this.connection.setRemoteDescription({ type: "answer", sdp });
    await this.#attachment.ready;
    await this.#line.sender.replaceTrack(this.#camera.track);
  }

  override close(): void {
    this.#camera.close();
    super.close();
  }
}

export class PictureReceiver extends End {
  #seen: Sighting[] = [];
  #unwatch = () => {};

  constructor(terms: CallTerms) {
    super(RECEIVER, terms);
    this.pool.announced({ leaf: SENDER, source: "camera", epoch: EPOCH, policy: atRate(terms.percent) });
    this.connection.ontrack = ({ receiver, track }) => {
      this.pool.open(receiver, "video", "camera", SENDER);
      this.#unwatch = readStamps(new MediaStream([track]), (sighting) => this.#seen.push(sighting));
    };
  }

  async answer(offer: string): Promise<string> {
    await this.connection.setRemoteDescription({ type: "offer", sdp: offer });
    return this.described(await this.connection.createAnswer());
  }

  /** What is shown during so many milliseconds from now on. */
  async watch(ms: number): Promise<CallSeen> {
    const before = await this.#stats();
    this.#seen = [];
    await new Promise((resolve) => setTimeout(resolve, ms));
    const after = await this.#stats();
    const [track] = (await this.pool.report()).tracks.values();
    return {
      pictures: this.#seen,
      freezes: (after.freezeCount ?? 0) - (before.freezeCount ?? 0),
      decoded: (after.framesDecoded ?? 0) - (before.framesDecoded ?? 0),
      height: after.frameHeight ?? 0,
      opened: track?.frames ?? 0,
      readable: track?.readable ?? 0,
    };
  }

  override close(): void {
    this.#unwatch();
    super.close();
  }

  async #stats(): Promise<Partial<RTCInboundRtpStreamStats>> {
    // The browser's own records: their types are those of the standard.
    const stats = [...(await this.connection.getStats()).values()] as RTCInboundRtpStreamStats[];
    return stats.find(({ type }) => type === "inbound-rtp") ?? {};
  }
}

async function enter(port: MessagePort, leaf: number, key: Uint8Array<ArrayBuffer>): Promise<void> {
  const tell = (news: KeyNews) => port.postMessage(news);
  tell({ type: "epoch", epoch: EPOCH, leaf, baseKey: await importBaseKey(key), outerKey: null });
  tell({ type: "send", epoch: EPOCH });
}
