import { type Clock, milli } from "@sealcast/time";
import type { Nodes } from "./nodes.ts";
import type { RoomSocket } from "./seat.ts";
import type { Session, Sessions } from "./sessions.ts";

/** From the drop of its socket until the others receive that a session is gone. */
const AWAY = milli(15_000);
/** From then until it can no longer resume: 60 s after the drop. */
const GONE = milli(45_000);

interface Options {
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly nodes: Nodes<Session>;
  /** A session is gone. */
  readonly settle: () => void;
  /** The session is no more. */
  readonly forgotten: (session: Session) => void;
}

/** Whether a session's socket is there; what becomes of one whose socket is lost, and who learns of it. */
export class Presences {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Another socket takes the session over. */
  take(session: Session, socket: RoomSocket): void {
    release(session);
    session.network = socket.network;
    session.presence = { is: "here", socket };
  }

  away(session: Session): void {
    const { clock, sessions } = this.#options;
    session.keepsSeat ||= sessions.isMember(session);
    session.presence = { is: "away", stop: clock.after(AWAY, () => this.#gone(session)) };
    this.announce(session, "away");
  }

  leave(session: Session): void {
    this.retire(session);
    this.#options.settle();
  }

  /** It is no more; the others learn of it where they do not know. */
  retire(session: Session): void {
    const { node, presence } = session;
    this.#forget(session);
    if (presence.is !== "gone") this.announce(session, "gone", node);
  }

  /** The room is closed: who is here comes again. */
  close(session: Session): void {
    if (session.presence.is === "here") session.presence.socket.restart();
    else session.presence.stop();
    session.presence = { is: "gone", stop: () => {} };
  }

  /** Those learn of it who hear the session, and who went on from where it stands. */
  announce(session: Session, is: "away" | "back" | "gone", node = session.node): void {
    const { sessions, nodes } = this.#options;
    const { member } = session;
    if (node) sessions.tell(nodes.onward(node), (seq) => ({ type: "presence", seq, member, is }));
  }

  #gone(session: Session): void {
    const { clock, settle } = this.#options;
    session.presence = { is: "gone", stop: clock.after(GONE, () => this.#forget(session)) };
    this.announce(session, "gone");
    settle();
  }

  #forget(session: Session): void {
    const { sessions, forgotten } = this.#options;
    release(session);
    session.presence = { is: "gone", stop: () => {} };
    sessions.stand(session, null, false);
    sessions.delete(session);
    forgotten(session);
  }
}

function release({ presence }: Session): void {
  if (presence.is === "here") presence.socket.close();
  else presence.stop();
}
