import type { Holding } from "../call/holding.ts";
import type { KnownPeers } from "../call/known-peers.ts";
import type { Peer } from "../call/peer.ts";
import type { People } from "../call/people.ts";
import type { Devices } from "../devices/devices.ts";
import type { Lifetime } from "../lifetime.ts";
import { Chat, type ChatActions, type ChatView, NO_CHAT, type Speaker } from "./chat.ts";
import { Hands, type HandsActions, type HandsView, NO_HANDS } from "./hands.ts";
import { Muting, type MutingActions, type MutingView, NOBODY_ASKS } from "./muting.ts";
import { NO_REACTIONS, Reactions, type ReactionsActions, type ReactionsView } from "./reactions.ts";
import type { TalkMessage } from "./talk-message.ts";

export interface TalkView extends ChatView, ReactionsView, HandsView, MutingView {}

export const NO_TALK: TalkView = { ...NO_CHAT, ...NO_REACTIONS, ...NO_HANDS, ...NOBODY_ASKS };

export interface TalkActions extends ChatActions, ReactionsActions, HandsActions, MutingActions {}

interface TalkOptions {
  people: Pick<People, "me" | "roster">;
  holding: Pick<Holding, "rules" | "removing">;
  /** Null until it is loaded, before anybody is met. */
  known(): Pick<KnownPeers, "areNamesakes"> | null;
  devices: Devices;
  /** This person's name, as it shows. */
  name(): string;
  /**
   * To a member by leaf key, or to "all". `delivered` is called once all have it but for those who have gone and `missed` it; `as`: only
   * as long as this page has that leaf.
   */
  tell(to: string, message: TalkMessage, delivered?: (missed: readonly string[]) => void, as?: string): void;
  show(change: Partial<TalkView>): void;
}

/** Talk beside the talk: what members write, show and ask each other, always inside the group's encryption. */
export class Talk {
  readonly actions: TalkActions;
  readonly #chat: Chat;
  readonly #reactions: Reactions;
  readonly #hands: Hands;
  readonly #muting: Muting;

  constructor({ clock }: Pick<Lifetime, "clock">, { people, holding, known, devices, name, tell, show }: TalkOptions) {
    const isHost = (identity: string) => holding.rules.hosts.includes(identity);
    this.#chat = new Chat({
      ...{ clock, show },
      date: () => Date.now(),
      me: () => people.me && speaker({ member: people.me, name: name() }),
      others: () => people.roster.flatMap(({ me, leafKeyId: id, identity }) => (me ? [] : [{ id, identity }])),
      removing: () => holding.removing,
      areNamesakes: (one, other) => known()?.areNamesakes(one, other) ?? one === other,
      tell: (message, as, delivered) => tell("all", message, delivered, as),
    });
    this.#reactions = new Reactions({ clock, show, tell: (message) => tell("all", message) });
    this.#hands = new Hands({ clock, show, isHost, tell, me: () => people.me?.leafKeyId ?? null });
    this.#muting = new Muting({
      ...{ clock, show, isHost, tell },
      microphone: () => devices.local.view.microphone.on,
      mute: () => devices.actions.setMicrophone(false),
    });
    this.actions = {
      ...this.#chat.actions,
      ...this.#reactions.actions,
      ...this.#hands.actions,
      ...this.#muting.actions,
    };
  }

  /** A member said this; the sender is the leaf that MLS names. */
  heard(peer: Pick<Peer, "member" | "name">, message: TalkMessage): void {
    const from = speaker(peer);
    switch (message.type) {
      case "chat":
        return this.#chat.heard(from, message);
      case "reaction":
        return this.#reactions.heard(from, message);
      case "hand":
        return this.#hands.heard(from, message);
      case "hand-lowered":
        return this.#hands.heardLowered(from.identity, message);
      case "mute-request":
        return this.#muting.heard(from);
    }
  }

  /** That member is here now, and knows nothing of this page's hand yet; it may be someone who was here before. */
  met(leafKeyId: string): void {
    this.#hands.met(leafKeyId);
  }

  /** That member has gone. */
  forget(leafKeyId: string): void {
    for (const part of [this.#chat, this.#reactions, this.#hands, this.#muting]) part.forget(leafKeyId);
  }

  /** Someone came or went. */
  follow(): void {
    this.#chat.follow();
  }

  /** What is written waits, or no longer: someone who is here is being removed. */
  hold(isHeld: boolean): void {
    this.#chat.hold(isHeld);
  }

  /** This page is another member to everybody. */
  rejoined(): void {
    this.#chat.rejoined();
    this.#hands.rejoined();
  }

  devicesChanged(): void {
    this.#muting.devicesChanged();
  }
}

const speaker = ({ member, name }: Pick<Peer, "member" | "name">): Speaker => ({
  id: member.leafKeyId,
  identity: member.identity,
  name,
});
