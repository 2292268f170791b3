import { type Clock, type Milli, milli } from "@sealcast/time";
import type { PlayerFrame } from "../shared/messages.ts";
import type { DecoderFault, FrameDecoder, MakeDecoder } from "./frame-decoder.ts";

/** Between two decoders, where one fails: a stream of what cannot be decoded keeps nobody busy. */
const PAUSE_MS = 250;

/** One track's decoder, and another one after it has failed. */
export class DecoderSlot<Output> {
  readonly #clock: Clock;
  readonly #make: MakeDecoder<Output>;
  readonly #output: (output: Output) => void;
  readonly #failed: (fault: DecoderFault) => void;
  #decoder: FrameDecoder | null = null;
  /** Infinite: never again. */
  #notBefore: Milli = milli(Number.NEGATIVE_INFINITY);

  constructor(
    clock: Clock,
    make: MakeDecoder<Output>,
    output: (output: Output) => void,
    failed: (fault: DecoderFault) => void,
  ) {
    this.#clock = clock;
    this.#make = make;
    this.#output = output;
    this.#failed = failed;
  }

  /** Frames that wait in it; infinite while it takes none. */
  get queued(): number {
    if (this.#decoder !== null) return this.#decoder.queued;
    return this.#clock.now() < this.#notBefore ? Number.POSITIVE_INFINITY : 0;
  }

  decode(frame: PlayerFrame): void {
    try {
      this.#decoder ??= this.#made();
      this.#decoder.decode(frame);
    } catch (error) {
      this.#fail(this.#decoder, error instanceof TypeError ? "unsupported" : "undecodable");
    }
  }

  close(): void {
    this.#decoder?.close();
    this.#decoder = null;
    this.#notBefore = milli(Number.POSITIVE_INFINITY);
  }

  #made(): FrameDecoder {
    const made = this.#make(this.#output, (fault) => this.#fail(made, fault));
    return made;
  }

  /** What one says that was replaced does not count. */
  #fail(decoder: FrameDecoder | null, fault: DecoderFault): void {
    if (decoder !== this.#decoder || this.#notBefore === Number.POSITIVE_INFINITY) return;
    this.#decoder?.close();
    this.#decoder = null;
    this.#notBefore = milli(fault === "unsupported" ? Number.POSITIVE_INFINITY : this.#clock.now() + PAUSE_MS);
    this.#failed(fault);
  }
}
