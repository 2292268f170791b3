import { constant, equal, hex, list, opaque, struct, toHex, uint8, uint16 } from "@sealcast/bytes";
import { hkdf, random, Secret } from "@sealcast/crypto";
import { FINGERPRINT_SIZE, type LiveLink, liveFragment, liveRoomOf } from "../../shared/live-link.ts";
import { SECRET_SIZE } from "../../shared/sizes.ts";
import { type Challenge, DoorKey } from "../identity/door-key.ts";
import { type Ask, isAskOf, RESUME_ID_SIZE } from "./ask.ts";

/** Links that were replaced and may still ask. */
const MAX_EARLIER = 8;

const keptAdmission = struct({
  version: constant(2),
  /** The host's fingerprint. */
  host: opaque(FINGERPRINT_SIZE),
  hostKey: opaque(SECRET_SIZE),
  secrets: list(uint8, opaque(SECRET_SIZE)),
  removed: list(uint16, hex(RESUME_ID_SIZE)),
});

/** How someone who asks stands, and the secret that they showed to know. */
export interface AdmissionState {
  /** `late`: with a link that was replaced, or a resume secret from before that. */
  is: "welcome" | "late" | "removed";
  secret: Uint8Array;
  /** Of the secret. */
  generation: number;
}

interface Parts {
  /** The host's own: makes its door key, and every resume secret. */
  hostKey: Secret;
  /** The link's secret first, then those that it replaced. Each begins a generation of resume secrets. */
  secrets: Secret[];
  /** Resume ids, in hex. */
  removed: string[];
}

/** Who may come into a live room. Kept by the host's browser from one load of the page to the next. */
export class LiveAdmission {
  readonly room: string;
  readonly #host: Uint8Array;
  readonly #parts: Parts;
  readonly #door: DoorKey;
  #generation = 0;

  /** A new room of the host with this fingerprint. */
  static async create(host: Uint8Array): Promise<LiveAdmission> {
    const [hostKey, secret] = [new Secret(random(SECRET_SIZE)), new Secret(random(SECRET_SIZE))];
    return LiveAdmission.#of(host, { hostKey, secrets: [secret], removed: [] });
  }

  /** What `encode` gave. Null: damaged, or of another host. */
  static async parse(host: Uint8Array, bytes: Uint8Array): Promise<LiveAdmission | null> {
    const kept = keptAdmission.parse(bytes);
    if (kept === null || !equal(kept.host, host) || kept.secrets.length === 0) return null;
    const secrets = kept.secrets.map((secret) => new Secret(secret));
    return LiveAdmission.#of(host, { hostKey: new Secret(kept.hostKey), secrets, removed: [...kept.removed] });
  }

  static async #of(host: Uint8Array, parts: Parts): Promise<LiveAdmission> {
    const door = await DoorKey.ofHost(parts.hostKey.reveal());
    return new LiveAdmission(host, parts, door, await liveRoomOf(door.door));
  }

  private constructor(host: Uint8Array, parts: Parts, door: DoorKey, room: string) {
    this.#host = host;
    this.#parts = parts;
    this.#door = door;
    this.room = room;
  }

  /** Of the viewers' link. */
  fragment(): Promise<string> {
    return liveFragment(this.room, this.#link);
  }

  /** Shows the server who hosts the room. Both texts in base64url. */
  async prove(challenge: Challenge): Promise<{ key: string; signature: string }> {
    const { door: key, signature } = await this.#door.prove("host", challenge);
    return { key, signature };
  }

  /** The doors of the link and of those that it replaced, the present one first, in base64url. */
  async doors(): Promise<string[]> {
    const keys = await Promise.all(this.#parts.secrets.map((secret) => DoorKey.of(secret.reveal(), this.room)));
    return keys.map(({ door }) => door);
  }

  /** The bytes are secret: anyone who has them admits in the host's name. */
  encode(): Uint8Array {
    const { hostKey, secrets, removed } = this.#parts;
    const revealed = secrets.map((secret) => secret.reveal());
    return keptAdmission.encode({ host: this.#host, hostKey: hostKey.reveal(), secrets: revealed, removed });
  }

  /** How often the link was replaced since the page was loaded. */
  get generation(): number {
    return this.#generation;
  }

  /** From now on another link admits, and other resume secrets. */
  replaceLink(): void {
    const { secrets } = this.#parts;
    this.#generation += 1;
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

  /** Admits the viewer with this id again, until the link is replaced. */
  async resume(id: Uint8Array): Promise<{ id: Uint8Array; secret: Uint8Array }> {
    return { id, secret: await this.#resumeSecret(id, this.#link.secret) };
  }

  /** Null: made by nobody who was admitted under one of these links, or had one. */
  async judge(ask: Ask, body: Uint8Array): Promise<AdmissionState | null> {
    const present = this.#generation;
    const links = this.#parts.secrets.map((secret) => secret.reveal());
    for (const [i, link] of links.entries()) {
      const secret = ask.kind === "link" ? link : await this.#resumeSecret(ask.resumeId, link);
      if (!(await isAskOf(secret, this.room, body))) continue;
      const isRemoved = ask.kind === "resume" && this.isRemoved(toHex(ask.resumeId));
      return { is: isRemoved ? "removed" : i === 0 ? "welcome" : "late", secret, generation: present - i };
    }
    return null;
  }

  /** Of one generation: that of the link with this secret. */
  #resumeSecret(id: Uint8Array, link: Uint8Array): Promise<Uint8Array> {
    return hkdf(this.#parts.hostKey.reveal(), `live resume ${toHex(id)}`, SECRET_SIZE, link);
  }

  get #link(): LiveLink {
    const [secret] = this.#parts.secrets;
    if (secret === undefined) throw new Error("a live room has a link");
    return { secret: secret.reveal(), host: this.#host };
  }
}
