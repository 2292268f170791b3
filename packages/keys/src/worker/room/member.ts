import type { Clock } from "@sealcast/time";
import { isLeafName } from "../identity/leaf-name.ts";
import type { Membership } from "../mls/key-package.ts";
import { MemberCore } from "./member-core.ts";
import { MemberKnocks } from "./member-knocks.ts";
import { MemberLifecycle } from "./member-lifecycle.ts";
import type { FromMember, FromRoom, ToMember } from "./wire.ts";

/**
 * One member of one room: keeps its group in step with the others, through the server, and the media workers in step
 * with the group. Everything happens in one queue, in the order in which it came.
 */
export class Member {
  readonly #core: MemberCore;
  readonly #knocks: MemberKnocks;
  readonly #lifecycle: MemberLifecycle;
  /** `tell` gets everything for the page, in order. */
  constructor(membership: Membership, clock: Clock, tell: (message: FromMember) => void) {
    this.#core = new MemberCore(membership, clock, tell, {
      settled: () => this.#lifecycle.messages.emptyOutbox(),
      plan: () => this.#knocks.plan(),
      commit: () => this.#lifecycle.commits.commit(),
      notLetIn: (why) => this.#lifecycle.notLetIn(why),
    });
    this.#knocks = new MemberKnocks(this.#core);
    this.#lifecycle = new MemberLifecycle(this.#core, this.#knocks);
  }

  /** Resolves when the message was dealt with. */
  receive(message: ToMember): Promise<void> {
    return this.#core.run(() => this.#handle(message));
  }

  #handle(message: ToMember): Promise<void> | void {
    const { roster, committer, heartbeats, mediaKeys } = this.#core;
    switch (message.type) {
      case "room":
        return this.#hear(message.event);
      case "send":
        return this.#lifecycle.messages.send(message);
      case "reachable":
        roster.reachable(message.leaf, message.up);
        return this.#core.plan();
      case "goodbye":
        roster.goodbye(message.leafKeyId);
        return this.#core.plan();
      case "heartbeat":
        return this.#lifecycle.heartbeats.heard(message.from, message.body);
      case "peer-commit":
        return this.#lifecycle.commits.heard(message.from, message.body);
      case "disconnected":
        this.#core.connected = false;
        return heartbeats.disconnected();
      case "alive":
        this.#core.silence = 0;
        return;
      case "media":
        return mediaKeys.attach(message.port);
      case "introduce":
        return this.#introduce(message.name);
      case "remove":
        return this.#knocks.expel(message.identity);
      case "mode":
        committer.change(message.mode);
        return this.#core.plan();
      case "hosts":
        return this.#knocks.appoint(message.identities);
      case "admit":
        return this.#knocks.decided(message.seat, message.yes);
      case "rejoin":
        return this.#lifecycle.rejoin();
      case "leave":
        return this.#lifecycle.leave();
    }
  }

  #hear(event: FromRoom): Promise<void> | void {
    this.#core.silence = 0;
    switch (event.type) {
      case "challenge":
        return this.#lifecycle.challenged(event.nonce);
      case "joined":
        return this.#lifecycle.joined(event);
      case "alone":
        return this.#lifecycle.alone();
      case "entered":
        return this.#lifecycle.stands(event);
      case "groups":
        return this.#lifecycle.met(event.tips);
      case "knock-keys":
        return this.#lifecycle.offeredKeys(event.tips);
      case "knocked":
        return this.#knocks.knocked(event);
      case "welcomed":
        return this.#lifecycle.welcomed(event);
      case "answered":
        return this.#core.application.answered(event.body);
      case "ordered":
        return this.#lifecycle.commits.ordered(event);
      case "refused":
        return this.#lifecycle.commits.refused(event);
      case "history":
        return this.#lifecycle.commits.fetched(event);
      case "relayed":
        return this.#lifecycle.messages.relayed(event);
      case "heartbeat-relayed":
        return this.#lifecycle.heartbeats.relayed(event.body);
      case "presence":
        this.#core.roster.presence(event.member, event.is);
        return this.#core.plan();
    }
  }

  /** A member's new name goes into its leaf by a commit of its own. */
  #introduce(name: string): void {
    if (!isLeafName(name)) throw new Error("a leaf cannot hold this name");
    this.#core.membership.name = name;
    this.#core.plan();
  }
}
