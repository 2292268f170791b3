import { type Cancel, type Clock, type Milli, milli, SerialQueue } from "@sealcast/time";
import type { Drop, KeyNote } from "../../shared/messages.ts";
import { type Challenge, DoorKey } from "../identity/door-key.ts";
import { MediaKeys } from "../media-keys.ts";
import type { Group } from "../mls/group.ts";
import type { Membership } from "../mls/key-package.ts";
import { Application } from "./application.ts";
import { Committer } from "./committer.ts";
import { Door } from "./door.ts";
import { FrameSigners } from "./frame-signers.ts";
import { Heartbeats } from "./heartbeats.ts";
import { Roster } from "./roster.ts";
import type { FromMember, ToRoom } from "./wire.ts";

const RESYNC_EVERY = milli(5000);

/** What the parts of a member do when something is due. */
interface Events {
  /** After each task. */
  settled(): Promise<void>;
  /** Who is there, or what they want, has changed. */
  plan(): void;
  /** This member's turn to commit has come. */
  commit(): Promise<void>;
  /** Nobody lets this member in. */
  notLetIn(why: "turned-away" | "not-admitted"): void;
}

/** What the parts of one member share: its queue, where it stands, and whom it speaks to. */
export class MemberCore {
  readonly membership: Membership;
  readonly clock: Clock;
  readonly tell: (message: FromMember) => void;
  readonly application: Application;
  readonly door: Door;
  readonly roster: Roster;
  readonly committer: Committer;
  readonly mediaKeys: MediaKeys;
  readonly frameSigners: FrameSigners;
  readonly heartbeats = new Heartbeats();
  readonly plan: () => void;
  readonly #tasks = new SerialQueue();
  readonly #settled: () => Promise<void>;

  isOver = false;
  group: Group | null = null;
  /** A commit took this member out. The keys at hand go on until it is let in again. */
  isOut = false;
  /** The server has commits that follow the present epoch: one after the other is fetched. */
  isBehind = false;
  /** Alone in its group: how often it heard of another one in the room. */
  timesMet = 0;
  /** Of the present socket. */
  challenge: Challenge | null = null;
  /** What the server calls this member in its present session. */
  roomMember = "";
  /** There is a socket to the server, and it is in the room. */
  connected = false;
  /** Ticks since the server said anything. */
  silence = 0;

  constructor(membership: Membership, clock: Clock, tell: (message: FromMember) => void, events: Events) {
    this.membership = membership;
    this.clock = clock;
    this.tell = tell;
    this.plan = () => events.plan();
    this.#settled = () => events.settled();
    this.application = new Application({
      membership,
      clock,
      later: (delay, task) => this.later(delay, task),
      toRoom: (message) => this.toRoom(message),
      node: () => (this.isOut ? null : (this.group?.place.node ?? null)),
      answered: (is) => this.tell({ type: "answered", is }),
      ended: (why) => events.notLetIn(why),
    });
    this.door = new Door(membership);
    this.roster = new Roster(clock, () => void this.run(() => this.plan()));
    this.committer = new Committer(clock, this.roster, () => void this.run(() => events.commit()));
    this.mediaKeys = new MediaKeys(clock);
    this.frameSigners = new FrameSigners(this.mediaKeys, membership.room);
  }

  /** Runs `task` after all that came before. A bug in it is reported through what is returned, and does not stop the next. */
  run(task: () => Promise<void> | void): Promise<void> {
    return this.#tasks.run(async () => {
      if (this.isOver) return;
      await task();
      await this.#settled();
    });
  }

  later(delay: Milli, task: () => Promise<void> | void): Cancel {
    return this.clock.after(delay, () => void this.run(task));
  }

  /** Asks to join afresh, on the same seat. The keys at hand keep working meanwhile, and this member goes on committing. */
  resync(why: string, isLeaving = false): void {
    if (this.application.isOpen) return;
    this.heartbeats.resync();
    this.note("resync", why);
    this.application.start(RESYNC_EVERY, { isLeaving });
  }

  enter({ place: { token } }: Group): void {
    this.toRoom({ type: "enter", token, knockKey: null });
  }

  /** That of the link that this member has now. */
  ownDoor(): Promise<DoorKey> {
    const { linkSecret, room } = this.membership;
    return DoorKey.of(linkSecret.reveal(), room);
  }

  async listenAt(doors: readonly DoorKey[]): Promise<void> {
    if (this.challenge === null) return;
    for (const key of doors) this.toRoom({ type: "listen", ...(await key.prove("listen", this.challenge)) });
  }

  toRoom(message: ToRoom): void {
    this.tell({ type: "to-room", message });
  }

  drop(what: Drop, detail: string): void {
    this.tell({ type: "dropped", what, detail });
  }

  note(what: KeyNote, detail: string): void {
    this.tell({ type: "noted", what, detail });
  }
}
