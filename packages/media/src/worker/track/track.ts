import { equal } from "@sealcast/bytes";
import type { Milli } from "@sealcast/time";
import type { TransformOptions } from "../../shared/messages.ts";
import type { EncodedStandIn } from "../fan-out/fan-out-link.ts";
import { free } from "../free.ts";
import type { Keyring } from "../sealing/keyring.ts";
import { Opener } from "../sealing/opener.ts";
import type { Policies } from "../sealing/policies.ts";
import { Sealer } from "../sealing/sealer.ts";
import type { Signer } from "../sealing/signer.ts";
import type { Verifier } from "../sealing/verifier.ts";
import { flow } from "./flow.ts";
import { type EncodedFrame, FrameWriter, isKeyFrame } from "./frame-writer.ts";
import { MimeType } from "./mime-type.ts";
import type { SealedPlace } from "./sealed-order.ts";
import type { TransformStats } from "./transform-stats.ts";
import type { WorkerLoad } from "./worker-load.ts";

type SealOptions = Extract<TransformOptions, { side: "seal" }>;
type OpenOptions = Extract<TransformOptions, { side: "open" }>;

/** What all tracks of a worker go by. */
interface Rules {
  readonly keyring: Keyring;
  readonly policies: Policies;
  readonly load: WorkerLoad;
}

/** Of four frames a slow link may be spared three, which no other needs. More that are missing take what later ones build on with them. */
const MOST_LEFT_OUT = 3;

/** Where stand-ins find what takes their place. Says no where that link is not carried. */
export interface Replaces {
  standIn(id: string, standIn: EncodedStandIn): boolean;
}

export interface TransformedTrack {
  readonly stats: TransformStats;
  /** Asks this track's encoder for a key frame. */
  readonly needKeyFrame: () => void;
  /** Of a sealing transform whose frames are signed. */
  readonly signer: Signer | null;
  /** Of an opening transform whose frames have to be. */
  readonly verifier: Verifier | null;
  /** Of one that came over a relay: its ports. */
  readonly close?: () => void;
}

/** The streams of a transformer. */
export interface Pipe {
  readonly readable: ReadableStream<EncodedFrame>;
  readonly writable: WritableStream<EncodedFrame>;
  /** Where a relay says in which order frames come: which of them go on. */
  readonly order?: { follows(sealed: SealedPlace, isKey: boolean): boolean };
}

/**
 * Runs a sealing transform until its stream ends. Every frame that the encoder made goes out sealed or not at all:
 * whatever goes wrong with a frame drops that frame, since an error thrown here would end the track for the call.
 * A stand-in goes to the fan-out of its source, or nowhere. `needKeyFrame` is called when frames were left out, so that
 * the encoder starts again.
 */
export function sealTrack(
  pipe: Pipe,
  options: SealOptions,
  { keyring, policies, load, fanOut }: Rules & { fanOut(): Replaces | undefined },
  { stats, needKeyFrame, signer }: TransformedTrack,
): Promise<void> {
  const sealer = new Sealer(keyring, policies, options.kind, options, signer);
  const writer = new FrameWriter(pipe.writable);
  const mimeTypes = new MimeType(options.kind);
  const seal = async (frame: EncodedFrame, since: Milli) => {
    const isKey = isKeyFrame(frame);
    const mimeType = mimeTypes.of(frame, isKey);
    if (mimeTypes.isStandIn) {
      if (!fanOut()?.standIn(options.id, { frame, isKey, mimeType, writer, stats })) stats.leftOut();
      return;
    }
    const { data } = frame;
    // An encoder of sound says in pauses, packet after packet, that there is nothing.
    if (data.byteLength === 0) return stats.leftOut();
    const sealed = await sealer.seal(data, mimeType, isKey).catch(failed);
    if (!sealed.ok) {
      mimeTypes.forget();
      return stats.refused(sealed.drop, sealed.epoch);
    }
    const bytes = sealed.data.byteLength;
    stats.leaves(frame, { since, isKey, mimeType, clear: data, wire: sealed.data });
    writer.send(frame, sealed.data);
    stats.passed(since, { ...sealed, mimeType, bytes });
    free(data);
    free(sealed.spent);
  };
  const late = () => {
    stats.refused("late", keyring.sending?.number ?? null);
    needKeyFrame();
  };
  return flow(pipe.readable, { kind: options.kind, load, came: () => stats.came(), frame: seal, late });
}

/**
 * Runs an opening transform until its stream ends. Only frames that authenticated reach the decoder. `needKeyFrame` is
 * called when the decoder cannot go on without one.
 */
export function openTrack(
  pipe: Pipe,
  options: OpenOptions,
  { keyring, policies, load }: Rules,
  { stats, needKeyFrame, verifier }: TransformedTrack,
): Promise<void> {
  const opener = new Opener(keyring, policies, options.kind, options, verifier);
  const writer = new FrameWriter(pipe.writable);
  const mimeTypes = new MimeType(options.kind);
  // At the first frame, and at the first one that opens after others were refused: a key change that cost frames, a
  // late key. Without it the video stays frozen.
  let broken = true;
  const open = async (frame: EncodedFrame, since: Milli) => {
    const isKey = isKeyFrame(frame);
    const mimeType = mimeTypes.of(frame, isKey);
    const { data } = frame;
    if (options.relay !== null && endsWith(data, options.relay.mark)) return stats.refused("made-up", null);
    const opened = await opener.open(data, mimeType, isKey).catch(failed);
    if (!opened.ok) {
      mimeTypes.forget();
      broken ||= opened.drop !== "replayed";
      return stats.refused(opened.drop, opened.epoch);
    }
    if (pipe.order?.follows(opened, isKey) === false) return stats.refused("out-of-place", opened.epoch);
    const bytes = data.byteLength;
    const overhead = bytes - opened.data.byteLength;
    stats.leaves(frame, { since, isKey, mimeType, clear: opened.data, wire: data });
    writer.send(frame, opened.data);
    stats.passed(since, { ...opened, mimeType, bytes, overhead });
    free(data);
    if (opened.spent !== null) free(opened.spent);
    // Frames that were kept back behind the sender's packetizer leave no gap that the browser could see: it would go on
    // with damaged video. A relay closes such gaps itself, and leaves out more: other sizes of the picture.
    const isGap = options.relay === null && !isKey && opened.missing > MOST_LEFT_OUT;
    if (broken || isGap) needKeyFrame();
    broken = false;
  };
  const late = () => {
    stats.refused("late", null);
    broken = true;
  };
  return flow(pipe.readable, { kind: options.kind, load, came: () => stats.came(), frame: open, late });
}

/** A frame that could not be worked on is dropped like any other that does not pass. */
function failed(): { ok: false; drop: "failed"; epoch: null } {
  return { ok: false, drop: "failed", epoch: null };
}

function endsWith(data: ArrayBuffer, mark: Uint8Array): boolean {
  const start = data.byteLength - mark.length;
  return mark.length > 0 && start >= 0 && equal(new Uint8Array(data, start), mark);
}
