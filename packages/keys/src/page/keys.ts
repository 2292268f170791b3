import type { FromKeys, ToKeys } from "../shared/messages.ts";

/** The page's side of the keys worker: what goes in, what comes out. Key material never passes through it. */
export class KeyAgreement {
  readonly #worker: Worker;

  /** Takes over `worker`, which runs `@sealcast/keys/worker`. `listen` hears everything it says, in order. */
  constructor(worker: Worker, listen: (message: FromKeys) => void) {
    this.#worker = worker;
    worker.onmessage = (event: MessageEvent<FromKeys>) => listen(event.data);
  }

  /** A media port is transferred: the caller keeps the other end only. */
  post(message: ToKeys): void {
    this.#worker.postMessage(message, message.type === "media" ? [message.port] : []);
  }

  /** Ends the worker and with it all keys. */
  close(): void {
    this.#worker.terminate();
  }
}
