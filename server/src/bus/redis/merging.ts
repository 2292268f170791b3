import * as v from "valibot";
import type { Rooms, Standing } from "../../rooms/rooms.ts";
import type { Lease } from "./lease.ts";
import type { LineKind, NodeLine, Wire } from "./wire.ts";

const Names = v.array(v.string());
const Asked = v.strictObject({ door: v.string(), nodes: Names, doors: Names });

interface Asking extends Standing {
  readonly door: string;
}

interface Options {
  readonly rooms: Rooms;
  readonly lease: Lease;
  readonly wire: () => Wire | null;
}

/**
 * Two rooms of one call at two nodes become one (see `Doors.learnt`): a node whose room may be ahead asks the one that has the
 * other room where its people stand, and has it give up the room and its doors.
 */
export class Merging {
  readonly #options: Options;
  /** Doors that are asked about. */
  readonly #asking = new Set<string>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** A room here may be ahead of the one that is behind this door at another node. */
  learnt(door: string): void {
    if (this.#asking.has(door) || this.#options.lease.isAlone) return;
    this.#asking.add(door);
    void this.#ask(door).finally(() => this.#asking.delete(door));
  }

  /** That node has this door, at which a room here listens: for as long as it does, as those who come by it may stand behind. */
  found(door: string, node: string): void {
    this.#options.wire()?.say(node, "where", 0, door);
  }

  heard(from: string, { kind, text }: NodeLine): void {
    const { rooms, lease } = this.#options;
    if (kind === "where") {
      const standing = lease.holds(text) ? rooms.standing(text) : null;
      if (standing) this.#say(from, "standing", { door: text, ...standing });
      return;
    }
    const asked = v.safeParse(Asked, JSON.parse(text));
    if (!asked.success) return;
    const { door, nodes, doors } = asked.output;
    if (kind === "standing" && rooms.takeDoors(door, { nodes, doors })) this.#say(from, "yield", asked.output);
    if (kind === "yield") void this.#yield(from, asked.output);
    if (kind === "yielded") for (const one of doors) void lease.claim(one);
  }

  async #ask(door: string): Promise<void> {
    const place = await this.#options.lease.claim(door);
    if (place?.is === "there") this.found(door, place.node);
  }

  /** Unless someone has moved since: then nobody goes. */
  async #yield(to: string, asked: Asking): Promise<void> {
    const { rooms, lease } = this.#options;
    const standing = lease.isSure && lease.holds(asked.door) ? rooms.standing(asked.door) : null;
    if (!standing?.nodes.every((node) => asked.nodes.includes(node))) return;
    rooms.lose(asked.door);
    await lease.giveUp(standing.doors.filter((door) => lease.holds(door)));
    this.#say(to, "yielded", { ...asked, doors: standing.doors });
  }

  #say(to: string, kind: LineKind, asked: Asking): void {
    this.#options.wire()?.say(to, kind, 0, JSON.stringify(asked));
  }
}
