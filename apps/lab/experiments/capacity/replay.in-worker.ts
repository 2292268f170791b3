import type { RecordedFrame, ReplayDone, ReplayJob } from "../../src/shared/replay.ts";

declare const self: DedicatedWorkerGlobalScope;

/** A product whose worker module runs here as it is, driven by the events that the browser would send it. */
export interface ReplayedProduct {
  /** Loads the module and gives it its keys. */
  prepare(): Promise<void>;
  /** What the page would hand to RTCRtpScriptTransform for the sending side of a track. */
  sealing(track: number): object;
  /** The same for the receiving side. */
  opening(track: number): object;
  /** The track whose encoder a message of the product's to its page asks for a key frame; null for any other message. */
  wantsKeyFrame(message: unknown): number | null;
}

const FRAMES_PER_SECOND = 30;
/** How long frames may take to come out after the last one was due. */
const DRAIN_MS = 250;
/** Each product has this long to set up its tracks. */
const PROOF_MS = 10_000;
const PROOF_GAP_MS = 100;
/** The tracks' key frames are to come at different times. */
const FRAMES_APART = 7;

/** Waits for the page's one job and runs it. To be called before the product is loaded, whose listeners come later. */
export function replay(product: ReplayedProduct): void {
  const start = (event: MessageEvent<ReplayJob>) => {
    event.stopImmediatePropagation();
    // The page hears of errors, but not of rejected promises.
    void run(product, event.data).catch(reportError);
  };
  self.addEventListener("message", start, { once: true });
}

/** Hands a message to the product's worker module as if it came from its page. */
export function deliver(data: unknown): void {
  self.dispatchEvent(new MessageEvent("message", { data }));
}

async function run(product: ReplayedProduct, job: ReplayJob): Promise<void> {
  const tracks: Track[] = [];
  const toPage = self.postMessage.bind(self);
  self.postMessage = (message: unknown) => tracks[product.wantsKeyFrame(message) ?? -1]?.startAgain();
  await product.prepare();
  for (let number = 0; number < job.tracks; number++) tracks.push(new Track(product, number, job.frames));
  await prove(tracks);
  const begin = performance.now();
  const measured = { from: begin + job.warmUp, to: begin + job.warmUp + job.ms };
  await pace(tracks, begin, measured.to);
  await pause(DRAIN_MS);
  const residences = Float64Array.from(tracks.flatMap((track) => track.residences(measured)));
  toPage({ type: "replayed", residences } satisfies ReplayDone, [residences.buffer]);
}

/** Sends a frame through every track, which also sets it up, until each has given one back as it was. */
async function prove(tracks: readonly Track[]): Promise<void> {
  const deadline = performance.now() + PROOF_MS;
  while (tracks.some(({ proven }) => !proven)) {
    if (performance.now() > deadline) throw new Error("a track lets no frame out, or not as it went in");
    for (const track of tracks) if (!track.proven) track.push(performance.now());
    await pause(PROOF_GAP_MS);
  }
}

/** Every track gets 30 frames a second, evenly spread over the tracks. A pacer that is held up catches up at once. */
async function pace(tracks: readonly Track[], begin: number, end: number): Promise<void> {
  const apart = 1000 / FRAMES_PER_SECOND / tracks.length;
  let next = 0;
  for (;;) {
    const now = Math.min(performance.now(), end);
    for (let due = begin + next * apart; due < now; due = begin + next * apart) {
      tracks[next % tracks.length]?.push(due);
      next++;
    }
    if (now === end) return;
    await pause(1);
  }
}

/** Not setTimeout, which browsers stretch to 4 ms when it is called again and again. */
function pause(delay: number): Promise<void> {
  return self.scheduler.postTask(() => undefined, { delay });
}

/** A frame as the browser hands it to a transform. */
class Frame {
  data: ArrayBuffer;
  readonly type: "key" | "delta";
  /** On RTP's clock of 90 kHz. */
  readonly timestamp: number;
  readonly number: number;
  readonly recorded: RecordedFrame;
  readonly #synchronizationSource: number;

  /** `data` becomes the frame's own, as in the browser: a transform may do with it what it likes. */
  constructor(recorded: RecordedFrame, data: ArrayBuffer, number: number, synchronizationSource: number) {
    this.data = data;
    this.type = recorded.type;
    this.timestamp = ((number * 90_000) / FRAMES_PER_SECOND) >>> 0;
    this.number = number;
    this.recorded = recorded;
    this.#synchronizationSource = synchronizationSource;
  }

  /** The frame that arrives at the far end. As in the browser, one that was written out has no data any more. */
  arrived(): Frame {
    return new Frame(this.recorded, this.data.transfer(), this.number, this.#synchronizationSource);
  }

  getMetadata(): object {
    return {
      synchronizationSource: this.#synchronizationSource,
      payloadType: 96,
      mimeType: "video/VP8",
      rtpTimestamp: this.timestamp,
    };
  }
}

/** On performance.now()'s clock. */
interface Span {
  from: number;
  to: number;
}

/** One track, sealed and then opened. A frame is due when its encoder would have it, and late from then on. */
class Track {
  /** A frame was sealed, and one came out as it had gone in. */
  proven = false;
  readonly #number: number;
  readonly #frames: readonly RecordedFrame[];
  readonly #sealing: ReadableStreamDefaultController<Frame>;
  /** When each frame was due, and how long it took; Infinity until it is out. */
  readonly #due: number[] = [];
  readonly #took: number[] = [];
  #next: number;
  #sealed = false;

  constructor(product: ReplayedProduct, number: number, frames: readonly RecordedFrame[]) {
    this.#number = number;
    this.#frames = frames;
    this.#next = number * FRAMES_APART;
    const opening = this.#attach(product.opening(number), (frame) => this.#out(frame));
    this.#sealing = this.#attach(product.sealing(number), (frame) => {
      this.#sealed ||= !same(frame.data, frame.recorded.data);
      opening.enqueue(frame.arrived());
    });
  }

  push(due: number): void {
    const recorded = this.#frames[this.#next++ % this.#frames.length];
    if (recorded === undefined) throw new Error("there are no frames to replay");
    this.#took.push(Number.POSITIVE_INFINITY);
    const number = this.#due.push(due) - 1;
    this.#sealing.enqueue(new Frame(recorded, recorded.data.slice(), number, this.#number));
  }

  /** The encoder makes a key frame: the recording begins with one. */
  startAgain(): void {
    this.#next = 0;
  }

  residences({ from, to }: Span): number[] {
    return this.#took.filter((_, number) => {
      const due = this.#due[number] ?? 0;
      return due >= from && due < to;
    });
  }

  #out(frame: Frame): void {
    this.#took[frame.number] = performance.now() - (this.#due[frame.number] ?? 0);
    this.proven ||= this.#sealed && same(frame.data, frame.recorded.data);
    // The decoder has it now: nothing is left for this thread to clean up.
    frame.data.transfer(0);
  }

  /** Has the product take a transform; `out` is called with every frame that it lets out. */
  #attach(options: object, out: (frame: Frame) => void): ReadableStreamDefaultController<Frame> {
    let frames: ReadableStreamDefaultController<Frame> | undefined;
    const readable = new ReadableStream<Frame>({
      start(controller) {
        frames = controller;
      },
    });
    const writable = new WritableStream<Frame>({ write: out });
    const sendKeyFrameRequest = async () => this.startAgain();
    const transformer = { readable, writable, options, sendKeyFrameRequest };
    self.dispatchEvent(Object.assign(new Event("rtctransform"), { transformer }));
    if (frames === undefined) throw new Error("a stream that starts has its controller");
    return frames;
  }
}

function same(a: ArrayBuffer, b: ArrayBuffer): boolean {
  if (a.byteLength !== b.byteLength) return false;
  const left = new Uint8Array(a);
  const right = new Uint8Array(b);
  return left.every((byte, i) => byte === right[i]);
}
