import type { FromHostKeys } from "@sealcast/keys";
import { type Fault, hostRoom } from "@sealcast/network";
import type { LiveRelayAccess } from "@sealcast/network/live-relay-messages";
import { milli } from "@sealcast/time";
import type { MediaSession } from "../media-session.ts";
import { SERVER_WITHIN, signallingUrl } from "../server.ts";
import type { PostToHostKeys } from "./host-keys.ts";

/** A page that another one has replaced ends once no viewer was connected for so long: a connection may come back. */
const UNWATCHED = milli(15_000);

export interface HostServerView {
  /** `replaced`: the server says that another load of this page hosts the stream; who watches this one goes on watching. */
  signalling: "connected" | "reconnecting" | "replaced";
}

interface HostServerOptions {
  media: MediaSession;
  post: PostToHostKeys;
  show(change: HostServerView): void;
  /** The person wants to go live, and the room is not open yet. */
  isStarting(): boolean;
  /** A viewer is connected now. */
  isWatched(): boolean;
  /** The room is open; `relays`: the server has relays of live streams. */
  opened(relays: boolean): void;
  relayGiven(access: LiveRelayAccess): void;
  refuse(problem: "other-version" | "server-unreachable" | "elsewhere"): void;
}

/**
 * A host's way to the room: the keys worker and the server speak through this page, which sees no key. What the server says
 * ends nothing that viewers see: those who are connected watch on.
 */
export class HostServer {
  readonly #options: HostServerOptions;
  #signalling: ReturnType<typeof hostRoom> | null = null;
  #isReplaced = false;
  /** When a viewer was last connected. */
  #watchedAt = milli(Number.NEGATIVE_INFINITY);

  constructor(options: HostServerOptions) {
    this.#options = options;
    options.media.life.bind(() => this.close());
  }

  /** The person wants to go live: until the room is open, the server has some seconds. */
  expect(): void {
    const { media, isStarting, refuse } = this.#options;
    media.life.after(SERVER_WITHIN, () => {
      if (isStarting()) refuse("server-unreachable");
    });
  }

  /** Once both the person and the keys are ready; later calls do nothing. */
  open(): void {
    if (this.#signalling !== null) return;
    const { media, post } = this.#options;
    this.#signalling = hostRoom(signallingUrl(), {
      challenge: (nonce) => post({ type: "room", event: { type: "challenge", nonce } }),
      event: (event) => {
        if (event.type === "hosting") this.#opened(event);
        post({ type: "room", event });
      },
      status: (signalling) => {
        if (!this.#isReplaced) this.#options.show({ signalling });
      },
      turn: (credentials) => media.ice.given(credentials),
      liveRelay: (given) => this.#options.relayGiven(given),
      unreadable: () => media.drop("unreadable"),
      fault: (fault) => this.#faulted(fault),
    });
  }

  /** What the keys worker has to say to the room. */
  tell(message: Extract<FromHostKeys, { type: "to-room" }>["message"]): void {
    if (message.type === "host") this.#signalling?.enter(message);
    else this.#signalling?.send(message);
  }

  /** Another load of this page goes on with the stream, and the last viewer of this one has gone there. To be called now and then. */
  leaveIfReplaced(): void {
    const { media, isWatched, refuse } = this.#options;
    const now = media.life.clock.now();
    if (isWatched()) this.#watchedAt = now;
    if (this.#isReplaced && now - this.#watchedAt > UNWATCHED) refuse("elsewhere");
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

  #opened(reach: { stunPort: number | null; turn: boolean; relays: boolean }): void {
    const { ice } = this.#options.media;
    ice.reached(reach, () => this.#signalling?.send({ type: "turn" }));
    ice.admitted();
    this.#options.opened(reach.relays);
  }

  #faulted({ code }: Fault): void {
    const { isStarting, refuse } = this.#options;
    if (code === "version" && isStarting()) refuse("other-version");
    if (code !== "replaced") return;
    this.#isReplaced = true;
    this.#options.show({ signalling: "replaced" });
    this.leaveIfReplaced();
  }
}
