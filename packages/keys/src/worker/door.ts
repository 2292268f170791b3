import { toHex } from "@sealcast/bytes";
import { Secret } from "@sealcast/crypto";
import type { Member, ToRoom } from "../shared/messages.ts";
import { DoorKey } from "./door-key.ts";
import { sealHandover } from "./handover.ts";
import { type Applicant, type Membership, readApplication } from "./key-package.ts";
import { type Answer, openKnock, sealAnswer } from "./knock.ts";

/** Removals by hosts in one call after which the oldest link gets no answer any more. */
const MAX_FORMER = 16;
/** Knocks that are known when they come again: more than people make while one is valid. */
const MAX_READ = 4096;

/** Somebody who knocked. */
export interface Caller {
  readonly applicant: Applicant;
  /** What the server calls them. */
  readonly from: string;
  /** The link that they came with, where it is one that was replaced; null: the present one. */
  readonly oldLink: Secret | null;
}

/** Where knocks are read and answered, each under the link that it came with. */
export class Door {
  readonly #membership: Membership;
  /** Links of this call that were replaced, the latest first. They read knocks, and admit nobody. */
  #former: Secret[] = [];
  /** The doors of these links and, with members who read no knocks under them, of the last that was replaced. */
  #formerKeys: DoorKey[] = [];
  /** Leaf keys (hex) of the knocks that were read, and of all who were members, the oldest first. */
  readonly #read = new Set<string>();

  constructor(membership: Membership) {
    this.#membership = membership;
  }

  /**
   * `bad-knock`: sealed under no link that is known here, or not acceptable in this room now. `replayed`: each counts once, or
   * the server could bring back who has left, and seat anew who is here.
   */
  async read(from: string, body: Uint8Array): Promise<Caller | "bad-knock" | "replayed"> {
    const { linkSecret, room, seconds } = this.#membership;
    for (const link of [linkSecret, ...this.#former]) {
      const application = await openKnock(link.reveal(), room, seconds(), body);
      if (application === null) continue;
      const applicant = await readApplication(this.#membership, application);
      if (applicant === null) return "bad-knock";
      if (!this.#isFirst(toHex(applicant.keyPackage.leafNode.signaturePublicKey))) return "replayed";
      return { applicant, from, oldLink: link === linkSecret ? null : link };
    }
    return "bad-knock";
  }

  /** These have been let in: the knocks that led to it may reach this member late. */
  seated(members: readonly Member[]): void {
    for (const { occupancy } of members) this.#isFirst(occupancy);
  }

  #isFirst(leafKey: string): boolean {
    if (this.#read.has(leafKey)) return false;
    this.#read.add(leafKey);
    const [oldest] = this.#read;
    if (this.#read.size > MAX_READ && oldest !== undefined) this.#read.delete(oldest);
    return true;
  }

  async answer({ applicant, from, oldLink }: Caller, answer: Answer): Promise<ToRoom> {
    const { linkSecret, room } = this.#membership;
    const { signaturePublicKey } = applicant.keyPackage.leafNode;
    const body = await sealAnswer((oldLink ?? linkSecret).reveal(), room, signaturePublicKey, answer);
    return { type: "answer", to: from, body };
  }

  /** The answer that lets somebody with an old link open the Welcome: it holds the present one. */
  async handOver(caller: Caller): Promise<ToRoom> {
    return this.answer(caller, { link: await sealHandover(this.#membership, caller.applicant.keyPackage) });
  }

  /** Of links that were replaced, the latest first: those who missed the removal come by them. */
  get former(): readonly DoorKey[] {
    return this.#formerKeys;
  }

  /** This link admits from now on. `keep`: knocks under the one before are still read. */
  async replaceLink(secret: Uint8Array, keep: boolean): Promise<void> {
    const { linkSecret, room } = this.#membership;
    const keys = [await DoorKey.of(linkSecret.reveal(), room), ...this.#formerKeys];
    this.#formerKeys = keys.slice(0, keep ? MAX_FORMER : 1);
    const former = [linkSecret, ...this.#former];
    this.#membership.linkSecret = new Secret(secret);
    this.#former = keep ? former.slice(0, MAX_FORMER) : [];
    for (const link of former.slice(this.#former.length)) link.erase();
  }

  close(): void {
    for (const link of this.#former) link.erase();
    this.#former = [];
  }
}
