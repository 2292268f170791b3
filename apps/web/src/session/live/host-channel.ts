import type { LiveViewerKeys } from "@sealcast/keys";
import { toJson } from "../json.ts";
import { decodable, playable } from "../peer/codecs.ts";
import type { Asking } from "./asking.ts";
import type { HostConnection } from "./host-connection.ts";
import { type FromViewer, parseFromHost, type StreamWay } from "./messages.ts";
import type { WatchRecording } from "./watch-recording.ts";

export interface HostChannelView {
  /** Whether the host sends one now. */
  picture: boolean;
  sound: boolean;
}

interface HostChannelOptions {
  post: LiveViewerKeys["post"];
  connection: HostConnection;
  recording: WatchRecording;
  asking: Asking;
  show(change: HostChannelView): void;
  /** How this page stands with the host changed. */
  changed(): void;
}

/** What a viewer's page and the host say to each other through the keys workers' channel, and how far the host has let it in. */
export class HostChannel {
  readonly #options: HostChannelOptions;
  #decodes: readonly string[] = [];
  /** Those of them that play over relays. */
  #plays: readonly string[] = [];
  /** The stream that the keys are of. */
  #stream: string | null = null;
  #isWaiting = false;
  #isFull = false;
  #hasEnded = false;

  constructor(options: HostChannelOptions) {
    this.#options = options;
  }

  /** In a browser that lacks nothing, before there is a stream: of what is said of codecs, the host goes by the first. */
  async prepare(): Promise<void> {
    this.#decodes = decodable();
    this.#plays = await playable(this.#decodes);
  }

  /** Whether there is a stream whose host hears this page. */
  get isHeard(): boolean {
    return this.#stream !== null;
  }

  /** For the host's yes. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** No more viewers fit in. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** By the host's own word. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  waits(): void {
    this.#isWaiting = true;
    this.#options.changed();
  }

  /** The host answered. Of another load of the host's page, nothing of the last one is of use. */
  answered(stream: string): void {
    if (stream !== this.#stream) this.#hangUp();
    this.#stream = stream;
    this.#isWaiting = false;
    this.#hasEnded = false;
    this.hello(this.#options.connection.way?.state !== "connected");
    this.#options.changed();
  }

  ended(): void {
    this.#hasEnded = true;
    this.#stream = null;
    this.#hangUp();
  }

  /** Asks for the picture. `fresh`: the connection there was is of no use any more. `unreached`: the way that does not come about. */
  hello(fresh: boolean, unreached?: StreamWay): void {
    const { connection, recording, asking } = this.#options;
    const { listens } = connection;
    const codecs = { decodes: [...this.#decodes], plays: [...this.#plays] };
    this.tell({ type: "hello", ...codecs, fresh, listens, ...(unreached && { unreached }) });
    const { stage } = recording;
    if (stage !== null) this.tell({ type: "records", stage });
    // To a host who knows this page as someone else, as after a restart of the server.
    if (!fresh) connection.tellRelayed();
    asking.greet();
  }

  tell(message: FromViewer): void {
    this.#options.post({ type: "send", body: toJson(message) });
  }

  heard(body: Uint8Array): void {
    const { connection, recording, asking, show, changed } = this.#options;
    const message = connection.takesMessage() ? parseFromHost(body) : null;
    if (message === null) return;
    if (message.type === "sends") return show({ picture: message.picture, sound: message.sound });
    if (message.type === "recordings") return recording.heard(message);
    if (message.type === "timing") return connection.timed(message.message);
    if (message.type !== "signal" && message.type !== "relay" && message.type !== "full") return asking.heard(message);
    this.#isFull = message.type === "full";
    if (message.type === "signal") connection.receive(message);
    else if (message.type === "relay") connection.relay(message);
    else if (connection.relayed !== null) connection.hangUp();
    changed();
  }

  /** Nothing of the host's page counts any more. */
  #hangUp(): void {
    this.#options.recording.heard({ host: null, viewersMay: false });
    this.#options.asking.heard({ type: "questions", questions: [] });
    this.#options.connection.hangUp();
  }
}
