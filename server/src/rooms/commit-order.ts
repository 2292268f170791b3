import { type Cancel, type Clock, milli, type TokenBucket } from "@sealcast/time";
import { nodeOf } from "./door.ts";
import type { Numbered } from "./journal.ts";
import { FRESH, type Node, type Nodes } from "./nodes.ts";
import type { Sent } from "./seat.ts";
import { type Session, type Sessions, send } from "./sessions.ts";

/** For a newcomer whom a commit welcomes to show the token. */
const TO_ENTER = milli(10_000);

interface Options {
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly nodes: Nodes<Session>;
  /** What is said inside, all together. */
  readonly speech: TokenBucket;
  /** A commit at this node makes a link with this door. False where that is another room's. */
  readonly openDoor: (door: string, node: Node<Session>) => boolean;
  /** The room knows more nodes than before. */
  readonly learnt: () => void;
  /** A member may be inside no longer. */
  readonly settle: () => void;
}

/** Orders commits: one leads on from each epoch, unless its sender knows of the others. Keeps them for who missed them. */
export class CommitOrder {
  readonly #options: Options;
  #stopCheck: Cancel = () => {};

  constructor(options: Options) {
    this.#options = options;
  }

  commit(session: Session, commit: Sent<"commit">): void {
    const { sessions, nodes, speech, openDoor } = this.#options;
    const { at, next, body } = commit;
    const { member: from } = session;
    const ordered = (seq: number): Numbered => ({ type: "ordered", seq, from, at, next, body });
    const again = nodes.get(at)?.edges.find((edge) => edge.from === from && edge.next === next);
    if (again && (again.body ?? body) === body) return sessions.tell([session], ordered);
    const node = this.#mayCommit(session, commit);
    if (!node) return refuse(session, at);
    const door = commit.door && openDoor(commit.door.door, node) ? commit.door.door : undefined;
    speech.take(body.length + (commit.welcome?.body.length ?? 0));
    const made = nodes.order(node, { next, body, from, door });
    nodes.offer(made, commit.knockKey, from);
    sessions.tell(node.sessions, ordered);
    if (commit.welcome) this.#welcome(session, made, commit.welcome);
    this.#checkLater();
  }

  /** The commits that lead on from the epoch of this token. */
  fetch(session: Session, { token }: Sent<"fetch">): void {
    const at = nodeOf(token);
    const node = this.#options.nodes.get(at);
    send(session, { type: "history", at, edges: node ? this.#options.nodes.history(node) : [] });
  }

  /** A commit that was ordered before, and may have been lost since. */
  restock({ member: from }: Session, { token, next, body }: Sent<"restock">): void {
    const at = nodeOf(token);
    const node = this.#options.nodes.restock(at, next, body);
    if (!node) return;
    this.#options.sessions.tell(node.sessions, (seq) => ({ type: "ordered", seq, from, at, next, body }));
    this.#options.learnt();
    this.#checkLater();
  }

  /** Stops the timer. */
  close(): void {
    this.#stopCheck();
  }

  /** The node that this commit leads on from; null where it does not count. */
  #mayCommit(session: Session, { at, next, despite }: Sent<"commit">): Node<Session> | null {
    const { sessions, nodes } = this.#options;
    const { node } = session;
    if (node === null || node.id !== at || !sessions.isInside(session) || !nodes.takes(node, next)) return null;
    const isFirst = node.edges.every(({ from }) => from !== session.member);
    return isFirst && node.edges.every((edge) => despite.includes(edge.next)) ? node : null;
  }

  #welcome({ member: from }: Session, node: Node<Session>, { to, body }: { to: string[]; body: string }): void {
    const { sessions } = this.#options;
    const newcomers = [...new Set(to)].flatMap((member) => sessions.get(member) ?? []);
    for (const newcomer of newcomers) if (!sessions.isInside(newcomer)) this.#invite(newcomer, node);
    sessions.tell(newcomers, (seq) => ({ type: "welcomed", seq, from, body }));
  }

  #invite(session: Session, node: Node<Session>): void {
    const { clock, sessions, settle } = this.#options;
    sessions.stand(session, node, false);
    session.stopInvitation = clock.after(TO_ENTER, () => {
      sessions.stand(session, null, false);
      settle();
    });
  }

  /** When the sessions at a node that has just ended are no longer inside. */
  #checkLater(): void {
    this.#stopCheck();
    this.#stopCheck = this.#options.clock.after(FRESH, this.#options.settle);
  }
}

function refuse(session: Session, at: string): void {
  const { node, isProved } = session;
  const edges = isProved && node?.id === at ? node.edges : [];
  const successors = [...new Set(edges.map(({ next }) => next))];
  send(session, { type: "refused", at, successors });
}
