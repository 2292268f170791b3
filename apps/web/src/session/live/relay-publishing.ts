import { canPublish, PICTURE_TRACKS, SOUND_TRACK } from "@sealcast/media";
import type { LiveRelayAccess } from "@sealcast/network/live-relay-messages";
import type { Proven, ProvenLine } from "../audit/browser-counters.ts";
import type { MediaSession } from "../media-session.ts";
import type { EncodedFor } from "../peer/picture-encoding.ts";
import { type RelayedCodec, relayedCodec } from "./messages.ts";
import { RelayWorker, SIGNATURES } from "./relay-worker.ts";

interface RelayPublishingOptions {
  readonly media: MediaSession;
  /** Asks the server for access. */
  ask(): void;
  /** What goes to viewers as sound now; null: nothing. */
  sound(): MediaStreamTrack | null;
  /** Viewers find the stream there in another codec from now on, or not any more. */
  changed(): void;
}

/** A host's way over relays, for viewers who have no connection: what the fan-out seals, and the sound, once for all of them. */
export class RelayPublishing implements EncodedFor {
  readonly isLinked = true;
  readonly serves = "many";
  readonly #options: RelayPublishingOptions;
  #isOffered = false;
  #isWanted = false;
  #isOnce = false;
  #codec: string | null | undefined;
  #worker: RelayWorker | null = null;

  constructor(options: RelayPublishingOptions) {
    this.#options = options;
    options.media.life.bind(() => this.close());
  }

  /** The server has relays, and this browser can send to them. */
  get isOffered(): boolean {
    return this.#isOffered;
  }

  get codec(): string | null | undefined {
    return this.#codec;
  }

  /** In which the stream is there; null: it is not. */
  get published(): RelayedCodec | null {
    return this.#worker === null ? null : relayedCodec(this.#codec ?? "");
  }

  /** What goes there. No browser counts it: nothing of it comes from anywhere but a sealer. */
  get proven(): Proven[] {
    const { pool } = this.#options.media;
    if (this.#worker === null || pool === null) return [];
    const stats = { latest: { at: this.#options.media.life.clock.now(), entries: [] } };
    const line = (source: "camera" | "microphone", kind: "video" | "audio"): ProvenLine => ({
      ...{ source, kind, transceiver: { mid: null }, isRelayed: true },
      ...{ sent: pool.publication.attachment(kind), received: null },
    });
    return [
      {
        ...{ name: null, state: "connected" },
        stats: { read: async () => stats.latest, latest: stats.latest },
        lines: [line("camera", "video"), line("microphone", "audio")],
      },
    ];
  }

  reached(relays: boolean): void {
    this.#isOffered = relays && canPublish();
  }

  given(access: LiveRelayAccess): void {
    this.#worker?.given(access);
  }

  /** Whether some viewer is to find the stream there. */
  want(isWanted: boolean): void {
    this.#isWanted = isWanted;
    this.#follow();
  }

  async encodeAs(codec: string | null): Promise<void> {
    if (codec === this.#codec) return;
    this.#codec = codec;
    this.#follow();
    this.#options.changed();
  }

  async encodeOnce(once: boolean): Promise<void> {
    this.#isOnce = once;
    this.#follow();
  }

  sign(batch: Uint8Array): void {
    this.#worker?.post({ type: "signed", batch });
  }

  /** The sound may be another one. */
  refresh(): void {
    if (this.#worker !== null) this.#options.media.pool?.publication.hear(this.#options.sound());
  }

  close(): void {
    const worker = this.#worker;
    this.#worker = null;
    if (worker === null) return;
    this.#options.media.pool?.publication.close();
    worker.close();
  }

  #follow(): void {
    const isOpen = this.#worker !== null;
    const isDue = this.#isOffered && this.#isWanted && this.#isOnce && relayedCodec(this.#codec ?? "") !== null;
    if (isDue === isOpen) return;
    if (isDue) this.#open();
    else this.close();
    this.#options.changed();
  }

  #open(): void {
    const { media, ask } = this.#options;
    const { pool } = media;
    if (pool === null) return;
    const tracks = [...PICTURE_TRACKS, SOUND_TRACK];
    const worker = new RelayWorker(
      { type: "publish", tracks, signatures: SIGNATURES },
      { ask, state: () => undefined },
    );
    this.#worker = worker;
    const port = () => {
      const { port1, port2 } = new MessageChannel();
      worker.post({ type: "feed", port: port1 }, [port1]);
      return port2;
    };
    pool.publication.open(port, (batch) => this.sign(batch));
    this.refresh();
  }
}
