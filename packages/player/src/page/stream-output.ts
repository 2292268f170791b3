import type { PageToPlayer, PlayerOutputs } from "../shared/messages.ts";
import soundWorklet from "../worklet/sound.worklet.ts?worker&url";

/** What Chromium has on pages; the platform's types do not know it. */
declare class MediaStreamTrackGenerator extends MediaStreamTrack {
  constructor(init: { kind: "video" });
  readonly writable: WritableStream<VideoFrame>;
}

/** How often it is looked how long sound takes to be heard: another device has another delay. */
const LATENCY_GAP_MS = 2_000;

/** What a stream is seen and heard through, on the page. A `StreamPlayer` in a worker plays on it. */
export class StreamOutput {
  /** A video in Chromium, elsewhere a canvas. For the caller to put on the page. */
  readonly element: HTMLVideoElement | HTMLCanvasElement;
  /** The pictures as a track, for a video element of the caller's own; null where `element` is a canvas. */
  readonly stream: MediaStream | null;
  /** For a `StreamPlayer`, once. */
  readonly outputs: PlayerOutputs;
  readonly #context: AudioContext;
  readonly #node: AudioWorkletNode;
  readonly #volume: GainNode;
  #sound: MediaStreamAudioDestinationNode | null = null;
  #isRecorded = false;
  readonly #page: MessagePort;
  readonly #track: MediaStreamTrack | null;
  readonly #ended = new AbortController();
  readonly #timer: number;

  private constructor(context: AudioContext, node: AudioWorkletNode) {
    this.#context = context;
    this.#node = node;
    this.#volume = new GainNode(context);
    node.connect(this.#volume).connect(context.destination);
    const [toPlayer, toPage] = [new MessageChannel(), new MessageChannel()];
    node.port.postMessage(toPlayer.port1, [toPlayer.port1]);
    this.#page = toPage.port1;
    const { element, pictures, track } = shownIn();
    this.element = element;
    this.#track = track;
    this.stream = track && new MediaStream([track]);
    this.outputs = { pictures, sound: toPlayer.port2, page: toPage.port2 };
    document.addEventListener("visibilitychange", () => this.#tellHidden(), { signal: this.#ended.signal });
    this.#tellHidden();
    this.#timer = window.setInterval(() => this.#tellLatency(), LATENCY_GAP_MS);
    this.#tellLatency();
  }

  /** Rejects where the browser has no AudioWorklet or does not load its script. */
  static async open(): Promise<StreamOutput> {
    const context = new AudioContext({ sampleRate: 48_000, latencyHint: "interactive" });
    try {
      // Where a page may play sound it runs, and keeps the computer's sound device open, before anyone listens.
      void context.suspend();
      await context.audioWorklet.addModule(soundWorklet);
      const options = { numberOfInputs: 0, outputChannelCount: [2] };
      return new StreamOutput(context, new AudioWorkletNode(context, "stream-sound", options));
    } catch (error) {
      await context.close();
      throw error;
    }
  }

  /** False until the page may play sound and does; pictures are shown all the same. */
  get isAudible(): boolean {
    return this.#context.state === "running";
  }

  /** Has sound heard. Where `isAudible` is false, in a click: until then it does not resolve. */
  async unmute(): Promise<void> {
    await this.#context.resume();
  }

  /** Until `unmute` nothing is heard, and no device is used. */
  async mute(): Promise<void> {
    await this.#context.suspend();
  }

  /** 0 to 1. */
  set volume(volume: number) {
    this.#volume.gain.value = volume;
  }

  /** What is heard as a track, whatever the volume. It ends with `close`. */
  get sound(): MediaStreamTrack | null {
    if (this.#sound === null) {
      this.#sound = new MediaStreamAudioDestinationNode(this.#context);
      this.#node.connect(this.#sound);
    }
    return this.#sound.stream.getAudioTracks()[0] ?? null;
  }

  /** As long as that is so, `stream` also goes on while the page is hidden. */
  set isRecorded(isRecorded: boolean) {
    this.#isRecorded = isRecorded;
    this.#tellHidden();
  }

  /** After the player's own `close`. */
  close(): void {
    this.#ended.abort();
    window.clearInterval(this.#timer);
    this.#page.close();
    this.#track?.stop();
    void this.#context.close();
  }

  #tellHidden(): void {
    this.#post({ type: "hidden", isHidden: document.hidden && !this.#isRecorded });
  }

  #tellLatency(): void {
    // Firefox says 0 at first, and some browsers do not say it at all.
    const seconds = this.#context.outputLatency || this.#context.baseLatency || 0;
    this.#post({ type: "output-latency", ms: 1_000 * seconds });
  }

  #post(message: PageToPlayer): void {
    this.#page.postMessage(message);
  }
}

/** For `postMessage`, beside the outputs themselves. */
export function transferablesOf({ pictures, sound, page }: PlayerOutputs): Transferable[] {
  return [pictures, page, ...(sound === null ? [] : [sound])];
}

function shownIn() {
  if (!("MediaStreamTrackGenerator" in globalThis)) {
    const element = document.createElement("canvas");
    return { element, pictures: element.transferControlToOffscreen(), track: null };
  }
  const track = new MediaStreamTrackGenerator({ kind: "video" });
  const element = Object.assign(document.createElement("video"), { muted: true, playsInline: true, autoplay: true });
  element.srcObject = new MediaStream([track]);
  return { element, pictures: track.writable, track };
}
