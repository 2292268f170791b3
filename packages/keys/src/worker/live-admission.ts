import { Cursor, concat, equal, fromHex, OutOfBytes, toBase64url, toHex, u16, utf8 } from "@sealcast/bytes";
import { hkdf, random, Secret } from "@sealcast/crypto";
import { type LiveLink, liveFragment, liveRoomOf } from "../shared/live-link.ts";
import { type Ask, isAskOf, RESUME_ID_SIZE } from "./live-ask.ts";

const VERSION = 1;
const ROOM_SIZE = 22;
const SECRET_SIZE = 32;
const FINGERPRINT_SIZE = 16;
/** Links that were replaced and may still ask. */
const MAX_EARLIER = 8;

/** How somebody who asks stands, and the secret that they showed to know. */
export interface Standing {
  /** `late`: with a link that was replaced. */
  is: "welcome" | "late" | "removed";
  secret: Uint8Array;
}

interface Parts {
  room: string;
  /** The host's own: makes the token for the server, and every resume secret. */
  hostKey: Secret;
  /** The link's secret first, then those that it replaced. */
  secrets: Secret[];
  /** Resume ids, in hex. */
  removed: string[];
}

/** Who may come into a live room. Kept by the host's browser from one load of the page to the next. */
export class LiveAdmission {
  readonly #host: Uint8Array;
  readonly #parts: Parts;

  /** A new room of the host with this fingerprint. */
  static async create(host: Uint8Array): Promise<LiveAdmission> {
    const secret = random(SECRET_SIZE);
    const room = await liveRoomOf({ secret, host });
    return new LiveAdmission(host, {
      room,
      hostKey: new Secret(random(SECRET_SIZE)),
      secrets: [new Secret(secret)],
      removed: [],
    });
  }

  /** What `encode` gave. Null: damaged, or of another host. */
  static parse(host: Uint8Array, bytes: Uint8Array): LiveAdmission | null {
    try {
      const parts = parseParts(host, bytes);
      return parts && new LiveAdmission(host, parts);
    } catch (error) {
      if (error instanceof OutOfBytes) return null;
      throw error;
    }
  }

  private constructor(host: Uint8Array, parts: Parts) {
    this.#host = host;
    this.#parts = parts;
  }

  get room(): string {
    return this.#parts.room;
  }

  /** Of the viewers' link. */
  fragment(): Promise<string> {
    return liveFragment(this.room, this.#link);
  }

  /** Holds the host's place at the server. */
  async token(): Promise<string> {
    return toBase64url(await hkdf(this.#parts.hostKey.reveal(), "live host token", 16));
  }

  /** The bytes are secret: whoever has them admits in the host's name. */
  encode(): Uint8Array {
    const { room, hostKey, secrets, removed } = this.#parts;
    const revealed = secrets.map((secret) => secret.reveal());
    const ids = removed.flatMap((id) => fromHex(id) ?? []);
    return concat(
      Uint8Array.of(VERSION),
      utf8(room),
      this.#host,
      hostKey.reveal(),
      Uint8Array.of(secrets.length),
      ...revealed,
      u16(ids.length),
      ...ids,
    );
  }

  /** From now on another link admits. */
  replaceLink(): void {
    const { secrets } = this.#parts;
    secrets.unshift(new Secret(random(SECRET_SIZE)));
    for (const old of secrets.splice(1 + MAX_EARLIER)) old.erase();
  }

  remove(resumeId: string): void {
    const { removed } = this.#parts;
    if (!removed.includes(resumeId)) removed.push(resumeId);
  }

  isRemoved(resumeId: string): boolean {
    return this.#parts.removed.includes(resumeId);
  }

  /** Admits the viewer with this id again, whatever becomes of the link. */
  async resume(id: Uint8Array): Promise<{ id: Uint8Array; secret: Uint8Array }> {
    return { id, secret: await hkdf(this.#parts.hostKey.reveal(), `live resume ${toHex(id)}`, SECRET_SIZE) };
  }

  /** Null: made by nobody who was ever admitted or had a link of this room. */
  async judge(ask: Ask, body: Uint8Array): Promise<Standing | null> {
    if (ask.kind === "resume") {
      const { secret } = await this.resume(ask.resumeId);
      if (!(await isAskOf(secret, this.room, body))) return null;
      return { is: this.isRemoved(toHex(ask.resumeId)) ? "removed" : "welcome", secret };
    }
    for (const [i, held] of this.#parts.secrets.entries()) {
      const secret = held.reveal();
      if (await isAskOf(secret, this.room, body)) return { is: i === 0 ? "welcome" : "late", secret };
    }
    return null;
  }

  get #link(): LiveLink {
    const [secret] = this.#parts.secrets;
    if (secret === undefined) throw new Error("a live room has a link");
    return { secret: secret.reveal(), host: this.#host };
  }
}

function parseParts(host: Uint8Array, bytes: Uint8Array): Parts | null {
  const cursor = new Cursor(bytes);
  if (cursor.u8() !== VERSION) return null;
  const room = new TextDecoder().decode(cursor.bytes(ROOM_SIZE));
  if (!equal(cursor.bytes(FINGERPRINT_SIZE), host)) return null;
  const hostKey = new Secret(cursor.bytes(SECRET_SIZE).slice());
  const secrets = Array.from({ length: cursor.u8() }, () => new Secret(cursor.bytes(SECRET_SIZE).slice()));
  const removed = Array.from({ length: cursor.u16() }, () => toHex(cursor.bytes(RESUME_ID_SIZE)));
  return cursor.left === 0 && secrets.length > 0 ? { room, hostKey, secrets, removed } : null;
}
