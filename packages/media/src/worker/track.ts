import type { TransformOptions } from "../shared/messages.ts";
import type { Keyring } from "./keyring.ts";
import { Opener } from "./opener.ts";
import { type EncodedFrame, Outlet } from "./outlet.ts";
import { Sealer } from "./sealer.ts";
import type { Tally } from "./tally.ts";

type SealOptions = Extract<TransformOptions, { side: "seal" }>;
type OpenOptions = Extract<TransformOptions, { side: "open" }>;

/** Least time between two key-frame requests of one track: the answer to the first takes a round trip. */
const KEY_FRAME_REQUEST_GAP_MS = 300;

/**
 * Runs a sealing transform until its stream ends. Every frame that the encoder made goes out sealed or not at all:
 * whatever goes wrong with a frame drops that frame, since an error thrown here would end the track for the call.
 */
export async function sealTrack(
  transformer: RTCRtpScriptTransformer,
  options: SealOptions,
  keyring: Keyring,
  tally: Tally,
) {
  const sealer = new Sealer(keyring, options.kind, options);
  const outlet = new Outlet(transformer.writable);
  for await (const frame of frames(transformer)) {
    const since = performance.now();
    const { mimeType } = frame.getMetadata();
    const sealed = await sealer.seal(frame.data, mimeType).catch(failed);
    if (!sealed.ok) tally.refused(sealed.drop, sealed.epoch);
    else {
      tally.passed(since, sealed.epoch, mimeType, sealed.overhead);
      await outlet.send(frame, sealed.data);
    }
  }
}

/** Runs an opening transform until its stream ends. Only frames that authenticated reach the decoder. */
export async function openTrack(
  transformer: RTCRtpScriptTransformer,
  options: OpenOptions,
  keyring: Keyring,
  tally: Tally,
) {
  const opener = new Opener(keyring, options.kind, options);
  const outlet = new Outlet(transformer.writable);
  const repair = new KeyFrameRequests(transformer, options.kind === "video");
  for await (const frame of frames(transformer)) {
    const since = performance.now();
    const { mimeType } = frame.getMetadata();
    const { data } = frame;
    const opened = await opener.open(data, mimeType).catch(failed);
    if (!opened.ok) {
      tally.refused(opened.drop, opened.epoch);
      repair.lost();
    } else {
      tally.passed(since, opened.epoch, mimeType, data.byteLength - opened.data.byteLength);
      await outlet.send(frame, opened.data);
      repair.passed();
    }
  }
}

/** A frame that could not be worked on is dropped like any other that does not pass. */
function failed(): { ok: false; drop: "failed"; epoch: null } {
  return { ok: false, drop: "failed", epoch: null };
}

async function* frames(transformer: RTCRtpScriptTransformer): AsyncGenerator<EncodedFrame> {
  const reader = transformer.readable.getReader() as ReadableStreamDefaultReader<EncodedFrame>;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/**
 * Asks the sender for a key frame when the decoder needs one: at the first frame, and at the first frame that opens
 * after others were refused (a key change that cost frames, a late key). Without it the picture stays frozen.
 */
class KeyFrameRequests {
  readonly #transformer: RTCRtpScriptTransformer;
  readonly #video: boolean;
  #needed: boolean;
  #last = Number.NEGATIVE_INFINITY;

  constructor(transformer: RTCRtpScriptTransformer, video: boolean) {
    this.#transformer = transformer;
    this.#video = video;
    this.#needed = video;
  }

  lost(): void {
    this.#needed = this.#video;
  }

  passed(): void {
    const now = performance.now();
    if (!this.#needed || now - this.#last < KEY_FRAME_REQUEST_GAP_MS) return;
    this.#needed = false;
    this.#last = now;
    // Rejects where the track has ended or takes no requests: then there is nothing to repair.
    this.#transformer.sendKeyFrameRequest().catch(() => undefined);
  }
}
