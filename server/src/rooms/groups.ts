import { type Down, MAX_NODES } from "@sealcast/protocol";
import { atMostEvery, type Clock, milli } from "@sealcast/time";
import type { Node, Nodes } from "./nodes.ts";
import type { Session, Sessions } from "./sessions.ts";

/** Between two times that all are told: who has the link can found groups without end, and there are many to tell of each. */
const TELL_EVERY = milli(1_000);

interface Options {
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly nodes: Nodes<Session>;
}

type Group = Node<Session>["group"];

/** A group's tip, with how many are there. */
interface Tip {
  readonly group: Group;
  readonly told: { readonly at: string; readonly sessions: number };
}

/** Says to those who showed a token which groups there are, where there are several. */
export class Groups {
  readonly #options: Options;
  readonly #tellAll: () => void;

  constructor(options: Options) {
    this.#options = options;
    this.#tellAll = atMostEvery(options.clock, TELL_EVERY, () => this.tell(options.sessions.all()));
  }

  /** There is another one. All are told, where it is not the only one. */
  founded(): void {
    const [first, ...others] = this.#options.nodes.tips();
    if (others.some(({ group }) => group !== first?.group)) this.#tellAll();
  }

  /** Written once for all to whom it is the same. */
  tell(to: readonly Session[]): void {
    const tips = this.#tips();
    const written = new Map<Group | null, string>();
    for (const { isProved, node, presence } of to) {
      if (!isProved || presence.is !== "here") continue;
      const own = node?.group.isFormer ? node.group : null;
      const text = written.get(own) ?? textOf(tips, own);
      written.set(own, text);
      if (text !== "") presence.socket.send(text);
    }
  }

  #tips(): Tip[] {
    const { sessions, nodes } = this.#options;
    return nodes
      .tips()
      .map((tip) => ({ group: tip.group, told: { at: tip.id, sessions: sessions.people(tip).length } }))
      .filter(({ told }) => told.sessions > 0);
  }
}

/** Empty where there are not several. What a former door founded concerns those alone whose `own` it is. */
function textOf(tips: readonly Tip[], own: Group | null): string {
  const concerning = tips.filter(({ group }) => !group.isFormer || group === own);
  if (new Set(concerning.map(({ group }) => group)).size < 2) return "";
  const message: Down = { type: "groups", tips: concerning.slice(0, MAX_NODES).map(({ told }) => told) };
  return JSON.stringify(message);
}
