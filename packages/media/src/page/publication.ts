import type { MediaKind, StreamCounter, ToMedia } from "../shared/messages.ts";
import { PUBLISHED } from "../shared/publication.ts";
import { hasBreakoutBox, soundOf } from "./breakout-box.ts";
import type { FanOut } from "./fan-out.ts";
import { floorOf, type NewSealer, newSealer } from "./new-sealer.ts";

/** Workers whose sound a viewer may still wait to see signed. */
const MOST_ENDED = 8;

/** Whether this browser can send a stream to relays. */
export function canPublish(): boolean {
  return hasBreakoutBox() && "VideoEncoder" in globalThis && "AudioEncoder" in globalThis;
}

interface Host {
  /** To the worker in which the camera's picture is sealed. */
  post(message: ToMedia, transfer?: Transferable[]): void;
  /** A number that no sealer had before. */
  instance(): number;
  readonly picture: FanOut;
}

/**
 * What a live stream's host sends to relays: the picture that the camera's fan-out seals, the same bytes as links get, and one
 * sound, encoded and sealed once. All goes to the relay's side over a port, sealed.
 */
export class Publication {
  readonly #host: Host;
  /** Makes a port to the relay's side; null: nothing goes there. */
  #port: (() => MessagePort) | null = null;
  #track: MediaStreamTrack | null = null;
  #signed: (batch: Uint8Array) => void = () => undefined;
  /** Drawn at once, so that its floor does not tell whether anything went to relays. */
  #sealer: NewSealer;
  #ended: number[] = [];
  #isStarted = false;
  /** Its reports begin at 0 with each. */
  #ports = 0;
  /** By which the pool's reports tell of what was sealed for relays. */
  readonly attachments = { audio: this.#attachment("audio"), video: this.#attachment("video") };

  constructor(host: Host) {
    this.#host = host;
    this.#sealer = newSealer(host.instance());
  }

  /**
   * Only where `canPublish`. Each call of `port` gives another port, whose other end gets `PublishedFrame`s and says
   * `PublishingWish`es. `signed` gets the sound's signatures; those of the picture are the fan-out's (`FanOut.sign`).
   */
  open(port: () => MessagePort, signed: (batch: Uint8Array) => void): void {
    this.#port = port;
    this.#signed = signed;
    this.#start();
    this.#host.picture.publish(true);
  }

  /** Nothing goes to relays any more. */
  close(): void {
    if (this.#port === null) return;
    this.#port = null;
    this.#track = null;
    this.#host.picture.publish(false);
    this.#host.post({ type: "publish", port: null });
    this.#host.post({ type: "published-sound", sound: null });
  }

  /** From now on this is the sound; null: there is none. The track stays the caller's. */
  hear(track: MediaStreamTrack | null): void {
    if (track === this.#track) return;
    this.#track = track;
    if (this.#port !== null) this.#hear();
  }

  #attachment(kind: MediaKind) {
    const nothing = () => undefined;
    const renewals = () => this.#ports;
    return {
      id: PUBLISHED[kind],
      get renewals() {
        return renewals();
      },
      ready: Promise.resolve(),
      renew: nothing,
      needKeyFrame: nothing,
      release: nothing,
    };
  }

  /** The sound's KID and its highest counter so far. */
  floor(sealed: readonly StreamCounter[]): { kid: bigint; highest: number } {
    return floorOf(this.#sealer, "microphone", sealed);
  }

  /** The worker has signed a batch. */
  signed(batch: Uint8Array): void {
    this.#signed(batch);
  }

  /** The worker is another one. To be called before the fan-out's. */
  restart(): void {
    if (this.#isStarted) {
      this.#ended = [...this.#ended, this.#sealer.instance].slice(-MOST_ENDED);
      this.#sealer = newSealer(this.#host.instance());
    }
    this.#isStarted = false;
    if (this.#port !== null) this.#start();
  }

  #start(): void {
    const { instance, first } = this.#sealer;
    if (!this.#isStarted) this.#host.post({ type: "sealed-sound", sealer: { instance, first }, ended: this.#ended });
    this.#isStarted = true;
    const port = this.#port?.();
    this.#ports++;
    if (port !== undefined) this.#host.post({ type: "publish", port }, [port]);
    this.#hear();
  }

  #hear(): void {
    // Browsers refuse to read one that has ended.
    const sound = this.#track?.readyState === "live" ? soundOf(this.#track) : null;
    this.#host.post({ type: "published-sound", sound }, sound === null ? [] : [sound]);
  }
}
