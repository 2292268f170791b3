import type { MediaPool } from "@sealcast/media";
import { type Breach, type LineSource, type LinkState, PeerLink, type Signal } from "@sealcast/network";
import type { ProvenLine } from "../audit/browser-counters.ts";
import { kindOf, negotiable } from "../peer/codecs.ts";
import { Showing, type Shown } from "../peer/shown.ts";

/** How much is held back to play smoothly. */
export type Buffering = "lowest" | "smoothest";

/** The host is the one leaf of a stream. */
const HOST_LEAF = 0;
/** Milliseconds that the browser is asked to hold back. Null: as it sees fit. */
const TARGETS: Record<Buffering, number> = { lowest: 0, smoothest: 1_000 };

interface ReceptionOptions {
  readonly iceServers: RTCIceServer[];
  readonly pool: MediaPool;
  readonly buffering: Buffering;
  readonly listens: boolean;
  /** Null as long as the picture was not shown. */
  readonly shown: Shown | null;
  signal(signal: Signal): void;
  /** The host asked about time, or answered. */
  timing(body: Uint8Array): void;
  breached(breach: Breach): void;
  addressRefused(): void;
  changed(): void;
}

/** A viewer's end of one connection to the host: it receives only, and what the host has signed. */
export class Reception {
  readonly name: string;
  readonly id: string;
  readonly lines: ProvenLine[] = [];
  readonly link: PeerLink;
  /** The picture, and the sound while somebody listens: a browser that plays one decodes and mixes it, muted or not. */
  readonly stream = new MediaStream();
  readonly #options: ReceptionOptions;
  readonly #showing = new Showing((body) => this.link.say("shown", body));
  #state: LinkState = "connecting";
  #listens: boolean;
  #isForged = false;
  #wasLost = false;

  /** `id` is the connection's, as the host named it. */
  constructor(name: string, id: string, options: ReceptionOptions) {
    this.name = name;
    this.id = id;
    this.#options = options;
    this.#listens = options.listens;
    const { iceServers, pool, signal } = options;
    this.link = new PeerLink(
      { caller: false, direction: "recvonly", iceServers, stream: new MediaStream() },
      {
        signal,
        line: (transceiver, source) => this.#line(transceiver, source),
        state: (state) => this.#linked(state),
        opened: () => this.#showing.opened(),
        heard: (kind, body) => {
          if (kind === "signatures") pool.verify(body);
          if (kind === "timing") options.timing(body);
        },
        breached: options.breached,
        addressRefused: options.addressRefused,
      },
    );
    if (options.shown !== null) this.show(options.shown);
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Frames came that the host did not sign: nothing opens here any more. */
  get isForged(): boolean {
    return this.#isForged;
  }

  /** The way was lost, and signatures may be lost with it. */
  get wasLost(): boolean {
    return this.#wasLost;
  }

  buffer(buffering: Buffering): void {
    // W3C WebRTC Extensions section 6.2; Firefox has it not on every line.
    for (const { transceiver } of this.lines)
      if ("jitterBufferTarget" in transceiver.receiver) transceiver.receiver.jitterBufferTarget = TARGETS[buffering];
  }

  listen(on: boolean): void {
    this.#listens = on;
    for (const { kind, transceiver } of this.lines)
      if (kind === "audio" && on) this.stream.addTrack(transceiver.receiver.track);
      else if (kind === "audio") this.stream.removeTrack(transceiver.receiver.track);
  }

  /** The picture is shown so large from now on. */
  show(shown: Shown): void {
    this.#showing.show(shown);
  }

  close(): void {
    this.#showing.close();
    this.link.close();
    for (const { received } of this.lines) received?.release();
  }

  /** The transform is set in the task that made the line. */
  #line(transceiver: RTCRtpTransceiver, source: LineSource): void {
    const kind = kindOf(source);
    const { pool, buffering } = this.#options;
    const received = pool.open(transceiver.receiver, kind, source, HOST_LEAF, () => this.#forged());
    this.lines.push({ source, kind, transceiver, sent: null, received });
    transceiver.setCodecPreferences(negotiable(kind));
    if (kind === "video" || this.#listens) this.stream.addTrack(transceiver.receiver.track);
    this.buffer(buffering);
  }

  #forged(): void {
    this.#isForged = true;
    this.#options.changed();
  }

  #linked(state: LinkState): void {
    this.#state = state;
    if (state === "reconnecting") this.#wasLost = true;
    this.#options.changed();
  }
}
