import { type Rate, TokenBucket } from "@sealcast/time";
import type { LivePass } from "../relay/live-relays.ts";
import type { RoomOptions, RoomSocket } from "./seat.ts";

/** Of one session: its page asks when it begins, before its token ends, and once more after each lost socket. */
const ASKS: Rate = { burst: 6, perSecond: 1 / 60 };

type Options = Pick<RoomOptions, "clock" | "randomId" | "liveRelays" | "dropped">;
type Where = Omit<LivePass, "id">;

/** What one session of a live room asks of the relays. Whether it may have something is its room's to say. */
export class LivePassHolder {
  readonly #options: Options;
  readonly #asks: TokenBucket;
  #pass: LivePass | null = null;

  constructor(options: Options) {
    this.#options = options;
    this.#asks = new TokenBucket(ASKS, options.clock);
  }

  /** Nothing where there are no relays, and to one that asks too often. */
  answer(where: Where, socket: RoomSocket): void {
    const { liveRelays, dropped, randomId } = this.#options;
    if (liveRelays === null) return;
    if (!this.#asks.tryTake()) return dropped();
    // Another load of the host's page has another place.
    if (this.#pass !== null && this.#pass.name !== where.name) this.end();
    const pass = this.#pass ?? { id: randomId(), ...where };
    this.#pass = pass;
    void liveRelays.issue(pass).then((answer) => {
      if (this.#pass === pass) socket.send(JSON.stringify(answer));
    });
  }

  /** The session is given up: what it has at the relays ends when that was to be renewed. */
  lapse(): void {
    if (this.#pass !== null) this.#options.liveRelays?.lapse(this.#pass);
    this.#pass = null;
  }

  /** The session is over by its own wish: the relays send it away when they ask the next time. */
  leave(): void {
    if (this.#pass !== null) this.#options.liveRelays?.refuse(this.#pass);
    this.#pass = null;
  }

  /** The session is over: the relays send it away. */
  end(): void {
    if (this.#pass !== null) this.#options.liveRelays?.end(this.#pass);
    this.#pass = null;
  }
}
