import { Connection } from "@moq/net";
import Session from "@moq/qmux";
import { type Cancel, type Clock, milli, systemClock } from "@sealcast/time";
import { retryDelay } from "../retry.ts";

type Established = Connection.Established;

/** For a relay to take the session, over WebTransport where the browser has a sound one, or a WebSocket. */
const OPEN_WITHIN = 2_500;
/** Of moq-lite in streams over one socket. */
const SOCKET_PROTOCOL = "qmux-01.moq-lite-05";
/** Milliseconds after which a relay that says nothing on a socket is gone; asked, it answers in a third of that. */
const SILENT_FOR = 4_000n;
/** Node 20 has no `navigator`. */
const IS_CHROMIUM = typeof navigator !== "undefined" && "userAgentData" in navigator;
/** Without its protocol's name, an older one is spoken over it, which carries no times of frames. */
const NAMES_PROTOCOL = "WebTransport" in globalThis && "protocol" in WebTransport.prototype;
/** A session that lasted for so long was no refusal. */
const LASTING = milli(5_000);
/** So long before its end a token is not begun with. */
const SPARE = milli(5_000);

/** What the server gave: relays that pass the stream on to each other, where it is there, and what lets this page in. */
export interface LiveRelayAccess {
  /** Scheme `https`, or `http` on this computer, whose relay's certificate is then taken on its word. */
  readonly urls: readonly string[];
  /** Of the stream, on each of them. */
  readonly path: string;
  /** Of the one broadcast at that path. */
  readonly name: string;
  readonly token: string;
  /** Seconds. */
  readonly validFor: number;
}

/**
 * `connecting` again whenever a session is lost; `connected` says to which of the relays, and over what. One that refuses is
 * `connected` for a moment.
 */
export type LiveRelayState =
  | { readonly is: "connecting" | "closed" }
  | { readonly is: "connected"; readonly url: string; readonly transport: "webtransport" | "websocket" };

export interface SessionOptions {
  /** Asks the server for access: at first, and when a token is old or no relay took it. Null: it gives none now. */
  access(): Promise<LiveRelayAccess | null>;
  state(state: LiveRelayState): void;
  /** With which of the relays, counted on and on. */
  readonly begin?: number;
  readonly clock?: Clock;
}

interface Handler {
  /** A session begins; what it is used for is made new. */
  opened(session: Established, access: LiveRelayAccess): void;
  /** It is over. */
  lost(): void;
}

/**
 * One session at a time at one of the relays: the first, or another that is named, and whenever it is lost, refused or of no use, the next one. Without a
 * token none is tried.
 */
export class LiveRelaySession {
  readonly #options: SessionOptions;
  readonly #handler: Handler;
  readonly #clock: Clock;
  /** Ends the session that there is, or the try. */
  #ending = new AbortController();
  #access: LiveRelayAccess | null = null;
  #accessEnds = milli(0);
  /** None of the relays took it: its token may be to blame. */
  #isDoubted = false;
  /** Which relay is tried. */
  #at: number;
  /** Tries since a session last was of use. */
  #tries = 0;
  #cancelTry: Cancel;
  #isClosed = false;

  constructor(options: SessionOptions, handler: Handler) {
    this.#options = options;
    this.#handler = handler;
    this.#at = options.begin ?? 0;
    this.#clock = options.clock ?? systemClock;
    this.#cancelTry = this.#clock.after(milli(0), () => void this.#open());
  }

  /** Something came of the session: if it is lost, another is tried at once. */
  useful(): void {
    this.#tries = 0;
  }

  /** This relay is of no use: on to the next one. */
  leave(): void {
    this.#ending.abort();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelTry();
    this.#ending.abort();
    this.#options.state({ is: "closed" });
  }

  async #open(): Promise<void> {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    this.#options.state({ is: "connecting" });
    const access = await this.#fresh();
    const session = access && (await connect(this.#urlOf(access), signal));
    if (access && session && !signal.aborted) await this.#use(session, access, signal);
    session?.close();
    if (!this.#isClosed) this.#again(access);
  }

  /** Done when the session is over. */
  async #use(session: Established, access: LiveRelayAccess, signal: AbortSignal): Promise<void> {
    const { url, transport } = session;
    const began = this.#clock.now();
    this.#options.state({ is: "connected", url: url.origin, transport });
    this.#handler.opened(session, access);
    const left = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    await Promise.race([session.closed.catch(() => undefined), left]);
    this.#handler.lost();
    if (this.#clock.now() - began > LASTING) this.useful();
  }

  /** The next relay, at once where another one is left to try. */
  #again(access: LiveRelayAccess | null): void {
    this.#at++;
    this.#tries++;
    const relays = access?.urls.length ?? 1;
    const rounds = Math.floor(this.#tries / relays);
    if (rounds > 0 && this.#tries % relays === 0) this.#isDoubted = true;
    this.#cancelTry = this.#clock.after(retryDelay(rounds), () => void this.#open());
  }

  /** The server gives few: where it gives none now, and relays may only have been away, the one that there is does. */
  async #fresh(): Promise<LiveRelayAccess | null> {
    const asked = this.#clock.now();
    const known = asked < this.#accessEnds ? this.#access : null;
    if (known !== null && !this.#isDoubted) return known;
    const given = await this.#options.access().catch(() => null);
    if (given === null || given.token === "") return known;
    this.#isDoubted = false;
    this.#access = given;
    this.#accessEnds = milli(asked + given.validFor * 1_000 - SPARE);
    return given;
  }

  #urlOf({ urls, path, token }: LiveRelayAccess): URL {
    const url = new URL(path, urls[this.#at % urls.length]);
    url.searchParams.set("jwt", token);
    return url;
  }
}

/** Null where the relay is not there, or refuses. */
async function connect(url: URL, signal: AbortSignal): Promise<Established | null> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(OPEN_WITHIN)]);
  try {
    const transport = IS_CHROMIUM || !NAMES_PROTOCOL ? await overSocket(url, within) : null;
    return await Connection.connect(url, { signal: within, ...(transport && { transport }) });
  } catch {
    return null;
  }
}

/**
 * Where a relay resets or refuses something, Chromium 156 at times ends the process of the whole page, with its WebTransport as with
 * its WebSocketStream; Firefox 153's WebTransport does not say which protocol the relay took
 * (docs/decisions/browsers-reach-relays-over-websockets.md).
 */
async function overSocket(url: URL, signal: AbortSignal): Promise<Session> {
  Reflect.deleteProperty(globalThis, "WebSocketStream");
  const session = new Session(url, { protocols: [SOCKET_PROTOCOL], config: { maxIdleTimeout: SILENT_FOR } });
  const abort = () => session.close();
  signal.addEventListener("abort", abort);
  await session.ready.finally(() => signal.removeEventListener("abort", abort));
  return session;
}
