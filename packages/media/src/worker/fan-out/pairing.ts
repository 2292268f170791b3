import { type Clock, type Milli, milli } from "@sealcast/time";
import type { SealedFrame, StandIn } from "./sealed-frame.ts";

/** A frame that found no stand-in by then is too late. A busy machine may take most of this. */
const DEADLINE = milli(1_500);
/** A key frame may wait longer: another one would come later still. */
const KEY_DEADLINE = milli(2_000);
/**
 * A link's encoder that was asked for a key frame makes one in milliseconds where it works. Each key frame too many breaks
 * the link off again, so nothing is asked for twice before the page has answered.
 */
const ASK_AGAIN = milli(300);
/** A full machine takes longer for all of it: twice as long each time that it was not enough. */
const MOST_PATIENCE = 8;
/** After this long without another start half of that is enough. */
const FORGIVEN = milli(10_000);
/** Least between two stand-ins too many, with which a link catches up. */
const EXTRA_GAP = milli(100);
/** Stand-ins that came before their frames. */
const MOST_EARLY = 5;

/** What a pairing has others do. */
export interface Pairs<S extends StandIn> {
  /** Gives the link's encoder one stand-in to encode. */
  write(): void;
  /** Has the link's encoder make a key frame of the next stand-in. `keyed` is to be called when it will. */
  needStandInKey(): void;
  /** The other end cannot go on without a real key frame. */
  needKey(): void;
  /** The link's encoder does not keep up, or does nothing at all: its connection may be gone. */
  stuck(): void;
  /** The sealed frame goes out in the stand-in's place. */
  send(standIn: S, sealed: SealedFrame): void;
  /** The stand-in goes nowhere. */
  leaveOut(standIn: S): void;
}

/**
 * [Note: Stand-ins] Every member opens with the sender's one key, so a frame that is encoded and sealed once could go to all.
 * Browsers have no sender for encoded frames: an `RTCRtpSender` sends what its own encoder made, and an encoded transform may
 * change such a frame but add none. So the page gives each link's sender a track of stand-ins:
 *
 *     worker writes a 32x32 grey picture -> link's encoder -> sealing transform -> a sealed frame takes its place -> network
 *
 * - A stand-in is smaller than any camera's frame. By its size the transform knows it, and encoding it takes hardly any time.
 * - Sealed frames and stand-ins keep their order. A sealed frame takes the place of a stand-in of its own type (key or delta)
 *   and codec, since the packetizer writes both into RTP headers. A stand-in without such a frame goes nowhere.
 * - RTP headers say that a frame builds on the one before it. After a gap the next frame to go is therefore a key frame.
 * - A key frame waits until the page has had the link's encoder make a key frame of the next stand-in.
 * - A key stand-in that nobody here asked for is how a receiver's request (PLI or FIR) shows.
 */

/**
 * Pairs one link's stand-ins with sealed frames (see [Note: Stand-ins]).
 *
 * broken: nothing goes until a real key frame comes. keying: that key frame waits for a stand-in that is one. flowing:
 * for each sealed frame a stand-in is written and takes its place.
 */
export class Pairing<S extends StandIn> {
  readonly #clock: Clock;
  readonly #pairs: Pairs<S>;
  /** The link's encoder has made nothing yet: what it makes first is a key frame, and nobody has to ask for that. */
  #isNew: boolean;
  #state: "broken" | "keying" | "flowing" = "broken";
  /** In `keying` the first is a key frame; otherwise none is. */
  #waiting: { sealed: SealedFrame; since: Milli }[] = [];
  #early: S[] = [];
  /** Stand-ins are written for what comes, and were for what waits. */
  #written = false;
  /** When the next stand-in was to be a key frame; null as long as the page has not answered. */
  #keyed: Milli | null = null;
  /** How many times longer than the deadlines say frames may wait. */
  #patience = 1;
  #started = milli(0);
  #extra = milli(Number.NEGATIVE_INFINITY);

  constructor(clock: Clock, isNew: boolean, pairs: Pairs<S>) {
    this.#clock = clock;
    this.#isNew = isNew;
    this.#pairs = pairs;
  }

  get isBroken(): boolean {
    return this.#state === "broken";
  }

  /** Frames that wait for their stand-ins. */
  get waiting(): number {
    return this.#waiting.length;
  }

  push(sealed: SealedFrame): void {
    const waiting = { sealed, since: this.#clock.now() };
    if (sealed.isKey) this.#key(waiting);
    else if (this.#state === "keying") this.#behindKey(waiting);
    else if (this.#state === "flowing") this.#flow(waiting);
  }

  /** The link's encoder makes its next frame a key frame. */
  keyed(): void {
    this.#keyed = this.#clock.now();
    if (this.#written) return;
    this.#written = true;
    this.#writeForAll();
  }

  standIn(standIn: S): void {
    if (standIn.isKey) this.#keyStandIn(standIn);
    else if (this.#state !== "flowing") this.#pairs.leaveOut(standIn);
    else if (this.#waiting.length > 0) this.#send(standIn);
    else if (this.#early.push(standIn) > MOST_EARLY) this.#restart();
  }

  /** Frames of this link were lost, or will be. The caller asks for a key frame when one can go. */
  break(): void {
    this.#state = "broken";
    this.#waiting = [];
    this.#written = false;
    for (const standIn of this.#early.splice(0)) this.#pairs.leaveOut(standIn);
  }

  #restart(): void {
    this.break();
    this.#pairs.needKey();
  }

  #giveUp(): void {
    this.#patience = Math.min(2 * this.#patience, MOST_PATIENCE);
    this.break();
    this.#pairs.stuck();
  }

  /** What waits builds on what came before, and so would be shown for a moment only. */
  #key(waiting: { sealed: SealedFrame; since: Milli }): void {
    this.break();
    this.#state = "keying";
    this.#waiting = [waiting];
    this.#ask();
  }

  #ask(): void {
    this.#keyed = null;
    this.#written = false;
    if (!this.#isNew) return this.#pairs.needStandInKey();
    this.#isNew = false;
    this.keyed();
  }

  #behindKey(waiting: { sealed: SealedFrame; since: Milli }): void {
    if (this.#isLate(KEY_DEADLINE)) return this.#giveUp();
    this.#waiting.push(waiting);
    if (this.#written) this.#pairs.write();
    if (this.#keyed !== null && this.#clock.now() - this.#keyed > ASK_AGAIN * this.#patience) this.#ask();
  }

  #flow(waiting: { sealed: SealedFrame; since: Milli }): void {
    if (this.#isLate(DEADLINE)) return this.#giveUp();
    const [oldest] = this.#waiting;
    this.#waiting.push(waiting);
    const early = this.#early.shift();
    if (early !== undefined) return this.#send(early);
    this.#pairs.write();
    if (oldest !== undefined) this.#catchUp(oldest);
  }

  #isLate(deadline: Milli): boolean {
    const [oldest] = this.#waiting;
    return oldest !== undefined && this.#clock.now() - oldest.since > deadline * this.#patience;
  }

  /**
   * The link's encoder left a stand-in out: each frame would wait for the next one's for ever. Or it is slow: the next one
   * too many is written when this one has had the time to come out.
   */
  #catchUp({ since }: { since: Milli }): void {
    const now = this.#clock.now();
    if (now - this.#extra < Math.max(EXTRA_GAP, now - since)) return;
    this.#extra = now;
    this.#pairs.write();
  }

  #keyStandIn(standIn: S): void {
    // A link that changes its codec still made this one with the old.
    const isOther = standIn.mimeType?.toLowerCase() !== this.#waiting[0]?.sealed.mimeType;
    if (this.#state === "keying" && isOther) return this.#pairs.leaveOut(standIn);
    if (this.#state === "keying") return this.#start(standIn);
    // Nobody asked for it here: this is how the other end's request for a key frame shows.
    this.#pairs.leaveOut(standIn);
    this.#restart();
  }

  #start(standIn: S): void {
    this.#state = "flowing";
    const now = this.#clock.now();
    if (now - this.#started > FORGIVEN) this.#patience = Math.max(this.#patience / 2, 1);
    this.#started = now;
    this.#send(standIn);
    this.keyed();
  }

  #send(standIn: S): void {
    const next = this.#waiting.shift();
    if (next === undefined) return this.#pairs.leaveOut(standIn);
    if (standIn.mimeType?.toLowerCase() !== next.sealed.mimeType) {
      this.#pairs.leaveOut(standIn);
      return this.#restart();
    }
    this.#pairs.send(standIn, next.sealed);
  }

  #writeForAll(): void {
    for (const _ of this.#waiting) this.#pairs.write();
  }
}
