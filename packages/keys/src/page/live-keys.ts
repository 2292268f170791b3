import type { LiveLink } from "../shared/live-link.ts";
import type { FromHostKeys, FromViewerKeys, ToHostKeys, ToViewerKeys } from "../shared/live-messages.ts";
import { SealedStore } from "./sealed-store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** A host's link works for as long since the host's page was last open. */
const HOST_LIFE_MS = 30 * DAY_MS;
const VIEWER_LIFE_MS = DAY_MS;

type Kept = { type: "keep" };

const hosts = (): SealedStore => new SealedStore("sealcast-live-hosts");
/** As the server's challenge is signed for. */
const server = (): string => location.host.toLowerCase();

/**
 * Makes a live room of this browser's and keeps it, for LiveHostKeys. Takes over `worker`, which runs
 * `@sealcast/keys/live-host-worker`, and ends it. Rejects where this browser keeps no identity.
 */
export async function newLiveRoom(worker: Worker): Promise<string> {
  const kept = Promise.withResolvers<Extract<FromHostKeys, Kept>>();
  worker.onmessage = ({ data }: MessageEvent<FromHostKeys>) => {
    if (data.type === "keep") kept.resolve(data);
    else if (data.type === "refused") kept.reject(new Error(data.why));
  };
  worker.postMessage({ type: "host", kept: null, server: server() } satisfies ToHostKeys);
  try {
    const { room, state } = await kept.promise;
    await hosts().keep(room, new Uint8Array(state), Date.now() + HOST_LIFE_MS);
    return room;
  } finally {
    worker.terminate();
  }
}

/**
 * The page's side of a live host's keys worker. Key material never passes through the page, but what is kept for the next
 * load, which goes from the worker to the disk and back.
 */
export class LiveHostKeys {
  readonly #worker: Worker;
  readonly #store = hosts();

  /**
   * Takes over `worker`, which runs `@sealcast/keys/live-host-worker`, for a room that newLiveRoom made. `listen` hears everything the worker says, in order: `hosting` first, or `refused`.
   */
  constructor(worker: Worker, room: string, listen: (message: Exclude<FromHostKeys, Kept>) => void) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromHostKeys>) => {
      if (data.type !== "keep") return listen(data);
      void this.#store.keep(data.room, new Uint8Array(data.state), Date.now() + HOST_LIFE_MS);
    };
    void this.#begin(room, listen);
  }

  /** A port is transferred: the caller keeps the other end only. */
  post(message: Exclude<ToHostKeys, { type: "host" }>): void {
    this.#worker.postMessage(message, "port" in message ? [message.port] : []);
  }

  /** Ends the worker and with it all keys. */
  close(): void {
    this.#worker.terminate();
  }

  async #begin(room: string, listen: (message: Exclude<FromHostKeys, Kept>) => void): Promise<void> {
    const kept = await this.#store.recall(room).catch(() => null);
    if (kept === null) return listen({ type: "refused", why: "not-host" });
    this.#worker.postMessage({ type: "host", kept, server: server() } satisfies ToHostKeys);
  }
}

/** The page's side of a viewer's keys worker. */
export class LiveViewerKeys {
  readonly #worker: Worker;
  readonly #room: string;
  readonly #store = new SealedStore("sealcast-live-viewers");
  readonly #kept: Promise<Uint8Array<ArrayBuffer> | null>;

  /**
   * Takes over `worker`, which runs `@sealcast/keys/live-viewer-worker`, for someone who is to watch `room`. `listen` hears
   * everything the worker says, in order.
   */
  constructor(worker: Worker, room: string, listen: (message: Exclude<FromViewerKeys, Kept>) => void) {
    this.#worker = worker;
    this.#room = room;
    this.#kept = this.#store.recall(room).catch(() => null);
    worker.onmessage = ({ data }: MessageEvent<FromViewerKeys>) => {
      if (data.type !== "keep") return listen(data);
      void this.#store.keep(data.room, new Uint8Array(data.state), Date.now() + VIEWER_LIFE_MS);
    };
  }

  /** Has the worker ask for the keys, with the `link` that parseLiveLink read. To be called once. */
  async watch({ secret, host }: LiveLink): Promise<void> {
    const kept = await this.#kept;
    const watch = { type: "watch", room: this.#room, secret, host, kept, server: server() } satisfies ToViewerKeys;
    this.#worker.postMessage(watch);
  }

  /** A port is transferred: the caller keeps the other end only. */
  post(message: Exclude<ToViewerKeys, { type: "watch" }>): void {
    this.#worker.postMessage(message, "port" in message ? [message.port] : []);
  }

  /** Ends the worker and with it all keys. */
  close(): void {
    this.#worker.terminate();
  }
}
