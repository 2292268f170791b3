import { utf8 } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { ManualClock, milli } from "@sealcast/time";
import { expect } from "vitest";
import type { KeyUpdate } from "../../shared/messages.ts";
import { Group, type Wanted } from "../mls/group.ts";
import type { Membership } from "../mls/key-package.ts";
import { encodePlaintext, type MessageContent } from "../plaintext.ts";
import { knockKeysOf, readKnock } from "./knock.cases.ts";
import { Member } from "./member.ts";
import { NOTHING, newMembership, nodeOf } from "./room.cases.ts";
import type { CommitEdge, FromMember, FromRoom, ToMember, ToRoom } from "./wire.ts";

export const link = random(32);
export const [OWN, PEER] = ["O".repeat(22), "P".repeat(22)];

/** A commit of the peer's, between two epochs. */
interface Commit extends CommitEdge {
  readonly token: string;
  readonly at: string;
}

/** A member of the product on leaf 1, and beside it a group whose founder says what the test wants, well-behaved or not. */
export class Pair {
  readonly clock = new ManualClock();
  readonly said: FromMember[] = [];
  readonly news: KeyUpdate[] = [];
  readonly member: Member;
  readonly peer: Group;
  /** The peer's. */
  readonly founder: Membership;

  private constructor(own: Membership, founder: Membership, peer: Group) {
    this.member = new Member(own, this.clock, (message) => void this.said.push(message));
    this.peer = peer;
    this.founder = founder;
  }

  static async meet(differs: Parameters<typeof newMembership>[1] = {}): Promise<Pair> {
    const founder = await newMembership(link);
    const pair = new Pair(await newMembership(link, differs), founder, await Group.create(founder));
    const port = { postMessage: (news: KeyUpdate) => void pair.news.push(news) };
    await pair.tell({ type: "media", port: port as unknown as MessagePort });
    await pair.hear({ type: "joined", member: OWN, resumed: false });
    await pair.open();
    await pair.letIn();
    expect(pair.place).toBe(pair.peerPlace);
    return pair;
  }

  async tell(message: ToMember): Promise<void> {
    await this.member.receive(message);
    await this.settle();
  }

  hear(event: FromRoom): Promise<void> {
    return this.tell({ type: "room", event });
  }

  /** What is due now happens, in the member's queue. */
  async settle(): Promise<void> {
    for (let i = 0; i < 3; i += 1) {
      this.clock.advance(milli(0));
      await this.member.receive(NOTHING);
    }
  }

  async advance(ms: number): Promise<void> {
    this.clock.advance(milli(ms));
    await this.settle();
  }

  /** The server names the peer's epoch: the member knocks there if it is about to. */
  async open(): Promise<void> {
    await this.hear(await knockKeysOf(this.peer, this.founder, link));
  }

  /** The peer answers the member's last knock. */
  async letIn(remove: number[] = []): Promise<void> {
    await this.open();
    const applicant = await readKnock(this.peer, this.founder, this.sent("knock").at(-1)!);
    const pending = await this.peer.commit({ add: [applicant!.keyPackage], remove });
    this.peer.adopt(pending);
    await this.hear({ type: "welcomed", from: PEER, body: pending.welcome! });
  }

  /** A commit by the peer, which has taken it already. */
  async commit(wanted: Partial<Wanted> = {}): Promise<Commit> {
    const { token, node: at } = this.peer.place;
    const pending = await this.peer.commit({ add: [], remove: [], ...wanted });
    this.peer.adopt(pending);
    return { token, at, next: pending.place.node, body: pending.bytes };
  }

  order({ at, next, body }: Commit): Promise<void> {
    return this.hear({ type: "ordered", from: PEER, at, next, body });
  }

  /** The server has commits that follow the member's epoch, and gives these. */
  async follow(...edges: CommitEdge[]): Promise<void> {
    const at = this.node;
    await this.hear({ type: "entered", at, is: "ended", knockKeys: [] });
    await this.hear({ type: "history", at, edges });
  }

  async relay(to: number, content: MessageContent | Uint8Array): Promise<Uint8Array> {
    const body = await this.peer.seal(content instanceof Uint8Array ? content : encodePlaintext(to, content));
    await this.hear({ type: "relayed", from: PEER, body });
    return body;
  }

  sent<T extends ToRoom["type"]>(type: T): Extract<ToRoom, { type: T }>[] {
    const toRoom = this.said.flatMap((message) => (message.type === "to-room" ? [message.message] : []));
    return toRoom.filter((message): message is Extract<ToRoom, { type: T }> => message.type === type);
  }

  notes(): string[] {
    const notes = this.said.filter((message) => message.type === "noted" || message.type === "dropped");
    return notes.map(({ what, detail }) => `${what}: ${detail}`);
  }

  get received(): string[] {
    return this.said.flatMap((message) => (message.type === "message" ? [new TextDecoder().decode(message.body)] : []));
  }

  /** Where the member says that it is: its epoch and the epoch's token. */
  get place(): string {
    const epoch = this.said.findLast((message) => message.type === "members")?.epoch;
    return epoch === undefined ? "outside" : `${epoch} ${this.token}`;
  }

  get peerPlace(): string {
    return `${this.peer.epoch} ${this.peer.place.token}`;
  }

  get token(): string {
    return this.sent("enter").at(-1)!.token;
  }

  /** What the server calls the member's epoch. */
  get node(): string {
    return nodeOf(this.token);
  }

  get last(): FromMember {
    return this.said.at(-1)!;
  }
}

export const data = (number: number, epoch: number, letters: string, previous = 0): MessageContent => ({
  type: "data",
  number,
  epoch,
  previous,
  body: utf8(letters),
});
