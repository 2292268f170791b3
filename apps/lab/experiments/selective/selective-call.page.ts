import { importBaseKey } from "@sealcast/crypto";
import type { KeyUpdate } from "@sealcast/keys/messages";
import { readVideo, type Sighting, stamped } from "@sealcast/latency";
import { type Attachment, MediaPool } from "@sealcast/media";
import twoLayersUrl from "@sealcast/media/two-layers-worker?worker&url";
import mediaUrl from "@sealcast/media/worker?worker&url";
import { BITS_PER_SECOND } from "../../src/shared/camera.ts";
import type { CallArm, CallSeen, CallTerms } from "./selective.ts";
import { atRate } from "./selective.ts";

const EPOCH = 1;
const SENDER = 0;
const RECEIVER = 1;
const SIZE = { width: 1280, height: 720 };

/** Without it Chromium lets frames by until a transform is attached. */
interface SealedConfiguration extends RTCConfiguration {
  encodedInsertableStreams: boolean;
}

/** One end of a call between two pages, in one direction, through the product's own worker, where frames are sealed. */
class End {
  protected readonly connection: RTCPeerConnection;
  protected readonly pool: MediaPool | null;
  readonly #passing: Worker | null;

  constructor(leaf: number, terms: CallTerms) {
    const configuration: SealedConfiguration = { encodedInsertableStreams: terms.arm !== "no transform" };
    this.connection = new RTCPeerConnection(configuration);
    this.pool = isSealed(terms.arm) ? poolOf(leaf, terms) : null;
    this.#passing = terms.arm === "pass-through" ? passing() : null;
  }

  /** 95th percentile of what a frame took in the product's transform, microseconds; 0 without one. */
  async transformP95Us(): Promise<number> {
    const [track] = (await this.pool?.report())?.tracks.values() ?? [];
    return track?.p95 ?? 0;
  }

  close(): void {
    this.connection.close();
    this.pool?.close();
    this.#passing?.terminate();
  }

  protected pass(of: RTCRtpSender | RTCRtpReceiver): void {
    if (this.#passing !== null) of.transform = new RTCRtpScriptTransform(this.#passing);
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
  readonly #camera: MediaStreamTrack;
  readonly #line = this.connection.addTransceiver("video", {
    direction: "sendonly",
    sendEncodings: [{ maxBitrate: BITS_PER_SECOND }],
  });
  readonly #attachment: Attachment | null;

  private constructor(camera: MediaStreamTrack, terms: CallTerms) {
    super(SENDER, terms);
    this.#camera = camera;
    this.#attachment = this.pool?.seal(this.#line.sender, "video", "camera") ?? null;
    this.pass(this.#line.sender);
    this.pool?.follow("camera", EPOCH, atRate(terms.percent));
  }

  static async open(terms: CallTerms): Promise<PictureSender> {
    const [camera] = (await navigator.mediaDevices.getUserMedia({ video: SIZE })).getTracks();
    if (camera === undefined) throw new Error("there is no camera");
    return new PictureSender(stamped(camera), terms);
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
    await this.#attachment?.ready;
    await this.#line.sender.replaceTrack(this.#camera);
  }

  override close(): void {
    this.#camera.stop();
    super.close();
  }
}

export class PictureReceiver extends End {
  #seen: Sighting[] = [];
  #unwatch = () => {};

  constructor(terms: CallTerms) {
    super(RECEIVER, terms);
    this.pool?.announced({ leaf: SENDER, source: "camera", epoch: EPOCH, policy: atRate(terms.percent) });
    this.connection.ontrack = ({ receiver, track }) => {
      this.pool?.open(receiver, "video", "camera", SENDER);
      this.pass(receiver);
      this.#unwatch = show(track, (sighting) => this.#seen.push(sighting));
    };
  }

  async answer(offer: string): Promise<string> {
    await this.connection.setRemoteDescription({ type: "offer", sdp: offer });
    return this.described(await this.connection.createAnswer());
  }

  /** What is shown during this many milliseconds from now on. */
  async watch(ms: number): Promise<CallSeen> {
    const before = await this.#stats();
    this.#seen = [];
    await new Promise((resolve) => setTimeout(resolve, ms));
    const after = await this.#stats();
    const [track] = (await this.pool?.report())?.tracks.values() ?? [];
    return {
      pictures: this.#seen,
      freezes: (after.freezeCount ?? 0) - (before.freezeCount ?? 0),
      decoded: (after.framesDecoded ?? 0) - (before.framesDecoded ?? 0),
      height: after.frameHeight ?? 0,
      opened: track?.frames ?? 0,
      readable: track?.readable ?? 0,
      transformP95Us: track?.p95 ?? 0,
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

/** On the page, or the browser would not show it. */
function show(track: MediaStreamTrack, seen: (sighting: Sighting) => void): () => void {
  const video = document.createElement("video");
  video.srcObject = new MediaStream([track]);
  video.muted = true;
  document.body.append(video);
  const unread = readVideo(video, seen);
  // Rejects when it is removed before there was a picture.
  video.play().catch(() => undefined);
  return () => {
    unread();
    video.srcObject = null;
    video.remove();
  };
}

function isSealed(arm: CallArm): boolean {
  return arm === "sealed" || arm === "two layers";
}

function passing(): Worker {
  return new Worker(new URL("./passing.worker.ts", import.meta.url), { type: "module" });
}

function poolOf(leaf: number, { arm, key }: CallTerms): MediaPool {
  const layers = arm === "two layers" ? 2 : 1;
  return new MediaPool(
    () => new Worker(layers === 2 ? twoLayersUrl : mediaUrl, { type: "module" }),
    (port) => void enter(port, leaf, key, layers),
    { replaced: () => undefined, fanOutFailed: () => undefined },
    1,
  );
}

async function enter(port: MessagePort, leaf: number, key: Uint8Array<ArrayBuffer>, layers: 1 | 2): Promise<void> {
  const tell = (news: KeyUpdate) => port.postMessage(news);
  // In a call the keys are independent; here nobody is kept from them.
  const outerKey = layers === 2 ? key : null;
  tell({ type: "epoch", id: EPOCH, epoch: EPOCH, leaf, leaves: [0, 1], baseKey: await importBaseKey(key), outerKey });
  tell({ type: "send", epoch: EPOCH });
}
