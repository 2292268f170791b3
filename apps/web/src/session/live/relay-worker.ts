import type {
  FromLiveRelay,
  LiveRelayAccess,
  LiveRelayState,
  ToLiveRelay,
} from "@sealcast/network/live-relay-messages";
import { spawnLiveRelay } from "../workers.ts";

/** What signatures are called at a relay. */
export const SIGNATURES = "signatures";

interface RelayWorkerOptions {
  /** One that was started before; it is taken over. */
  worker?: Worker;
  /** Asks the server for access; `given` gets the answer. */
  ask(): void;
  state(state: LiveRelayState): void;
  /** Of what went out, about once a second. */
  published?(of: Extract<FromLiveRelay, { type: "published" }>): void;
}

/** One page's end of a stream's way over relays, in a worker that has no key. */
export class RelayWorker {
  readonly #worker: Worker;

  constructor(
    first: Extract<ToLiveRelay, { type: "publish" | "subscribe" }>,
    { worker = spawnLiveRelay(), ask, state, published }: RelayWorkerOptions,
  ) {
    this.#worker = worker;
    worker.addEventListener("message", ({ data }: MessageEvent<FromLiveRelay>) => {
      if (data.type === "need-access") ask();
      else if (data.type === "state") state(data.state);
      else published?.(data);
    });
    this.post(first);
  }

  given(access: LiveRelayAccess): void {
    this.post({ type: "access", access });
  }

  post(message: ToLiveRelay, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  close(): void {
    this.#worker.terminate();
  }
}
