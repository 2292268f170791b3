import { MAX_MEMBERS } from "@sealcast/protocol";
import { type Milli, milli } from "@sealcast/time";
import type { Session, Sessions } from "./sessions.ts";

/** Sessions here or away, besides MAX_MEMBERS inside a group of this room: others by its own door, and others by former ones. */
const MAX_OTHERS = 50;
const MAX_BY_FORMER_DOORS = 8;
/** Who has sat in a group for so long is put out by nobody who comes to it. */
const SETTLED = milli(30_000);

/** Who has a place in a room whose own door is `door`. */
export class Admission {
  readonly #sessions: Sessions;
  readonly #door: () => string;

  constructor(sessions: Sessions, door: () => string) {
    this.#sessions = sessions;
    this.#door = door;
  }

  /** Whether nobody else can come by this door. */
  isFull(door: string): boolean {
    const others = this.#sessions
      .all()
      .filter((session) => session.presence.is !== "gone" && !this.#sessions.isMember(session));
    const byFormer = others.filter((session) => session.door !== this.#door()).length;
    // Who was removed may have filled their places before, by the link that was the present one then.
    return door === this.#door() ? others.length - byFormer >= MAX_OTHERS : byFormer >= MAX_BY_FORMER_DOORS;
  }

  /**
   * Who has no place where more are inside than there are: a session of the youngest group, since anyone who has the link can found
   * one. Who had a seat in an older group comes before: past garbage, members have to start over, and who filled their epoch with it
   * can found a group before them. Whose link was replaced comes after all others. Of those who are left, one whose network has most
   * seats, since a member can have as many sockets as there are seats: who enters, or else came last, if that is not long ago.
   *
   * @param session - Who has just entered.
   */
  surplus(session: Session, now: Milli): Session | undefined {
    const seated = this.#seated();
    if (seated.length <= MAX_MEMBERS) return undefined;
    const door = this.#door();
    const isBehind = (other: Session) => Number(other.door !== door && other.node?.group !== session.node?.group);
    const ranks = [isBehind, ageOf, ({ node }: Session) => node?.group.age ?? 0];
    const rivals = ranks.reduce(highest, this.#sessions.members()).filter(({ keepsSeat }) => !keepsSeat);
    const crowd = highest(rivals, ({ network }) => seated.filter((other) => other.network === network).length);
    const last = crowd.at(-1);
    const gives = crowd.includes(session) || (rivals.includes(session) && last !== undefined && isSettled(last, now));
    return gives ? session : last;
  }

  /** Whether it may found a group while nobody is inside. */
  mayFound({ node, isProved, presence, door }: Session): boolean {
    const isInvited = node !== null && !isProved;
    return presence.is === "here" && door === this.#door() && !isInvited;
  }

  /** Of members, and of those who are kept one until they come back or are forgotten. */
  #seated(): Session[] {
    const isKept = ({ keepsSeat, presence }: Session) => keepsSeat && presence.is !== "here";
    return this.#sessions.all().filter((session) => isKept(session) || this.#sessions.isMember(session));
  }
}

export const ageOf = ({ age, node }: Session): number => Math.min(age, node?.group.age ?? 0);

function isSettled({ seat, node }: Session, now: Milli): boolean {
  return seat !== null && seat.group === node?.group && now - seat.since >= SETTLED;
}

/** Those that rank highest. */
function highest<T>(all: T[], rank: (one: T) => number): T[] {
  const most = Math.max(...all.map(rank));
  return all.filter((one) => rank(one) === most);
}
