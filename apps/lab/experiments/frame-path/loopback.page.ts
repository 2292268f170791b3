import { BITS_PER_SECOND } from "../../src/shared/camera.ts";
import type { PathCodec, PathKind } from "./frame-path.ts";

/** Makes the transforms of a connection: called in the task in which a sender or receiver comes to be. */
export type Attach = (side: "seal" | "open", kind: PathKind) => RTCRtpScriptTransform;

/** Without it Chromium lets frames by until a transform is attached. */
interface SealedConfiguration extends RTCConfiguration {
  encodedInsertableStreams: true;
}

const CONFIGURATION: SealedConfiguration = { encodedInsertableStreams: true };

/** A connection from this page to itself, which sends a camera's picture and a microphone's sound. */
export class Loopback {
  readonly #near = new RTCPeerConnection(CONFIGURATION);
  readonly #far = new RTCPeerConnection(CONFIGURATION);
  readonly #attach: Attach;

  constructor(attach: Attach) {
    this.#attach = attach;
    this.#near.onicecandidate = ({ candidate }) => void this.#far.addIceCandidate(candidate);
    this.#far.onicecandidate = ({ candidate }) => void this.#near.addIceCandidate(candidate);
    this.#far.ontrack = ({ receiver, track }) => {
      receiver.transform = attach("open", kindOf(track));
    };
  }

  /** Resolves when the ends have agreed; then media begins to flow. */
  async start(media: MediaStream, codec: PathCodec): Promise<void> {
    for (const track of media.getTracks()) await this.#send(track, codec);
    const offer = await this.#near.createOffer();
    await Promise.all([this.#near.setLocalDescription(offer), this.#far.setRemoteDescription(offer)]);
    const answer = await this.#far.createAnswer();
    await Promise.all([this.#far.setLocalDescription(answer), this.#near.setRemoteDescription(answer)]);
  }

  /** Frames that the far end has decoded so far, and the height of the last one. */
  async decoded(): Promise<{ frames: number; height: number }> {
    const stats = await this.#far.getStats();
    // The browser's own records: their types are those of the standard.
    const streams = [...stats.values()] as RTCInboundRtpStreamStats[];
    const picture = streams.find(({ type, kind }) => type === "inbound-rtp" && kind === "video");
    return { frames: picture?.framesDecoded ?? 0, height: picture?.frameHeight ?? 0 };
  }

  close(): void {
    this.#near.close();
    this.#far.close();
  }

  async #send(track: MediaStreamTrack, codec: PathCodec): Promise<void> {
    const kind = kindOf(track);
    const sendEncodings = kind === "video" ? [{ maxBitrate: BITS_PER_SECOND }] : [];
    const line = this.#near.addTransceiver(track, { direction: "sendonly", sendEncodings });
    line.sender.transform = this.#attach("seal", kind);
    if (kind === "audio") return;
    const { codecs } = RTCRtpReceiver.getCapabilities("video") ?? { codecs: [] };
    line.setCodecPreferences(codecs.filter(({ mimeType }) => mimeType.toLowerCase() === `video/${codec}`));
    // Otherwise a busy machine would send smaller pictures.
    await line.sender.setParameters({ ...line.sender.getParameters(), degradationPreference: "maintain-resolution" });
  }
}

function kindOf({ kind }: MediaStreamTrack): PathKind {
  return kind === "audio" ? "audio" : "video";
}
