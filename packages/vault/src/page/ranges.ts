import { toBase64url } from "@sealcast/bytes";
import { CLAIM, OPENED, partOf, type RangeAnswer, type RangeRequest } from "../shared/ranges.ts";

const TOKEN_BYTES = 16;

/** A file that a media element of this page can read by an address. */
export interface Served {
  readonly url: string;
  /** Nothing is at the address any more. The file stays open. */
  close(): void;
}

/** What is read of an open file. */
interface Source {
  readonly entry: { readonly kind: string };
  size(): Promise<number>;
  read(at: number, length: number): Promise<Uint8Array>;
}

interface Serving {
  readonly file: Source;
  onError(error: unknown): void;
}

/** Answers what the service worker asks for this page's media elements: opened as it is asked for, and kept nowhere. */
export class Ranges {
  readonly #register: () => Promise<ServiceWorkerRegistration>;
  readonly #serving = new Map<string, Serving>();
  readonly #ending = new AbortController();
  #isReady: Promise<boolean> | null = null;

  constructor(register: () => Promise<ServiceWorkerRegistration>) {
    this.#register = register;
    const hear = (event: MessageEvent<RangeRequest>) => void this.#hear(event);
    // From the start, since a page that serves nothing answers too. Browsers may have none.
    (navigator.serviceWorker as ServiceWorkerContainer | undefined)?.addEventListener("message", hear, {
      signal: this.#ending.signal,
    });
  }

  /**
   * Null: this browser has no service workers, or not for this page, or is not known to keep what its elements read in memory.
   * `onError` hears what `read` rejects with.
   */
  async serve(file: Source, onError: (error: unknown) => void): Promise<Served | null> {
    if (!readsIntoMemory()) return null;
    this.#isReady ??= isAnswered(this.#register).catch(() => false);
    if (!(await this.#isReady)) return null;
    const token = toBase64url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)));
    this.#serving.set(token, { file, onError });
    return { url: `${OPENED}${token}`, close: () => void this.#serving.delete(token) };
  }

  end(): void {
    this.#ending.abort();
    this.#serving.clear();
  }

  async #hear({ data: { token, range }, ports: [port] }: MessageEvent<RangeRequest>): Promise<void> {
    const serving = this.#serving.get(token);
    const answer = serving === undefined ? GONE : await this.#answer(token, serving, range);
    port?.postMessage(answer, answer.type === "part" ? [answer.bytes.buffer] : []);
  }

  async #answer(token: string, { file, onError }: Serving, range: string | null): Promise<RangeAnswer> {
    try {
      const answer = await answerOf(file, range);
      return this.#serving.has(token) ? answer : GONE;
    } catch (error) {
      // An element by itself would only wait.
      if (this.#serving.delete(token)) onError(error);
      return GONE;
    }
  }
}

/**
 * Whether what a media element reads stays off the disk. In Chromium it does, whose mark this is. Firefox keeps what is larger than
 * 8 MiB in a temporary file, whatever the answer says of caching; of others it is not known.
 */
function readsIntoMemory(): boolean {
  return "userAgentData" in navigator;
}

const GONE: RangeAnswer = { type: "gone" };

async function answerOf(file: Source, range: string | null): Promise<RangeAnswer> {
  const size = await file.size();
  const part = partOf(range, size);
  if (part === null) return { type: "not-in-range", size };
  const bytes = new Uint8Array(await file.read(part.at, part.length));
  return { type: "part", at: part.at, size, kind: file.entry.kind, bytes };
}

/** Whether a service worker answers for this page's elements. */
async function isAnswered(register: () => Promise<ServiceWorkerRegistration>): Promise<boolean> {
  const { installing, waiting, active } = await register();
  const worker = installing ?? waiting ?? active;
  if (worker === null || !(await isActivated(worker))) return false;
  // Its first page, and one that was loaded past it, have none yet.
  return navigator.serviceWorker.controller === worker || claimedBy(worker);
}

function isActivated(worker: ServiceWorker): Promise<boolean> {
  return new Promise((resolve) => {
    const look = () => {
      if (worker.state === "activated") resolve(true);
      if (worker.state === "redundant") resolve(false);
    };
    worker.addEventListener("statechange", look);
    look();
  });
}

function claimedBy(worker: ServiceWorker): Promise<boolean> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<boolean>) => resolve(data);
    worker.postMessage(CLAIM, [port2]);
  });
}
