import { type Cancel, type Clock, type Milli, milli, type Rate, TokenBucket } from "@sealcast/time";
import type { GroupMember } from "../../shared/messages.ts";
import { ALL, type MessageContent } from "../plaintext.ts";

const RETRY = milli(2000);
/** Of those who are behind, another one's turn comes after this at the latest, however little the last one acknowledges. */
const TURN = milli(10_000);
const ACK_DELAY = milli(50);
/** Messages of one stream on their way to one recipient at once; the rest wait for acknowledgements. */
const WINDOW = 16;
/** Messages of one stream not acknowledged yet. */
const MAX_QUEUE = 512;

/**
 * [Note: Pace of messages] What a page takes of another at once and in a second is bounded (PROTOCOL.md section 9): it closes the
 * connection to one that says more. So a sender paces what it says for the first time, to all and to each. Whatever the network and the server
 * hold up, which comes at once (256 at most), one of our pages then stays below what another takes, and with what goes again and
 * acknowledgements below what another's keys worker takes (LEAF_MESSAGES).
 */
const PACE_ALL: Rate = { burst: 40, perSecond: 6 };
const PACE_DIRECT: Rate = { burst: 24, perSecond: 4 };
/** What goes again, of all streams together: less than half of what the server reads of a socket in a second. */
const PACE_AGAIN: Rate = { burst: 32, perSecond: 8 };
/** Acknowledgements to each leaf: enough for all that it may say, and few to one that says the same again and again. */
const PACE_ACK: Rate = { burst: 10, perSecond: 2 };
/** Between two looks at what may go now. */
const PACE_GAP = milli(125);

type Data = Extract<MessageContent, { type: "data" }>;

/** A message on its way, and the sender's name for its arrival. */
interface Sending {
  readonly data: Data;
  readonly receipt: number | undefined;
  /** Identities of those whom it was for, and who have gone without having acknowledged it. */
  readonly missed: Set<string>;
}

/** A numbered stream of messages to one leaf, or to all. */
interface Outgoing {
  readonly to: number;
  /** Not acknowledged by everybody yet, oldest first. */
  queue: Sending[];
  next: number;
  lastEpoch: number;
  /** Those below it were sent since the last restart, or had been acknowledged by who is furthest then. */
  sent: number;
  /** Of these, those from here on go again to whom they have not reached. */
  again: number;
  /** Those below it were sent once. */
  begun: number;
  readonly pace: TokenBucket;
  /** When it last came further, or began to wait. */
  since: Milli;
  /** When it last went again, or began to wait. */
  restarted: Milli;
  /** Of a stream to all, on what leaf that one sits to whom it goes again: of those who are behind, each has a turn. */
  turn: number | null;
}

/** Another member, for as long as it sits on its leaf. */
interface Peer {
  /** As the present epoch has it. */
  member: GroupMember;
  /** The epoch since which both were in the group. */
  readonly since: number;
  readonly direct: Outgoing;
  /** What it acknowledged of this member's stream to all. */
  allAcked: number;
  /** The next number wanted of its two streams; null until its first message to all since `since`. */
  wantDirect: number;
  wantAll: number | null;
  readonly acks: TokenBucket;
}

/** What the streams do to the world. All are called synchronously. */
interface Surroundings {
  readonly clock: Clock;
  transmit(to: number, content: MessageContent): void;
  deliver(from: GroupMember, body: Uint8Array): void;
  /** Everybody whom that message was for, and who is still here, has it. `missed`: identities of those who went without it. */
  arrived(receipt: number, missed: readonly string[]): void;
}

/**
 * Messages delivered once and in order: numbered per sender and recipient, acknowledged, sent again after 2 s, after
 * an epoch change and after a reconnect. A newcomer takes the stream to all from the first message sent since it came.
 */
export class Streams {
  readonly #around: Surroundings;
  #peers = new Map<number, Peer>();
  #all: Outgoing;
  #epoch = 0;
  readonly #ackDue = new Set<number>();
  readonly #paceAgain: TokenBucket;
  /** Counts on, so that each stream has its turn. */
  #turns = 0;
  #cancelAck: Cancel | null = null;
  #cancelRetry: Cancel | null = null;
  #cancelPace: Cancel | null = null;

  constructor(around: Surroundings) {
    this.#around = around;
    this.#all = outgoing(ALL, PACE_ALL, around.clock);
    this.#paceAgain = new TokenBucket(PACE_AGAIN, around.clock);
  }

  /** The group is in this epoch now, with these members. Streams of a leaf with a new occupant begin again. */
  enter(epoch: number, members: readonly GroupMember[]): void {
    this.#epoch = epoch;
    const peers = new Map<number, Peer>();
    for (const member of members.filter(({ me }) => !me)) {
      const known = this.#peers.get(member.leaf);
      const stays = known?.member.leafKeyId === member.leafKeyId;
      const peer = stays ? known : this.#newPeer(member, epoch);
      peer.member = member;
      peers.set(member.leaf, peer);
    }
    for (const [leaf, known] of this.#peers) if (peers.get(leaf) !== known) this.#gone(known);
    this.#peers = peers;
    this.#settleAll();
    this.restart();
  }

  /** Sends everything unacknowledged again: the way was interrupted. */
  restart(): void {
    for (const stream of this.#streams()) this.#restart(stream);
    this.#transmit();
  }

  /** Forgets everybody: this member is in no group, or in it again. */
  reset(): void {
    this.#peers.clear();
    this.#all = outgoing(ALL, PACE_ALL, this.#around.clock);
    this.#ackDue.clear();
    this.close();
  }

  close(): void {
    this.#cancelAck?.();
    this.#cancelRetry?.();
    this.#cancelPace?.();
    this.#cancelAck = null;
    this.#cancelRetry = null;
    this.#cancelPace = null;
  }

  /**
   * Who acknowledges nothing holds up nobody else: past what waits at most, the oldest message to all is given up.
   * @returns false where nobody sits on that leaf, or it acknowledges nothing.
   */
  send(to: number | "all", body: Uint8Array, receipt?: number): boolean {
    if (to === "all" && this.#peers.size === 0) {
      this.#arrived({ receipt, missed: new Set() });
      return true;
    }
    const stream = to === "all" ? this.#all : this.#peers.get(to)?.direct;
    if (stream === undefined) return false;
    if (stream.queue.length >= MAX_QUEUE) {
      if (to !== "all") return false;
      stream.queue.shift();
    }
    if (stream.queue.length === 0) stream.since = stream.restarted = this.#around.clock.now();
    const data: Data = { type: "data", number: stream.next, epoch: this.#epoch, previous: stream.lastEpoch, body };
    stream.queue.push({ data, receipt, missed: new Set() });
    stream.next += 1;
    stream.lastEpoch = this.#epoch;
    this.#transmit();
    return true;
  }

  /** A message of another member, addressed to this leaf or to all. */
  received(from: GroupMember, to: number, content: Extract<MessageContent, { type: "data" | "ack" }>): void {
    const peer = this.#peers.get(from.leaf);
    if (peer?.member.leafKeyId !== from.leafKeyId) return;
    if (content.type === "ack") this.#acknowledged(peer, content);
    else if (to === ALL) this.#takeAll(peer, content);
    else this.#takeDirect(peer, content);
  }

  #takeDirect(peer: Peer, data: Data): void {
    if (data.number === peer.wantDirect) {
      peer.wantDirect += 1;
      this.#around.deliver(peer.member, data.body);
    }
    this.#ackSoon(peer);
  }

  #takeAll(peer: Peer, data: Data): void {
    const isFirst = data.previous < peer.since && data.epoch >= peer.since;
    if (peer.wantAll === null && isFirst) peer.wantAll = data.number;
    if (peer.wantAll === null) return;
    if (data.number === peer.wantAll) {
      peer.wantAll += 1;
      this.#around.deliver(peer.member, data.body);
    }
    this.#ackSoon(peer);
  }

  #acknowledged(peer: Peer, { direct, all }: Extract<MessageContent, { type: "ack" }>): void {
    if (direct <= peer.direct.next) this.#settle(peer.direct, direct);
    if (all > peer.allAcked && all <= this.#all.next) peer.allAcked = all;
    this.#settleAll();
    this.#transmit();
  }

  #settleAll(): void {
    this.#settle(this.#all, Math.min(this.#all.next, ...[...this.#peers.values()].map(({ allAcked }) => allAcked)));
  }

  /** Everything below `acked` has arrived. */
  #settle(stream: Outgoing, acked: number): void {
    const arrived = stream.queue.filter(({ data }) => data.number < acked).length;
    if (arrived === 0) return;
    for (const sending of stream.queue.splice(0, arrived)) this.#arrived(sending);
    stream.since = this.#around.clock.now();
  }

  #arrived({ receipt, missed }: Pick<Sending, "receipt" | "missed">): void {
    if (receipt !== undefined) this.#around.arrived(receipt, [...missed]);
  }

  #gone({ member, allAcked }: Peer): void {
    for (const { data, missed } of this.#all.queue) if (data.number >= allAcked) missed.add(member.identity);
  }

  #restart(stream: Outgoing): void {
    stream.again = 0;
    stream.sent = Math.min(stream.sent, this.#furthest(stream));
    stream.since = stream.restarted = this.#around.clock.now();
    if (stream === this.#all) stream.turn = this.#nextTurn(stream.turn ?? -1);
  }

  /** The leaf after that one, round the room, of someone who is behind; null where nobody is. */
  #nextTurn(last: number): number | null {
    const { sent } = this.#all;
    const behind = [...this.#peers].flatMap(([leaf, { allAcked }]) => (allAcked < sent ? [leaf] : []));
    behind.sort((one, other) => one - other);
    return behind.find((leaf) => leaf > last) ?? behind[0] ?? null;
  }

  /** Sends what may go now, one message of each stream in turn: who acknowledges nothing takes no other's share. */
  #transmit(): void {
    const streams = this.#streams();
    for (let idle = 0; idle < streams.length; this.#turns += 1) {
      const stream = streams[this.#turns % streams.length];
      idle = stream !== undefined && (this.#sendAgain(stream) || this.#sendOn(stream)) ? 0 : idle + 1;
    }
    if (streams.some(({ queue }) => queue.length > 0)) this.#retryLater();
  }

  /** The next one that one of those who are behind lacks. */
  #sendAgain(stream: Outgoing): boolean {
    const whose = stream.turn === null ? undefined : this.#peers.get(stream.turn);
    const wanted = Math.max(oldest(stream), whose?.allAcked ?? 0);
    stream.again = Math.max(stream.again, wanted);
    const isDue = stream.again < Math.min(wanted + WINDOW, stream.sent);
    if (!isDue || !this.#send(stream, stream.again)) return false;
    stream.again += 1;
    return true;
  }

  /** The next one that nobody has. */
  #sendOn(stream: Outgoing): boolean {
    stream.sent = Math.max(stream.sent, oldest(stream));
    const isDue = stream.sent < Math.min(this.#furthest(stream) + WINDOW, stream.next);
    if (!isDue || !this.#send(stream, stream.sent)) return false;
    // What has just gone out for the first time does not go again.
    if (stream.again >= stream.sent) stream.again = stream.sent + 1;
    stream.sent += 1;
    return true;
  }

  /** @returns false where it has to wait (see [Note: Pace of messages]). */
  #send(stream: Outgoing, number: number): boolean {
    const data = stream.queue[number - oldest(stream)]?.data;
    const pace = number < stream.begun ? this.#paceAgain : stream.pace;
    if (data === undefined) return false;
    if (!pace.tryTake()) {
      this.#goOnLater();
      return false;
    }
    stream.begun = Math.max(stream.begun, number + 1);
    this.#around.transmit(stream.to, data);
    return true;
  }

  #goOnLater(): void {
    this.#cancelPace ??= this.#around.clock.after(PACE_GAP, () => {
      this.#cancelPace = null;
      this.#transmit();
    });
  }

  /** The next number wanted by who has most of it. */
  #furthest(stream: Outgoing): number {
    if (stream !== this.#all) return oldest(stream);
    return Math.max(oldest(stream), ...[...this.#peers.values()].map(({ allAcked }) => allAcked));
  }

  #retryLater(delay = RETRY): void {
    this.#cancelRetry ??= this.#around.clock.after(delay, () => {
      this.#cancelRetry = null;
      const now = this.#around.clock.now();
      for (const stream of this.#streams()) {
        if (stream.queue.length === 0) continue;
        if (now - stream.since >= RETRY || now - stream.restarted >= TURN) this.#restart(stream);
        else this.#retryLater(milli(stream.since + RETRY - now));
      }
      this.#transmit();
    });
  }

  #ackSoon(peer: Peer): void {
    this.#ackDue.add(peer.member.leaf);
    this.#ackLater();
  }

  /** What has to wait (see PACE_ACK) goes as one with all that comes meanwhile. */
  #ackLater(): void {
    this.#cancelAck ??= this.#around.clock.after(ACK_DELAY, () => {
      this.#cancelAck = null;
      for (const leaf of this.#ackDue) this.#acknowledge(leaf);
      if (this.#ackDue.size > 0) this.#ackLater();
    });
  }

  #acknowledge(leaf: number): void {
    const peer = this.#peers.get(leaf);
    if (peer !== undefined && !peer.acks.tryTake()) return;
    this.#ackDue.delete(leaf);
    if (peer !== undefined)
      this.#around.transmit(leaf, { type: "ack", direct: peer.wantDirect, all: peer.wantAll ?? 0 });
  }

  #newPeer(member: GroupMember, since: number): Peer {
    const { clock } = this.#around;
    const [direct, acks] = [outgoing(member.leaf, PACE_DIRECT, clock), new TokenBucket(PACE_ACK, clock)];
    return { member, since, direct, allAcked: this.#all.next, wantDirect: 0, wantAll: null, acks };
  }

  #streams(): Outgoing[] {
    return [this.#all, ...[...this.#peers.values()].map(({ direct }) => direct)];
  }
}

/** The number of the oldest that is not acknowledged, or of the next. */
const oldest = ({ queue, next }: Outgoing): number => queue[0]?.data.number ?? next;

function outgoing(to: number, rate: Rate, clock: Clock): Outgoing {
  const pace = new TokenBucket(rate, clock);
  const numbers = { next: 0, lastEpoch: 0, sent: 0, again: 0, begun: 0 };
  return { to, queue: [], ...numbers, pace, since: milli(0), restarted: milli(0), turn: null };
}
