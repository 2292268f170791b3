import { type Clock, milli } from "@sealcast/time";

/** Messages that someone went without, and that are said again once they are back. Of more, the oldest are given up. */
const MOST_MISSED = 30;
/** What has not reached everybody by then is marked so. */
export const LATE_AFTER = milli(5_000);

/** `late`: someone still has not got it; `lost`: nor will, unless they come back. */
export type Delivery = "pending" | "late" | "lost" | "done";

/** A message that not everybody for whom it was written has. */
interface Undelivered {
  /** Identities of those for whom it was written. */
  readonly to: ReadonlySet<string>;
  /** Those of them who lack it, as far as is known. */
  readonly lacking: Set<string>;
  delivery: Exclude<Delivery, "done">;
  /** Names the attempt that is under way. */
  attempt: symbol | null;
}

interface DeliveriesOptions {
  readonly clock: Clock;
  /** This person's identity. */
  own(): string;
  /** Those of all other members of the group, as it is now: of this person's other pages, too. */
  others(): readonly string[];
  /** Identities that are being removed: nothing is written for them. */
  removing(): readonly string[];
  /**
   * Says the message of that key to everybody. `delivered` is called once all who are still here have it.
   * @returns false where it is not there any more
   */
  say(key: string, delivered: (missed: readonly string[]) => void): boolean;
  changed(key: string, delivery: Delivery): void;
}

/**
 * What this page has said, until everybody for whom it was written has it. It is said again to who comes back without it, and to
 * nobody for whom it was not written: as long as someone else is in the group, it waits.
 */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  /** By key, in order. */
  readonly #all = new Map<string, Undelivered>();
  #isHeld = false;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** That message was written now, for all who are here. */
  add(key: string): void {
    const { own, others, removing } = this.#options;
    const lacking = new Set(others().filter((identity) => !removing().includes(identity)));
    this.#all.set(key, { to: new Set([own(), ...lacking]), lacking, delivery: "pending", attempt: null });
    this.follow();
    this.#becomesLate(key);
  }

  /** Nothing is said as long as someone who is here is being removed, and would read it. */
  hold(isHeld: boolean): void {
    if (isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    this.follow();
  }

  /** This page is another member now: what was under way reaches nobody else. */
  rejoined(): void {
    for (const message of this.#all.values()) message.attempt = null;
    this.follow();
  }

  /** Someone came or went. */
  follow(): void {
    if (this.#isHeld) return;
    for (const [key, message] of this.#all) if (message.attempt === null) this.#goOn(key, message);
    const lost = [...this.#all].filter(([, { delivery }]) => delivery === "lost");
    for (const [key] of lost.slice(0, -MOST_MISSED)) this.#all.delete(key);
  }

  #goOn(key: string, message: Undelivered): void {
    const others = this.#options.others();
    const isDue = others.some((one) => message.lacking.has(one)) && others.every((one) => message.to.has(one));
    if (isDue) this.#say(key, message, others);
    else if (message.lacking.size > 0) this.#set(key, message, "lost");
    else {
      this.#all.delete(key);
      this.#options.changed(key, "done");
    }
  }

  #say(key: string, message: Undelivered, hearers: readonly string[]): void {
    const attempt = Symbol("attempt");
    message.attempt = attempt;
    if (message.delivery === "lost") {
      this.#set(key, message, "pending");
      this.#becomesLate(key);
    }
    const isThere = this.#options.say(key, (missed) => {
      if (message.attempt !== attempt) return;
      message.attempt = null;
      for (const identity of hearers) if (!missed.includes(identity)) message.lacking.delete(identity);
      this.follow();
    });
    if (!isThere) this.#all.delete(key);
  }

  #becomesLate(key: string): void {
    const message = this.#all.get(key);
    this.#options.clock.after(LATE_AFTER, () => {
      if (message?.delivery === "pending" && this.#all.get(key) === message) this.#set(key, message, "late");
    });
  }

  #set(key: string, message: Undelivered, delivery: Undelivered["delivery"]): void {
    if (delivery === message.delivery) return;
    message.delivery = delivery;
    this.#options.changed(key, delivery);
  }
}
