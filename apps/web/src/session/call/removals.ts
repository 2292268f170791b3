import { concat, fromHex, toHex } from "@sealcast/bytes";
import { IDENTITY_SIZE, type RoomRules } from "@sealcast/keys";
import { type Milli, milli } from "@sealcast/time";

/** A host's word counts for so long. A host repeats it with each heartbeat. */
const COUNTS_FOR = milli(60_000);

interface Word {
  readonly identities: readonly string[];
  /** By the clock of the page. */
  readonly at: Milli;
}

/**
 * Identities that hosts are removing, before a commit has done so. A server can withhold that commit, so hosts tell each
 * member over the members' own connection, and nobody sends media to these identities meanwhile (PROTOCOL.md 5.1).
 */
export class Removals {
  readonly #own = new Set<string>();
  /** The last word of each host, by identity. */
  readonly #words = new Map<string, Word>();
  /** Whom a removal has taken out, and who has not been let in again: what is still said of them comes late. */
  readonly #out = new Set<string>();

  /** This member ordered a removal. */
  ordered(identity: string): void {
    this.#own.add(identity);
  }

  /** It is done, or of no use any more. */
  done(identity: string): void {
    this.#own.delete(identity);
  }

  /** What this member tells the others, 32 bytes an identity; null where it removes nobody. */
  get announcement(): Uint8Array | null {
    if (this.#own.size === 0) return null;
    return concat(...[...this.#own].map((identity) => fromHex(identity) ?? new Uint8Array()));
  }

  /** A member's announcement came over its connection, at `now`. What is malformed is dropped. */
  heard(from: string, body: Uint8Array, now: Milli): void {
    if (body.length === 0 || body.length % IDENTITY_SIZE !== 0) return;
    const identities: string[] = [];
    for (let at = 0; at < body.length; at += IDENTITY_SIZE)
      identities.push(toHex(body.subarray(at, at + IDENTITY_SIZE)));
    this.#words.set(from, { identities, at: now });
    this.#forgetOut();
  }

  /**
   * The group has changed: who is in it now, and whom a removal took out. What hosts said of those is done, and does not
   * count when they are let in again. Of who left without a removal it goes on counting, or coming back would end it.
   */
  changed(present: ReadonlySet<string>, removed: readonly string[]): void {
    for (const identity of removed) this.#out.add(identity);
    for (const identity of present) this.#out.delete(identity);
    this.#forgetOut();
  }

  /** The identities that are being removed by those who are hosts now, this member among them or not. */
  underWay({ host, hosts }: RoomRules, now: Milli): string[] {
    const words = [...this.#words].filter(([from, { at }]) => hosts.includes(from) && now - at < COUNTS_FOR);
    const own = host ? this.#own : [];
    return [...new Set([...own, ...words.flatMap(([, { identities }]) => identities)])];
  }

  #forgetOut(): void {
    for (const [from, { identities, at }] of this.#words)
      this.#words.set(from, { identities: identities.filter((identity) => !this.#out.has(identity)), at });
  }
}
