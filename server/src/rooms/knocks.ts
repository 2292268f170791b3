import { MAX_NODES } from "@sealcast/protocol";
import { type Clock, milli } from "@sealcast/time";
import type { Node, Nodes } from "./nodes.ts";
import type { Sent } from "./seat.ts";
import { type Session, type Sessions, send } from "./sessions.ts";

/** Between two requests for knock keys of one session by a former door. */
const BETWEEN_REQUESTS = milli(2_000);

interface Options {
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly nodes: Nodes<Session>;
  /** The room's own. */
  readonly door: () => string;
}

/** A node at which one can knock, and how many stand there. */
interface Open {
  readonly node: Node<Session>;
  readonly sessions: number;
}

/** Says to those outside where they can knock, and passes on what they knock with. */
export class Knocks {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  request(session: Session, { all }: Sent<"request-keys">): void {
    const now = this.#options.clock.now();
    if (session.door !== this.#options.door() && now - session.requestedAt < BETWEEN_REQUESTS) return;
    session.requestedAt = now;
    session.requests = all ? "all" : "oldest";
    this.giveKeys([session]);
  }

  /** Those who wait for knock keys get them as soon as there are some. */
  giveKeys(to: readonly Session[]): void {
    for (const session of to.filter(({ requests }) => requests !== "none")) {
      const open = this.#openTo(session);
      const nodes = session.requests === "all" ? open.map(({ node }) => node).slice(0, MAX_NODES) : oldestOf(open);
      const tips = nodes.flatMap(({ id: at, knockKeys }) => knockKeys.map(({ key, tags }) => ({ at, key, tags })));
      if (tips.length === 0) continue;
      session.requests = "none";
      session.named = new Set(tips.map(({ at }) => at));
      send(session, { type: "knock-keys", tips });
    }
  }

  knock(session: Session, { at, body }: Sent<"knock">): void {
    const node = session.named.delete(at) && this.#options.nodes.get(at);
    if (!node) return;
    const { member: from } = session;
    const others = this.#options.sessions.people(node).filter((other) => other !== session);
    this.#options.sessions.tell(others, (seq) => ({ type: "knocked", seq, from, at, body }));
  }

  /**
   * Where others than `session` stand, the oldest group's first: its tips, or while nobody has taken the commits that lead
   * there, where they lead on from.
   */
  #openTo(session: Session): Open[] {
    const { sessions } = this.#options;
    const open = new Map<Node<Session>, number>();
    for (const other of sessions.all())
      if (other !== session && other.node?.knockKeys.length && sessions.isInside(other))
        open.set(other.node, (open.get(other.node) ?? 0) + 1);
    const reached = new Set([...open.keys()].filter(isTip).map(({ group }) => group));
    return [...open]
      .filter(([node]) => isTip(node) || !reached.has(node.group))
      .map(([node, sessions]) => ({ node, sessions }))
      .sort((a, b) => a.node.group.age - b.node.group.age);
  }
}

const isTip = ({ endedAt }: Node<Session>): boolean => endedAt === null;

/** Of the oldest group, the node where most stand. */
function oldestOf(open: readonly Open[]): Node<Session>[] {
  const rivals = open.filter(({ node }) => !node.group.isFormer);
  const oldest = rivals.filter(({ node }) => node.group === rivals[0]?.node.group);
  return oldest
    .sort((a, b) => b.sessions - a.sessions)
    .slice(0, 1)
    .map(({ node }) => node);
}
