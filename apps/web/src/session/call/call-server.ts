import type { FromKeys } from "@sealcast/keys";
import { type Fault, type RoomEvent, SignallingClient } from "@sealcast/network";
import type { MediaSession } from "../media-session.ts";
import { onNetworkChange } from "../network-change.ts";
import type { MediaRelay } from "../relay/media-relay.ts";
import { SERVER_WITHIN, signallingUrl } from "../server.ts";
import type { PostToKeys } from "./keys.ts";

export interface ServerView {
  signalling: "connected" | "reconnecting";
}

interface CallServerOptions {
  media: MediaSession;
  relay: Pick<MediaRelay, "reached" | "admitted" | "given">;
  post: PostToKeys;
  show(change: ServerView): void;
  /** This member is on its way in. */
  isJoining(): boolean;
  /** It is in. */
  isInCall(): boolean;
  /** The server does not let this member in, or was not reached. */
  refuse(problem: "room-full" | "other-version" | "server-unreachable"): void;
}

/** Faults that say of this page alone that it has no place. */
const PROBLEMS: Partial<Record<Fault["code"], "room-full" | "other-version">> = {
  "room-full": "room-full",
  version: "other-version",
};

/** The way to the room: the keys worker and the server speak through this page, which sees no key. */
export class CallServer {
  readonly #options: CallServerOptions;
  #signalling: SignallingClient | null = null;
  #isConnected = false;

  constructor(options: CallServerOptions) {
    this.#options = options;
    options.media.life.bind(() => this.close());
  }

  open(): void {
    const { media, post } = this.#options;
    const events: ConstructorParameters<typeof SignallingClient>[1] = {
      challenge: (nonce) => post({ type: "room", event: { type: "challenge", nonce } }),
      event: (event) => this.#heard(event),
      status: (signalling) => this.#is(signalling),
      alive: () => post({ type: "alive" }),
      relayToken: (given) => this.#options.relay.given(given),
      turn: (credentials) => media.ice.given(credentials),
      unreadable: () => media.drop("unreadable"),
      fault: (fault) => this.#faulted(fault),
      isFinal: (fault) => this.#isFinal(fault),
    };
    this.#signalling = new SignallingClient(signallingUrl(), events, media.life.clock);
    onNetworkChange(media.life, () => {
      this.#signalling?.wake();
      media.reconnect();
    });
    media.life.after(SERVER_WITHIN, () => this.#late());
  }

  /** What the keys worker has to say to the room. */
  tell(message: Extract<FromKeys, { type: "to-room" }>["message"]): void {
    if (message.type === "join") this.#signalling?.join(message);
    else this.#signalling?.send(message);
  }

  /** Asks for a token of the media relay. */
  askRelay(): void {
    this.#signalling?.send({ type: "relay-token" });
  }

  close(): void {
    this.#signalling?.close();
  }

  #heard(event: RoomEvent): void {
    const { media, relay } = this.#options;
    const { ice } = media;
    if (event.type === "joined") relay.reached(event);
    if (event.type === "joined") ice.reached(event, () => this.#signalling?.send({ type: "turn" }));
    if (event.type === "entered") for (const helper of [ice, relay]) helper.admitted();
    this.#options.post({ type: "room", event });
  }

  #late(): void {
    if (!this.#isConnected && this.#options.isJoining()) this.#options.refuse("server-unreachable");
  }

  #is(signalling: ServerView["signalling"]): void {
    this.#isConnected = signalling === "connected";
    this.#options.show({ signalling });
    if (signalling === "reconnecting") this.#options.post({ type: "disconnected" });
  }

  /** Who is in the call goes on without a place at the server, as without a server, and comes again for one. */
  #isFinal({ code }: Fault): boolean {
    return PROBLEMS[code] === undefined || !this.#options.isInCall();
  }

  #faulted(fault: Fault): void {
    if (!this.#isFinal(fault)) return;
    this.#options.refuse(PROBLEMS[fault.code] ?? "server-unreachable");
  }
}
