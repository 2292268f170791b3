import { atMostEvery, type Clock, dropOldest, milli } from "@sealcast/time";
import type { Node, Nodes } from "./nodes.ts";
import type { Session, Sessions } from "./sessions.ts";

/** Former doors that one session may listen at, and that a room keeps whether or not a session listens. */
const MAX_LISTENED = 16;
const MAX_FORMER_DOORS = 16;
/** From one look at the rooms behind all of them to the next, and how many: where these are other processes', each is asked for. */
const LEARN_EVERY = milli(1_000);
const MOST_LEARNT = 256;

/** Which doors lead where, as a room changes it. */
export interface DoorDirectory<R> {
  /** The room's door is this one from now on, and its last one a former one. False where it is another room's. */
  replace(door: string, room: R): boolean;
  /** A former door leads to this room, too, while no room has it as its own. */
  listen(door: string, room: R): void;
  unlisten(door: string, room: R): void;
  /** This room may have learnt of nodes at which sessions of another room stand. */
  learnt(room: R, doors: Iterable<string>): void;
  /** The room has been empty for a minute. */
  expired(room: R): void;
}

interface Options<R> {
  readonly clock: Clock;
  readonly room: R;
  readonly directory: DoorDirectory<R>;
  readonly sessions: Sessions;
  readonly nodes: Nodes<Session>;
}

/** The doors of one room: its own, its own of earlier, and those at which its sessions listen. */
export class RoomDoors<R> {
  readonly #options: Options<R>;
  #own: string;
  /** The room's own of earlier, the latest last. */
  readonly #former = new Set<string>();
  /** The room has learnt of nodes: others' rooms behind its former doors may be here, too. */
  readonly learnt: () => void;

  /** `own` leads here. */
  constructor(own: string, options: Options<R>) {
    this.#own = own;
    this.#options = options;
    const { clock, directory, room } = options;
    this.learnt = atMostEvery(clock, LEARN_EVERY, () =>
      directory.learnt(room, [...this.#listened()].slice(0, MOST_LEARNT)),
    );
  }

  /** The one that leads here in any case. */
  get own(): string {
    return this.#own;
  }

  /** Its own of earlier. */
  get former(): readonly string[] {
    return [...this.#former];
  }

  /** A door that led to another room leads here from now on, as a former one. */
  take(door: string): void {
    if (door === this.#own) return;
    this.#former.delete(door);
    this.#former.add(door);
    this.#options.directory.listen(door, this.#options.room);
    this.unlisten(dropOldest(this.#former, MAX_FORMER_DOORS));
  }

  /** A session has proved a former door. */
  listen({ listens }: Session, door: string): void {
    const { directory, room } = this.#options;
    if (door === this.#own || listens.has(door) || listens.size >= MAX_LISTENED) return;
    listens.add(door);
    directory.listen(door, room);
    directory.learnt(room, [door]);
  }

  /** These lead here no more, unless someone listens at them. */
  unlisten(doors: Iterable<string>): void {
    const listened = this.#listened();
    for (const door of doors) if (!listened.has(door)) this.#options.directory.unlisten(door, this.#options.room);
  }

  /**
   * A commit at `node` makes a link with this door. A node that most sessions left behind changes the room's door no more: what it
   * opens is one door among the former. False where it is another room's own: a session that got there first delays nobody's commits.
   */
  open(door: string, node: Node<Session>): boolean {
    const { nodes, sessions, directory, room } = this.#options;
    const tips = nodes.tips().filter(({ group }) => !group.isFormer);
    const most = Math.max(...tips.map((tip) => sessions.people(tip).length));
    if (node.group.isFormer || sessions.people(node).length < most || !this.#mayReplace(node)) {
      this.take(door);
      return true;
    }
    const last = this.#own;
    if (door === last) return true;
    if (!directory.replace(door, room)) return false;
    this.#own = door;
    if (this.#former.delete(door)) this.unlisten([door]);
    this.take(last);
    return true;
  }

  /** No former door leads here any more. */
  close(): void {
    for (const door of this.#listened()) this.#options.directory.unlisten(door, this.#options.room);
    this.#former.clear();
  }

  /**
   * Where the door was replaced, who is removed by that is heard for 5 s and can order commits beside it. So the next one comes from
   * the epochs behind the present door; or, since garbage may have taken it, from where most stand, unless that replaced it.
   */
  #mayReplace({ id, door, edges }: Node<Session>): boolean {
    if (door === this.#own) return true;
    const { nodes, sessions } = this.#options;
    const standing = new Map<string, number>();
    for (const { node } of sessions.members()) if (node) standing.set(node.id, (standing.get(node.id) ?? 0) + 1);
    const isReplaced = edges.some(({ next }) => nodes.get(next)?.door === this.#own);
    return !isReplaced && (standing.get(id) ?? 0) >= Math.max(...standing.values());
  }

  /** Every former door that leads here: the room's own first, then those of who is inside. */
  #listened(): Set<string> {
    const { sessions } = this.#options;
    const listening = [...sessions.members(), ...sessions.all()];
    return new Set([...this.#former, ...listening.flatMap(({ listens }) => [...listens])]);
  }
}
