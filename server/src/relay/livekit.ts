import { SignJWT } from "jose";
import type { Log } from "../log.ts";

/** How LiveKit, the media relay, is reached. */
export interface RelayConfig {
  /** Scheme `ws` or `wss`, host and port, as pages use it. */
  readonly url: string;
  /** The same over http, as this server reaches it. */
  readonly api: string;
  readonly key: string;
  readonly secret: string;
}

/** Seconds for a page to connect with its token. LiveKit takes it a minute longer, and renews it itself while the page is connected. */
export const TOKEN_SECONDS = 120;
/** Of a token with which this server asks. */
const ASK_SECONDS = 60;
/** Milliseconds for LiveKit to answer. */
const ANSWER_WITHIN = 5_000;
/** Bytes of an answer: what is asked here is answered with nothing, or with a short refusal. */
const MAX_ANSWER = 16 * 1024;

/** What is counted of it. */
export interface RelayTraffic {
  tokens: number;
  removals: number;
  failures: number;
}

/** What came of a removal: they were there and are gone, were not there, or LiveKit does not say. */
export type Removal = "removed" | "absent" | "unreached";

interface Options {
  readonly config: RelayConfig;
  readonly log: Log;
  readonly traffic: RelayTraffic;
}

/** LiveKit as this server uses it: tokens are made here; who is to be in its rooms no longer goes over its RoomService. */
export class LiveKit {
  readonly #options: Options;
  readonly #key: Uint8Array;
  #isReached = true;

  constructor(options: Options) {
    this.#options = options;
    this.#key = new TextEncoder().encode(options.config.secret);
  }

  get url(): string {
    return this.#options.config.url;
  }

  /** Lets this identity into this room, to send and receive sound and pictures, and for nothing else. */
  token(room: string, identity: string): Promise<string> {
    this.#options.traffic.tokens++;
    const may = { roomJoin: true, canPublish: true, canSubscribe: true };
    const mayNot = { canPublishData: false, canUpdateOwnMetadata: false, canSubscribeMetrics: false };
    return this.#sign({ video: { room, ...may, ...mayNot } }, TOKEN_SECONDS, identity);
  }

  /** Ends its connection. */
  async remove(room: string, identity: string): Promise<Removal> {
    const answer = await this.#ask("RemoveParticipant", { room, identity }, { roomAdmin: true, room });
    if (answer === "done") this.#options.traffic.removals++;
    return answer === "done" ? "removed" : answer;
  }

  /** Ends the room, and everybody's connection in it. */
  async end(room: string): Promise<void> {
    await this.#ask("DeleteRoom", { room }, { roomCreate: true });
  }

  async #ask(method: string, body: object, video: object): Promise<"done" | "absent" | "unreached"> {
    const { api } = this.#options.config;
    try {
      const response = await fetch(`${api}/twirp/livekit.RoomService/${method}`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${await this.#sign({ video }, ASK_SECONDS)}`,
          "Content-Type": "application/json",
        },
        body: JSON.stringify(body),
        redirect: "error",
        signal: AbortSignal.timeout(ANSWER_WITHIN),
      });
      const text = await bounded(response);
      if (response.status === 404) return this.#reached("absent");
      if (!response.ok) return this.#failed(response.status);
      JSON.parse(text);
      return this.#reached("done");
    } catch {
      return this.#failed(0);
    }
  }

  #reached<Answer>(answer: Answer): Answer {
    this.#isReached = true;
    return answer;
  }

  /** Logged once until it is reached again. */
  #failed(status: number): "unreached" {
    const { log, traffic } = this.#options;
    traffic.failures++;
    if (this.#isReached) log({ event: "relay-failed", status });
    this.#isReached = false;
    return "unreached";
  }

  #sign(claims: Record<string, object>, seconds: number, identity?: string): Promise<string> {
    const token = new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setIssuer(this.#options.config.key)
      .setIssuedAt()
      .setExpirationTime(`${seconds}s`);
    return (identity === undefined ? token : token.setSubject(identity)).sign(this.#key);
  }
}

async function bounded({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MAX_ANSWER) throw new RangeError("an answer that is too large");
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
