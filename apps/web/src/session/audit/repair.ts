import type { Attachment } from "@sealcast/media";
import { type Clock, milli, type Rate, TokenBucket } from "@sealcast/time";
import type { Proven, Sample } from "./browser-counters.ts";
import { isRefusing, isRenewed, KEYLESS_SAMPLES, lacksKeys, lacksSignatures } from "./encryption-audit.ts";

/** Something broke and was mended without anybody doing anything. */
export interface Healing {
  /** A media worker was replaced; a track's transform was set again; a key frame was asked for; this member joined afresh. */
  what: "worker" | "track" | "picture" | "keys";
  /** With whom it was; empty where it was nobody's. */
  who: string;
}

/** How many samples, each half a second after the last and about one second, something must be wrong: most of it passes. */
const PATIENCE = { stalled: 3, frozen: 3, refused: 5, keyless: KEYLESS_SAMPLES };
/** Samples between one leaf's turn to mend and the next one's. */
const TURN = 4;
/** Enough in a second to be media and no stray packet; a camera in the dark gives five pictures. */
const SOME = { packets: 10, frames: 3 };
/** A new key for everybody is not made more often. */
const REJOIN_GAP = milli(10_000);
/** Each makes all of this member's connections again: whose frames open for nobody has it do that no more often than so. */
const REJOINS: Rate = { burst: 4, perSecond: 1 / 120 };

type Fault =
  /** Packets or encoded frames come to the transform, and it does nothing. */
  | "stalled"
  /** Frames open and none is decoded. */
  | "frozen"
  /** Frames come and none opens or is sealed. */
  | "refused"
  /** The same, for want of a key: one of the two may not have taken the last change of keys yet. */
  | "keyless";

interface Mending {
  /** Makes this member join the group afresh: everybody gets a new key. */
  rejoin(): void;
  healed(healing: Healing): void;
}

/**
 * Mends tracks that stay broken: a stalled transform is replaced, a frozen picture gets a key frame, and where frames do not
 * open the member joins the group afresh. What does not open of a call's relay comes directly.
 */
export class Repair {
  readonly #mending: Mending;
  readonly #clock: Clock;
  readonly #faulty = new WeakMap<Attachment, { fault: Fault; samples: number }>();
  readonly #rejoins: TokenBucket;
  #rejoined = Number.NEGATIVE_INFINITY;

  constructor(mending: Mending, clock: Clock) {
    this.#mending = mending;
    this.#clock = clock;
    this.#rejoins = new TokenBucket(REJOINS, clock);
  }

  /** `leaf` is this member's own: of several who see the same, the lowest mends first and the others need not. */
  examine(pairs: [Sample, Sample | null][], leaf: number): void {
    for (const [now, before] of pairs) {
      const { attachment } = now;
      const fault = before && faultOf(now, before);
      const known = this.#faulty.get(attachment);
      const samples = known?.fault === fault ? known.samples + 1 : 1;
      if (fault === null) this.#faulty.delete(attachment);
      else if (samples < PATIENCE[fault] + (isOfKeys(fault) && !comesBesides(now) ? TURN * leaf : 0))
        this.#faulty.set(attachment, { fault, samples });
      else this.#mend(now, fault);
    }
  }

  /** Everything at once, for a person who asks for it. */
  all(peers: readonly Proven[]): void {
    for (const peer of peers) {
      for (const { sent, received } of peer.lines) {
        sent?.renew();
        received?.renew();
      }
      peer.link?.restart();
    }
    this.#rejoin();
  }

  #mend(now: Sample, fault: Fault): void {
    this.#faulty.delete(now.attachment);
    const who = now.peer.name ?? "";
    // A relay may have changed them: it has no say in who joins the group again. Where they do not open directly either, that is done.
    if (isOfKeys(fault) && comesBesides(now)) now.peer.link?.restart();
    else if (isOfKeys(fault)) {
      if (this.#clock.now() - this.#rejoined < REJOIN_GAP || !this.#rejoins.tryTake()) return;
      this.#rejoin();
      this.#mending.healed({ what: "keys", who });
    } else if (fault === "stalled") {
      now.attachment.renew();
      this.#mending.healed({ what: "track", who });
    } else {
      now.attachment.needKeyFrame();
      this.#mending.healed({ what: "picture", who });
    }
  }

  #rejoin(): void {
    this.#rejoined = this.#clock.now();
    this.#mending.rejoin();
  }
}

/** Over a call's relay: it can come directly, too. */
function comesBesides({ line, peer }: Sample): boolean {
  return line.isRelayed === true && peer.link !== undefined;
}

function isOfKeys(fault: Fault): boolean {
  return fault === "refused" || fault === "keyless";
}

function dealtWith({ passed, refused, late, leftOut }: Sample): number {
  return passed + refused + late + leftOut;
}

function faultOf(now: Sample, before: Sample): Fault | null {
  if (now.report === null || isRenewed(now, before)) return null;
  // Other keys would change nothing, and another try is another chance for who forged them.
  if (lacksSignatures(now, before)) return null;
  if (isRefusing(now, before)) return lacksKeys(now, before) ? "keyless" : "refused";
  const seen = dealtWith(now) - dealtWith(before);
  const came = (now.counted.before ?? 0) - (before.counted.before ?? 0);
  const enough = now.direction === "sent" ? SOME.frames : SOME.packets;
  if (came >= enough && seen === 0) return "stalled";
  const { after } = now.counted;
  const isPicture = now.direction === "received" && after !== null;
  if (isPicture && now.passed - before.passed >= SOME.frames && after === before.counted.after) return "frozen";
  return null;
}
