import { fromHex, rest, struct, toHex, uint32, utf8 } from "@sealcast/bytes";
import { openWithSecret, sealWithSecret } from "@sealcast/crypto";
import { milli } from "@sealcast/time";
import { KEY_SIZE } from "../../shared/sizes.ts";
import { parseCredential, verifyCredential } from "../identity/credential.ts";
import type { Group } from "../mls/group.ts";
import { encodeHeartbeat, type GroupPosition, type Heartbeat, parseHeartbeat, verifyHeartbeat } from "./heartbeat.ts";
import { SILENCE_TICKS, type VerifiedHeartbeat } from "./heartbeats.ts";
import type { MemberCommits } from "./member-commits.ts";
import type { MemberCore } from "./member-core.ts";

const HEARTBEAT_LABEL = "Sealcast heartbeat";
/** No member's leafKeyId. */
const SERVER = "server";
const TICK = milli(1000);
/** After that, another member is asked for a commit. */
const PATIENCE_WITH_SERVER = milli(2000);
/** Epochs whose heartbeats over the server are still read. */
const MAX_SECRETS = 16;

/** A heartbeat over the server: sealed under a secret of that epoch. */
const relayedHeartbeat = struct({ epoch: uint32, sealed: rest(Number.POSITIVE_INFINITY, 1) });

/** A member's heartbeats and those of the others: whether everybody is in one epoch of one group. */
export class MemberHeartbeats {
  readonly #core: MemberCore;
  readonly #commits: MemberCommits;
  /** Where the group stands now. */
  #place: GroupPosition | null = null;
  /** The alarms that the page last heard of. */
  #alarms = "[]";
  /** The room's host says so that it is elsewhere, to those who have a link with it. */
  #call: Uint8Array | null = null;
  /** By epoch: what heartbeats over the server are sealed under. */
  readonly #secrets = new Map<number, Uint8Array>();

  constructor(core: MemberCore, commits: MemberCommits) {
    this.#core = core;
    this.#commits = commits;
    core.later(TICK, () => this.#tick());
  }

  /** The group stands there from now on. `isNewcomer`: this is the member's first epoch in it. */
  enter(place: GroupPosition, { members, hosts }: Group, isNewcomer: boolean): void {
    this.#place = place;
    this.#core.heartbeats.enter(place, members, hosts, isNewcomer);
  }

  /** Members of an epoch read heartbeats of those that they passed, since members that are behind send such. */
  async keepSecret(group: Group): Promise<void> {
    this.#secrets.set(group.epoch, await group.exportSecret(HEARTBEAT_LABEL, KEY_SIZE));
    const [oldest] = this.#secrets;
    if (this.#secrets.size <= MAX_SECRETS || oldest === undefined) return;
    oldest[1].fill(0);
    this.#secrets.delete(oldest[0]);
  }

  forgetSecrets(): void {
    this.#secrets.clear();
  }

  async #tick(): Promise<void> {
    const { heartbeats, roster } = this.#core;
    this.#core.later(TICK, () => this.#tick());
    this.#core.silence += 1;
    heartbeats.tick(this.#core.connected, this.#core.silence);
    this.#commits.tick();
    if (roster.vanish(heartbeats.vanished)) this.#core.plan();
    if (heartbeats.isDue) await this.#beat();
    if (this.#core.connected && heartbeats.isAlone) this.#core.resync("the room goes on elsewhere", true);
    this.#tellAlarms();
    // Who has gone away knocks no more, and which host is still heard changes with time.
    this.#core.plan();
  }

  /** Over the server and over every link: where one of them is cut, the other still tells. */
  async #beat(): Promise<void> {
    const { group, membership, silence } = this.#core;
    const own = group?.members.find(({ me }) => me);
    const leafKey = fromHex(own?.leafKeyId ?? "");
    if (group === null || this.#place === null || leafKey === null) return;
    const time = Math.floor(this.#core.clock.now());
    const connected = this.#core.connected && silence <= SILENCE_TICKS;
    const beat = { ...this.#place, connected, time, leafKey, credential: group.credential };
    const body = await encodeHeartbeat(membership.room, beat, (message) => group.sign(message));
    this.#core.tell({ type: "heartbeat", body });
    await this.#beatOverServer(group, body);
    // Who came to this branch later has no connection to the host, and would keep the others here.
    if (this.#call !== null) await this.#beatOverServer(group, this.#call);
    this.#call = null;
    // Others may be further on, or in another group.
    if (!this.#core.heartbeats.isAnswered) this.#core.enter(group);
  }

  /** To all who are in this epoch, or who passed it lately. */
  async #beatOverServer({ epoch }: Group, beat: Uint8Array): Promise<void> {
    const secret = this.#secrets.get(epoch);
    if (secret === undefined) return;
    const sealed = await sealWithSecret(secret, HEARTBEAT_LABEL, utf8(this.#core.membership.room), beat);
    this.#core.toRoom({ type: "beat", body: relayedHeartbeat.encode({ epoch, sealed }) });
  }

  /** Of an epoch to come it cannot be read yet. */
  async relayed(body: Uint8Array): Promise<void> {
    const { group, membership } = this.#core;
    const relayed = relayedHeartbeat.parse(body);
    if (group !== null && relayed !== null && relayed.epoch > group.epoch) return;
    const secret = relayed && this.#secrets.get(relayed.epoch);
    const opened = secret && (await openWithSecret(secret, HEARTBEAT_LABEL, utf8(membership.room), relayed.sealed));
    if (!opened) return this.#core.drop("bad-heartbeat", "does not open");
    await this.heard(SERVER, opened);
  }

  /** `way`: the link that it came over, by the leafKeyId at its other end, or the server. */
  async heard(way: string, body: Uint8Array): Promise<void> {
    const { heartbeats, membership, roster } = this.#core;
    const beat = this.#attribute(parseHeartbeat(body));
    if (beat === null || !heartbeats.isNews(beat, way)) return;
    if (!(await verifyHeartbeat(membership.room, body, beat))) return this.#core.drop("bad-heartbeat", "signature");
    if (!(await this.#isVouchedFor(beat))) return;
    roster.alive(beat.leafKeyId);
    heartbeats.heard(beat);
    this.#tellAlarms();
    // Each with one of its own at most: anyone who floods it has nobody else's socket closed.
    if (way !== SERVER && heartbeats.isCalledBy(beat.who)) this.#call = body;
    this.#follow(beat);
  }

  /** Who says it, as the tree has it for that key, or else as the key's own credential claims. */
  #attribute(beat: Heartbeat | null): VerifiedHeartbeat | null {
    const claims = beat && parseCredential(beat.credential);
    if (beat === null || claims === null) return null;
    const leafKeyId = toHex(beat.leafKey);
    const known = this.#core.heartbeats.member(leafKeyId);
    const who = known === null ? toHex(claims.identity) + toHex(claims.seat) : known.identity + known.seat;
    return { ...beat, leafKeyId, who, issued: claims.notBefore };
  }

  /** A key that the tree does not hold needs its credential. */
  async #isVouchedFor({ leafKey, leafKeyId, credential }: VerifiedHeartbeat): Promise<boolean> {
    const { heartbeats, membership } = this.#core;
    const { room } = membership;
    return heartbeats.member(leafKeyId) !== null || (await verifyCredential({ room, leafKey }, credential));
  }

  /** A member of the group is further on, where its commit should have come by now. */
  #follow({ leafKeyId: ahead, epoch }: VerifiedHeartbeat): void {
    const { group, heartbeats } = this.#core;
    if (group === null || epoch <= group.epoch) return;
    if (heartbeats.member(ahead) === null) return;
    this.#commits.askLater();
    const { node } = group.place;
    this.#core.later(PATIENCE_WITH_SERVER, () => this.#commits.askMember(ahead, node));
  }

  #tellAlarms(): void {
    const { alarms } = this.#core.heartbeats;
    if (JSON.stringify(alarms) === this.#alarms) return;
    this.#alarms = JSON.stringify(alarms);
    this.#core.tell({ type: "alarms", alarms });
  }
}
