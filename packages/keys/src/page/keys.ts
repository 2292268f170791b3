import type { FromKeys, ToKeys } from "../shared/messages.ts";

/** The page's side of the keys worker: what goes in, what comes out. Key material never passes through it. */
export class KeyAgreement {
  readonly #spawn: () => Worker;
  readonly #listen: (message: FromKeys) => void;
  readonly #worker: Worker;
  /** Computes safety and meeting codes: a good part of a second each, in which the group must not stand still. */
  #comparing: Worker | null = null;

  /** `spawn` starts `@sealcast/keys/worker`. `listen` hears everything that one says, in order. */
  constructor(spawn: () => Worker, listen: (message: FromKeys) => void) {
    this.#spawn = spawn;
    this.#listen = listen;
    this.#worker = this.#start();
  }

  /** A media port is transferred: the caller keeps the other end only. */
  post(message: ToKeys): void {
    if (message.type === "compare" || message.type === "compare-meeting") return this.#compare(message);
    this.#worker.postMessage(message, message.type === "media" ? [message.port] : []);
  }

  /** Ends the worker and with it all keys. */
  close(): void {
    this.#worker.terminate();
    this.#comparing?.terminate();
  }

  #compare(message: ToKeys): void {
    this.#comparing ??= this.#start();
    this.#comparing.postMessage(message);
  }

  #start(): Worker {
    const worker = this.#spawn();
    worker.onmessage = (event: MessageEvent<FromKeys>) => this.#listen(event.data);
    return worker;
  }
}
