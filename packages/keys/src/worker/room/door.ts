import { toHex } from "@sealcast/bytes";
import { Secret } from "@sealcast/crypto";
import type { KnockKey } from "@sealcast/protocol";
import { MAX_LINKS } from "@sealcast/protocol/limits";
import { dropOldest } from "@sealcast/time";
import { DoorKey } from "../identity/door-key.ts";
import type { Change, Group } from "../mls/group.ts";
import { type Applicant, type Membership, readApplication } from "../mls/key-package.ts";
import { offerKnockKey } from "../mls/knock-key.ts";
import { sealHandover } from "./handover.ts";
import { type Answer, openKnock, sealAnswer, unwrapKnock } from "./knock.ts";
import type { ToRoom } from "./wire.ts";

/** Removals by hosts in one call after which the oldest link gets no answer any more. */
const MAX_FORMER = MAX_LINKS - 1;
/** Knocks that are known when they come again: more than people make while one is valid. */
const MAX_READ = 4096;

/** Someone who knocked. */
export interface Caller {
  readonly applicant: Applicant;
  /** What the server calls them. */
  readonly from: string;
  /** The link that they came with, where it is one that was replaced; null: the present one. */
  readonly oldLink: Secret | null;
}

/** An epoch at which knocks are read. */
interface OpenEpoch {
  readonly externalSecret: Uint8Array;
  /** Seats (Applicant.seat) that were added or removed since. */
  readonly changed: Set<string>;
}

/** Where knocks are read and answered, each at the epoch and under the link that it came with. */
export class Door {
  readonly #membership: Membership;
  /** Links of this call that were replaced, the latest first. They read knocks, and admit nobody. */
  #former: Secret[] = [];
  /** The doors of these links and, with members who read no knocks under them, of the last that was replaced. */
  #formerKeys: DoorKey[] = [];
  /** By node: the present epoch, and those that were left a moment ago. */
  readonly #epochs = new Map<string, OpenEpoch>();
  /** Leaf keys (hex) of the knocks that were read, the oldest first. */
  readonly #read = new Set<string>();

  constructor(membership: Membership) {
    this.#membership = membership;
  }

  /**
   * Knocks at this epoch are read from now on.
   *
   * @param change what the commit did that began it.
   * @returns the nodes of earlier epochs at which knocks are still read.
   */
  enter({ place, externalSecret }: Pick<Group, "place" | "externalSecret">, change: Change | null): readonly string[] {
    const earlier = [...this.#epochs.keys()];
    const changed = change === null ? [] : [...change.added, ...change.removed];
    for (const epoch of this.#epochs.values())
      for (const { identity, seat } of changed) epoch.changed.add(identity + seat);
    this.#epochs.set(place.node, { externalSecret: externalSecret.slice(), changed: new Set() });
    return earlier;
  }

  /** Knocks at the epoch of this node are read no more. */
  leave(node: string): void {
    this.#epochs.get(node)?.externalSecret.fill(0);
    this.#epochs.delete(node);
  }

  /** Of this epoch, for all links whose knocks are read here. */
  knockKey({ place, externalSecret }: Pick<Group, "place" | "externalSecret">): Promise<KnockKey> {
    const { room, suite } = this.#membership;
    const links = this.#links.map((link) => link.reveal());
    return offerKnockKey(externalSecret, { room, at: place.node }, links, suite);
  }

  /**
   * `stale`: at an epoch that is over, or never was this member's. `bad-knock`: sealed under no link that is known here, or
   * not acceptable in this room now. `replayed`: each counts once, and none that is older than the last change of its seat:
   * or the server could bring back a member who has left, and seat a present one again.
   */
  async read(from: string, at: string, body: Uint8Array): Promise<Caller | "stale" | "bad-knock" | "replayed"> {
    const { room, suite, linkSecret, seconds } = this.#membership;
    const epoch = this.#epochs.get(at);
    if (epoch === undefined) return "stale";
    for (const link of this.#links) {
      const sealed = await unwrapKnock({ room, link: link.reveal(), seconds: seconds() }, body);
      if (sealed === null) continue;
      const application = await openKnock({ room, at, suite }, epoch.externalSecret, sealed);
      const applicant = application && (await readApplication(this.#membership, application));
      if (applicant === null) return "bad-knock";
      const isFirst = this.#isFirst(toHex(applicant.keyPackage.leafNode.signaturePublicKey));
      if (!isFirst || epoch.changed.has(applicant.seat)) return "replayed";
      return { applicant, from, oldLink: link === linkSecret ? null : link };
    }
    return "bad-knock";
  }

  get #links(): readonly Secret[] {
    return [this.#membership.linkSecret, ...this.#former];
  }

  #isFirst(leafKey: string): boolean {
    if (this.#read.has(leafKey)) return false;
    this.#read.add(leafKey);
    dropOldest(this.#read, MAX_READ);
    return true;
  }

  async answer({ applicant, from, oldLink }: Caller, answer: Answer): Promise<ToRoom> {
    const { linkSecret, room } = this.#membership;
    const { signaturePublicKey } = applicant.keyPackage.leafNode;
    const body = await sealAnswer((oldLink ?? linkSecret).reveal(), room, signaturePublicKey, answer);
    return { type: "answer", to: from, body };
  }

  /** The answer that lets someone with an old link open the Welcome: it holds the present one. */
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

  /** Knocks are read at no epoch any more, until the next is entered. */
  leaveAll(): void {
    for (const node of [...this.#epochs.keys()]) this.leave(node);
  }

  close(): void {
    this.leaveAll();
    for (const link of this.#former) link.erase();
    this.#former = [];
  }
}
