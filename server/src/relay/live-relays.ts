import { createHash, timingSafeEqual } from "node:crypto";
import type { Down } from "@sealcast/protocol";
import { type Clock, type Milli, milli } from "@sealcast/time";
import { jwtVerify, SignJWT } from "jose";
import * as v from "valibot";
import type { Log } from "../log.ts";
import type { RelayTraffic } from "./livekit.ts";

/** Relays of live streams (moq-relay), which pass streams on to each other. */
export interface LiveRelaysConfig {
  /** As pages reach them: scheme, host and port. */
  readonly urls: readonly string[];
  /** Where each of them is told things, over http. */
  readonly internal: readonly string[];
  /** What this server, its relays and nobody else know. */
  readonly secret: string;
}

/** Where relays ask, with the secret as the last part of the path. */
export const LIVE_RELAYS_PATH = "/live-relays/";
/** Of a question: a path, a token, and what a relay says of a session besides. */
export const MAX_QUESTION = 16 * 1024;
/** Seconds for which a token lets a page connect, and a relay keeps a session without asking again. */
const TOKEN_SECONDS = 600;
/** Seconds after which a relay asks again. */
const ASK_AGAIN_SECONDS = 60;
/** So long a token lives whose pass has ended: it is refused until then. */
const REFUSED = milli((TOKEN_SECONDS + 60) * 1_000);
/** Between two requests to the relays about one stream: each has them ask about all who watch it. */
const TELL_EVERY = milli(1_000);
/** Milliseconds for a relay to answer. */
const ANSWER_WITHIN = 5_000;

/** What one session of a live room may do at the relays, for as long as it stands. */
export interface LivePass {
  /** Random; says nothing of anyone. */
  readonly id: string;
  readonly path: string;
  /** Of the one broadcast at that path. */
  readonly name: string;
  readonly may: "publish" | "subscribe";
}

/** The answer to `live-relay`. */
export type LiveRelayAnswer = Extract<Down, { type: "live-relay" }>;

/** What a relay may be answered: moq-relay's grant. */
interface Grant {
  readonly root?: string;
  readonly publish?: readonly string[];
  readonly subscribe?: readonly string[];
  /** Unix seconds. */
  readonly expires: number;
  /** Seconds. */
  readonly revalidate: number;
  /** Another relay: what it passes on was let in there. */
  readonly peer?: true;
}

/** As moq-relay 0.17 asks; it says more, which nothing here depends on. */
const Question = v.object({
  event: v.picklist(["connect", "revalidate", "end"]),
  transport: v.string(),
  path: v.string(),
  query: v.optional(v.string(), ""),
});

const Claims = v.object({
  sub: v.string(),
  path: v.string(),
  name: v.string(),
  may: v.picklist(["publish", "subscribe"]),
  exp: v.pipe(v.number(), v.safeInteger()),
});

interface Options {
  readonly config: LiveRelaysConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly traffic: RelayTraffic;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Who may be at the relays of live streams. A token is signed, so that one goes on being good for a server that starts again; who
 * was sent away is remembered for as long as a token of theirs may live.
 */
export class LiveRelays {
  readonly #options: Options;
  readonly #key: Uint8Array;
  readonly #now: () => number;
  /** Of the passes that stand. */
  readonly #standing = new Set<string>();
  /** Of those that were ended, until when they are refused. */
  readonly #ended = new Map<string, Milli>();
  /** Paths of which relays were told just now, and whether there is more to tell. */
  readonly #told = new Map<string, boolean>();
  #isReached = true;

  constructor(options: Options) {
    this.#options = options;
    this.#key = new TextEncoder().encode(options.config.secret);
    this.#now = options.now ?? Date.now;
  }

  get urls(): readonly string[] {
    return this.#options.config.urls;
  }

  /** A token for this pass, which stands from now on. */
  async issue(pass: LivePass): Promise<LiveRelayAnswer> {
    this.#options.traffic.tokens++;
    this.#standing.add(pass.id);
    const { path, name, may } = pass;
    const token = await new SignJWT({ path, name, may })
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setSubject(pass.id)
      .setExpirationTime(this.#seconds + TOKEN_SECONDS)
      .sign(this.#key);
    return { type: "live-relay", urls: [...this.urls], path, name, token, validFor: TOKEN_SECONDS };
  }

  /** Nobody stands for this pass any more: what it let in stays for as long as was said last. */
  lapse({ id }: LivePass): void {
    this.#standing.delete(id);
  }

  /** The pass is over: relays let nothing in by it again, and end what it let in when they ask the next time, within a minute. */
  refuse({ id }: LivePass): void {
    const now = this.#options.clock.now();
    for (const [old, until] of this.#ended) if (until <= now) this.#ended.delete(old);
    this.#standing.delete(id);
    this.#ended.set(id, milli(now + REFUSED));
  }

  /** The same, and they are told to ask now. */
  end(pass: LivePass): void {
    this.refuse(pass);
    this.#options.traffic.removals++;
    this.#tell(pass.path);
  }

  /** Whether a request comes from who knows the secret: a relay. Takes as long whatever is asked. */
  isRelay(url: string | undefined): boolean {
    return url?.startsWith(LIVE_RELAYS_PATH) === true && this.#isSecret(url.slice(LIVE_RELAYS_PATH.length));
  }

  /** What a relay is answered; null: it is to refuse. `end` is answered with nothing. */
  async answer(question: unknown): Promise<Grant | "noted" | null> {
    const parsed = v.safeParse(Question, question);
    if (!parsed.success) return null;
    const { event, transport, path, query } = parsed.output;
    if (event === "end") return "noted";
    // Pages take part; nobody is to read or list anything by one request.
    if (transport === "http") return null;
    const token = new URLSearchParams(query).get("jwt") ?? "";
    if (this.#isSecret(token)) return { root: "", publish: ["**"], subscribe: ["**"], ...this.#term(), peer: true };
    const claims = await this.#read(token);
    if (claims === null || claims.path !== path || this.#ended.has(claims.sub)) return null;
    const isStanding = event === "revalidate" && this.#standing.has(claims.sub);
    if (!isStanding && claims.exp <= this.#seconds) return null;
    const term = { expires: isStanding ? this.#term().expires : claims.exp, revalidate: ASK_AGAIN_SECONDS };
    return { [claims.may]: [claims.name], ...term };
  }

  get #seconds(): number {
    return Math.floor(this.#now() / 1_000);
  }

  #term(): Pick<Grant, "expires" | "revalidate"> {
    return { expires: this.#seconds + TOKEN_SECONDS, revalidate: ASK_AGAIN_SECONDS };
  }

  /** Null where this server did not sign it, whatever its end is. */
  async #read(token: string): Promise<v.InferOutput<typeof Claims> | null> {
    try {
      const options = { algorithms: ["HS256"], clockTolerance: Number.MAX_SAFE_INTEGER };
      const { payload } = await jwtVerify(token, this.#key, options);
      return v.parse(Claims, payload);
    } catch {
      return null;
    }
  }

  #isSecret(text: string): boolean {
    return timingSafeEqual(digest(text), digest(this.#options.config.secret));
  }

  #tell(path: string): void {
    if (this.#told.has(path)) return void this.#told.set(path, true);
    this.#told.set(path, false);
    const { config, clock } = this.#options;
    for (const relay of config.internal) void this.#haveAsked(relay, path);
    clock.after(TELL_EVERY, () => {
      const isMore = this.#told.get(path) === true;
      this.#told.delete(path);
      if (isMore) this.#tell(path);
    });
  }

  /** Has a relay ask again about the sessions at this path. */
  async #haveAsked(relay: string, path: string): Promise<void> {
    try {
      const url = `${relay}/sessions/revalidate?path=${encodeURIComponent(path.slice(1))}`;
      const init = { method: "POST", redirect: "error", signal: AbortSignal.timeout(ANSWER_WITHIN) } as const;
      const { ok, status } = await fetch(url, init);
      if (ok) this.#isReached = true;
      else this.#failed(status);
    } catch {
      this.#failed(0);
    }
  }

  /** Logged once until one is reached again. */
  #failed(status: number): void {
    const { log, traffic } = this.#options;
    traffic.failures++;
    if (this.#isReached) log({ event: "live-relay-failed", status });
    this.#isReached = false;
  }
}

/**
 * Where a load of the host's page publishes: hashes of the room's name and of that load's, which are the same after this server
 * started again, and from which neither name follows.
 */
export function livePathOf(room: string, load: string): Pick<LivePass, "path" | "name"> {
  const hash = (text: string) => digest(`Sealcast live relay\0${text}`).subarray(0, 16).toString("base64url");
  return { path: `/live/${hash(room)}`, name: hash(`${room}/${load}`) };
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
