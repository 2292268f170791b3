import type { FromViewerKeys, LiveViewerKeys } from "@sealcast/keys";
import { type Fault, type ViewerEvent, watchRoom } from "@sealcast/network";
import type { LiveRelayAccess } from "@sealcast/network/live-relay-messages";
import type { MediaSession } from "../media-session.ts";
import { signallingUrl } from "../server.ts";
import type { Refusal } from "./playback-state.ts";

export interface WatchServerView {
  signalling: "connected" | "reconnecting";
  /** While the server, having ended the connection to it, is tried again. It ends nothing else. */
  refusal: Refusal | null;
}

interface WatchServerOptions {
  room: string;
  media: MediaSession;
  post: LiveViewerKeys["post"];
  show(change: Partial<WatchServerView>): void;
  /** Whether there are relays that the stream may come over. */
  hasRelays(are: boolean): void;
  relayGiven(access: LiveRelayAccess): void;
  /** The server is of another version. */
  outdated(): void;
  /** What it says of the host, or of this page, changed. */
  changed(): void;
}

type FromServer = Extract<ViewerEvent, { type: "watching" }>["host"];

/**
 * A viewer's way to the room: the keys worker and the server speak through this page, which sees no key. What the server says
 * of the host changes words only: what the host sealed ends a stream, and nothing else.
 */
export class WatchServer {
  readonly #options: WatchServerOptions;
  #signalling: ReturnType<typeof watchRoom> | null = null;
  #hostIs: FromServer | null = null;

  constructor(options: WatchServerOptions) {
    this.#options = options;
    options.media.life.bind(() => this.close());
  }

  /** Null before the server has said so. */
  get hostIs(): FromServer | null {
    return this.#hostIs;
  }

  open(): void {
    const { room, media, post, show } = this.#options;
    this.#signalling = watchRoom(signallingUrl(), room, {
      challenge: (nonce) => post({ type: "room", event: { type: "challenge", nonce } }),
      event: (event) => this.#heard(event),
      status: (signalling) => show({ signalling }),
      turn: (credentials) => media.ice.given(credentials),
      liveRelay: (given) => this.#options.relayGiven(given),
      unreadable: () => media.drop("unreadable"),
      fault: (fault) => this.#faulted(fault),
    });
  }

  /** What the keys worker has to say to the room. */
  tell(message: Extract<FromViewerKeys, { type: "to-room" }>["message"]): void {
    if (message.type === "watch") this.#signalling?.enter(message);
    else this.#signalling?.send(message);
  }

  /** Asks what lets this page use the relays; `relayGiven` gets the answer. */
  askRelay(): void {
    this.#signalling?.send({ type: "live-relay" });
  }

  /** The network changed, or the computer woke up. */
  wake(): void {
    this.#signalling?.wake();
  }

  close(): void {
    this.#signalling?.close();
  }

  #heard(event: ViewerEvent): void {
    if (event.type === "watching") {
      this.#hostIs = event.host;
      this.#options.show({ refusal: null });
      this.#options.hasRelays(event.relays);
      this.#options.media.ice.reached(event, () => this.#signalling?.send({ type: "turn" }));
    } else if (event.type === "host-is") this.#hostIs = event.is === "back" ? "here" : event.is;
    this.#options.post({ type: "room", event });
    this.#options.changed();
  }

  /** The stream plays on, and the server is tried again. */
  #faulted({ code }: Fault): void {
    const refusal = code === "room-full" ? "full" : code === "refused-door" ? "unknown-link" : "other";
    this.#options.show({ refusal });
    if (code === "version") this.#options.outdated();
    this.#options.changed();
  }
}
