import { timingSafeEqual } from "node:crypto";
import type { Down } from "@sealcast/protocol";
import type { Cancel, Milli, TokenBucket } from "@sealcast/time";
import type { Allowance } from "../sockets/allowance.ts";
import { Journal, type Numbered, type Reader } from "./journal.ts";
import type { Node, Nodes } from "./nodes.ts";
import type { RoomSocket } from "./seat.ts";
import type { TurnAsks } from "./turn-asks.ts";

type Presence =
  | { readonly is: "here"; readonly socket: RoomSocket }
  | { readonly is: "away" | "gone"; readonly stop: Cancel };

/** One client of a call, over one socket after the other. */
export interface Session extends Reader {
  readonly member: string;
  readonly token: string;
  /** By which it came last, or that of the link in the epoch that it showed since: who is in that has the link. */
  door: string;
  /** That of its last socket. */
  network: string;
  /** In which group it entered last, and since when. */
  seat: { readonly group: Node<Session>["group"]; readonly since: Milli } | null;
  /** The lowest age of the groups in which it had a seat. */
  age: number;
  presence: Presence;
  /** Where it stands. */
  node: Node<Session> | null;
  /** Whether it showed that node's token. Otherwise a commit invited it there. */
  isProved: boolean;
  /** It was a member when its socket dropped, and has not entered since: its seat is not given away. */
  keepsSeat: boolean;
  stopInvitation: Cancel;
  /** Whose knock keys it waits for. */
  requests: "none" | "oldest" | "all";
  requestedAt: Milli;
  /** Nodes at which it may knock, each once: those whose keys it was given last. */
  named: Set<string>;
  readonly listens: Set<string>;
  /** What is left to it of `enter`s by tokens that the room does not know. */
  readonly founds: TokenBucket;
  readonly turn: TurnAsks;
}

/** Who is in a room, where each stands, and the one order of what they are sent. A `RoomSocket` stands for a connection. */
export class Sessions {
  readonly #nodes: Nodes<Session>;
  readonly #journal: Journal<Session>;
  /** In the order in which they came. */
  readonly #sessions = new Map<string, Session>();

  constructor(nodes: Nodes<Session>, allowance: Allowance) {
    this.#nodes = nodes;
    this.#journal = new Journal(allowance);
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Number of the latest message that was numbered. */
  get seq(): number {
    return this.#journal.seq;
  }

  /** The first come first. */
  all(): Session[] {
    return [...this.#sessions.values()];
  }

  get(member: string): Session | undefined {
    return this.#sessions.get(member);
  }

  byToken(token: string): Session | undefined {
    const given = Buffer.from(token);
    return this.all().find((session) => timingSafeEqual(Buffer.from(session.token), given));
  }

  /** It has missed nothing yet. */
  add(session: Omit<Session, "lost">): Session {
    const added = Object.assign(session, { lost: this.#journal.seq });
    this.#sessions.set(session.member, added);
    return added;
  }

  delete({ member }: Session): void {
    this.#sessions.delete(member);
  }

  /** Keeps nobody and nothing any more. */
  clear(): void {
    this.#journal.clear();
    this.#sessions.clear();
  }

  stand(session: Session, node: Node<Session> | null, isProved: boolean): void {
    session.stopInvitation();
    this.#nodes.move(session, session.node, node);
    session.node = node;
    session.isProved = isProved;
  }

  /** Whether it showed the token of a node that is present, or was until 5 s ago, and is here or away. */
  isInside({ node, isProved, presence }: Session): boolean {
    return isProved && node !== null && presence.is !== "gone" && this.#nodes.isFresh(node);
  }

  /** The same, and the group is not one that was founded by a former door. */
  isMember(session: Session): boolean {
    return this.isInside(session) && session.node?.group.isFormer === false;
  }

  members(): Session[] {
    return this.all().filter((session) => this.isMember(session));
  }

  /** Of a node's neighbourhood, the sessions that showed their token and are here or away. */
  people(node: Node<Session>): Session[] {
    return [...this.#nodes.neighbourhood(node)].filter((session) => this.isInside(session));
  }

  /** Numbers a message, keeps it for those who are not here, and sends it to those who are. */
  tell(to: Iterable<Session>, message: (seq: number) => Numbered): void {
    const readers = [...to];
    if (readers.length === 0) return;
    const text = this.#journal.append(readers, message);
    for (const { presence } of readers) if (presence.is === "here") presence.socket.send(text);
  }

  /** What it was sent after number `seq`, in order; null when some of it is lost. */
  missed(seq: number, by: Session): readonly string[] | null {
    return this.#journal.since(seq, by);
  }
}

/** Without a number: who is not here never gets it. An answer can be much longer than what it answers, so its address is charged. */
export function send({ presence }: Session, message: Down): void {
  if (presence.is !== "here") return;
  const text = JSON.stringify(message);
  presence.socket.send(text);
  presence.socket.charge(text.length);
}
