import { allowsClear, EPOCHS, EVERYTHING, type Policy, type Source, type VideoSource } from "@sealcast/frame";
import { type Clock, type Milli, milli, systemClock } from "@sealcast/time";
import type { PolicyAnnouncement } from "../../shared/messages.ts";

/** How long frames that an earlier policy left readable may still arrive. */
const GRACE = milli(2_000);

interface Announced {
  epoch: number;
  policy: Policy;
  /** The one before, and when it ended. */
  before: { policy: Policy; ended: Milli };
}

/**
 * Which frames go out readable, and which may come in so. A policy belongs to one source in one epoch: in every other
 * epoch everything is sealed, and nothing else is taken.
 */
export class Policies {
  readonly #clock: Clock;
  readonly #own = new Map<Source, { epoch: number; policy: Policy }>();
  readonly #announced = new Map<string, Announced>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** What this member's sealers do from now on. The others have to know before. */
  follow(source: VideoSource, epoch: number, policy: Policy): void {
    this.#own.set(source, { epoch, policy });
  }

  own(source: Source, epoch: number): Policy {
    const own = this.#own.get(source);
    return own?.epoch === epoch ? own.policy : EVERYTHING;
  }

  /** What another member said inside the group. */
  announced({ leaf, source, epoch, policy }: PolicyAnnouncement): void {
    const name = `${epoch} ${leaf} ${source}`;
    const known = this.#announced.get(name)?.policy ?? EVERYTHING;
    this.#announced.set(name, { epoch, policy, before: { policy: known, ended: this.#clock.now() } });
    for (const [old, entry] of this.#announced) if (entry.epoch <= epoch - EPOCHS) this.#announced.delete(old);
  }

  /** Whether such a frame of another member may be readable. */
  allows(leaf: number, source: Source, epoch: number, isKey: boolean): boolean {
    const announced = this.#announced.get(`${epoch} ${leaf} ${source}`);
    if (announced === undefined) return false;
    const { policy, before } = announced;
    const isRecent = this.#clock.now() - before.ended < GRACE;
    return allowsClear(policy, isKey) || (isRecent && allowsClear(before.policy, isKey));
  }

  /** No member is who it was: this one joined the group again. */
  clear(): void {
    this.#own.clear();
    this.#announced.clear();
  }
}
