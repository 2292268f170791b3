import { type Rate, TokenBucket } from "@sealcast/time";
import type { RoomOptions, RoomSocket } from "./seat.ts";

/** Of one session: once an hour is enough, and once more after each lost socket. */
const ASKS: Rate = { burst: 4, perSecond: 1 / 600 };

type Options = Pick<RoomOptions, "clock" | "turn" | "dropped">;

/** What one session asks of the TURN server. Whether it may have something is its room's to say. */
export class TurnAsks {
  readonly #options: Options;
  readonly #asks: TokenBucket;

  constructor(options: Options) {
    this.#options = options;
    this.#asks = new TokenBucket(ASKS, options.clock);
  }

  /** Nothing where there is no TURN server, and to one that asks too often. */
  answer(socket: RoomSocket): void {
    const { turn, dropped } = this.#options;
    if (turn === null) return;
    if (this.#asks.tryTake()) socket.send(JSON.stringify(turn()));
    else dropped();
  }
}
