import type { MediaPool } from "@sealcast/media";
import type { RelayToken } from "@sealcast/network";
import { dropOldest, type Milli, milli } from "@sealcast/time";
import type { Proven } from "../audit/browser-counters.ts";
import type { Samples } from "../audit/encryption-audit.ts";
import type { RelayMessage } from "../call/message.ts";
import type { People } from "../call/people.ts";
import type { Devices } from "../devices/devices.ts";
import type { MediaSession } from "../media-session.ts";
import type { Received } from "../reception/reception.ts";
import { meshPeople } from "../shell.ts";
import { RelayWay } from "./relay-way.ts";

/** A question without an answer, a server that does not let this page in, and a relay that was not reached, are tried again after this; each time after twice as long. */
const RETRY = milli(10_000);
const LONGEST_RETRY = milli(80_000);
const AT_ONCE = milli(Number.NEGATIVE_INFINITY);
/** The others may still be on their way back to direct connections. */
const LINGER = milli(10_000);
/** Frames that went to someone who is held now are signed within half a second, and their batch may wait for the network. */
const ON_THE_WAY = milli(3_000);
/** What people are called at the relay. More than come into a call. */
const MOST_REMEMBERED = 256;

/** `failed`: this call would go over the relay, and does not: connections carry what they can. */
export type RelayStanding = "unused" | "joining" | "used" | "failed";

export interface RelayView {
  relay: RelayStanding;
}

interface RelayParts {
  readonly media: MediaSession;
  readonly people: People;
  readonly devices: Pick<Devices, "local" | "hidesSpeech">;
  /** Asks the server for a token. */
  ask(): void;
  tell(to: string, message: RelayMessage): void;
  show(change: RelayView): void;
}

/**
 * A call's way over the media relay. Whether it goes there follows from how many are in the group; which identity at the relay is
 * whose, members say inside the group. The relay knows none of that, and its word on who is there counts for nothing.
 */
export class MediaRelay {
  readonly #parts: RelayParts;
  readonly #limit = meshPeople();
  /** By leafKeyId: what they said last that they are called at the relay. Of several who say the same, the first is. */
  readonly #claims = new Map<string, string>();
  /** Who, by their identity in the group, has said first that they are called so there. */
  readonly #first = new Map<string, string>();
  #isOffered = false;
  #isAdmitted = false;
  /** For an answer, or before that to be let in. */
  #isWaiting = false;
  #tryAt = AT_ONCE;
  #retry = RETRY;
  /** Since it was used last. */
  #failures = 0;
  /** With what this page is at the relay, or on its way there. */
  #token: RelayToken | null = null;
  #way: RelayWay | null = null;
  #wantedAt: Milli = milli(Number.NEGATIVE_INFINITY);
  #shown: RelayStanding = "unused";
  /** The latest list of those who get what goes out. */
  #allowed = "";
  /** By leafKeyId: when they last were in it. */
  readonly #allowedAt = new Map<string, Milli>();

  constructor(parts: RelayParts) {
    this.#parts = parts;
    parts.media.life.bind(() => this.#close());
  }

  /** The server let this page in. */
  reached({ relay, resumed }: { relay: boolean; resumed: boolean }): void {
    this.#isOffered = relay;
    this.#waitsNoMore();
    if (resumed) return;
    this.#isAdmitted = false;
    // A server that started again may have another room at the relay for this group.
    this.#close();
  }

  /** The server has seen that this page is inside: before, a question gets no answer. */
  admitted(): void {
    if (!this.#isAdmitted) this.#waitsNoMore();
    this.#isAdmitted = true;
  }

  /** The answer to a question. */
  given(token: RelayToken): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    void this.#open(token);
  }

  /** That member is here, and knows nothing of this page yet. */
  met(leafKeyId: string): void {
    if (this.#token !== null) this.#parts.tell(leafKeyId, { type: "relay", identity: this.#token.identity });
  }

  /** What they say they are called at the relay. Where another is called so, theirs waits while that one is here, and has named no other. */
  heard(leafKeyId: string, { identity }: RelayMessage): void {
    if (identity === this.#token?.identity) return this.#parts.media.drop("relay-identity");
    const before = this.#claims.get(leafKeyId);
    if (before === identity) return;
    this.forget(leafKeyId);
    this.#claims.set(leafKeyId, identity);
    if (before !== undefined) this.#passOn(before, leafKeyId);
    if (!this.#first.has(identity)) this.#first.set(identity, this.#personOf(leafKeyId));
    dropOldest(this.#first, MOST_REMEMBERED);
    if (this.#ownerOf(identity) !== leafKeyId) this.#parts.media.drop("relay-identity");
  }

  forget(leafKeyId: string): void {
    const identity = this.#identityOf(leafKeyId);
    this.#claims.delete(leafKeyId);
    this.#allowedAt.delete(leafKeyId);
    if (identity !== null) this.#way?.connection.follow(identity, null);
  }

  /** A device went on or off. */
  refresh(): void {
    this.#way?.refresh();
  }

  /** What goes out and comes in over the relay, to be held against the browser's counters. */
  get proven(): Proven[] {
    const peers = [...this.#parts.people.peers.values()];
    return [...(this.#way?.proven ?? []), ...peers.flatMap(({ relayed }) => relayed.proven)];
  }

  /** Where this page's sound goes over the relay. */
  get sending(): Received | null {
    return this.#way?.voice ?? null;
  }

  /** Who gets this page's tracks from now on: nobody who is held or cut off, nor who would miss what is signed. */
  allow(): void {
    const way = this.#way?.connection;
    if (way === undefined) return;
    const allowed = [...this.#parts.people.peers].flatMap(([id, { media }]) => {
      const isMeant = media.isLinked && !media.isHeld && media.state === "connected" && media.canSign;
      const identity = isMeant ? this.#identityOf(id) : null;
      if (identity !== null) this.#allowedAt.set(id, this.#now);
      return identity ?? [];
    });
    if (allowed.join() === this.#allowed) return;
    this.#allowed = allowed.join();
    way.allow(allowed);
  }

  /** With each sample: comes, goes, and has each person's media come the one way or the other. */
  examine({ samples }: Samples): void {
    const now = this.#now;
    const isWanted = this.#isWanted;
    if (isWanted) {
      this.#wantedAt = now;
      this.#ask();
    }
    // Who hides how they speak would show it at the relay as long as they stay.
    if (this.#parts.devices.hidesSpeech || (!isWanted && now - this.#wantedAt > LINGER)) this.#close();
    const isUp = this.#isUp;
    for (const [id, { relayed, media }] of this.#parts.people.peers) {
      const isNamed = this.#identityOf(id) !== null;
      relayed.examine(samples, isWanted && isUp && isNamed, media.lines);
      void media.leave(isUp && relayed.isTaken && isNamed);
    }
    this.#follow(isWanted);
    this.#show(isWanted);
  }

  get #now(): Milli {
    return this.#parts.media.life.clock.now();
  }

  /** Of who hides how they speak, LiveKit's client would show it. */
  get #isWanted(): boolean {
    const { people, devices } = this.#parts;
    return this.#isOffered && !devices.hidesSpeech && people.peers.size + 1 > this.#limit;
  }

  get #isUp(): boolean {
    return this.#way?.connection.state === "connected";
  }

  #ask(): void {
    if (this.#token !== null || this.#now < this.#tryAt) return;
    if (this.#isWaiting) this.#failures++;
    this.#later();
    this.#isWaiting = true;
    if (this.#isAdmitted) this.#parts.ask();
  }

  /** Who was not let in has not asked: it does so at once where it may. */
  #waitsNoMore(): void {
    if (this.#isWaiting && !this.#isAdmitted) {
      this.#tryAt = AT_ONCE;
      this.#retry = RETRY;
    }
    this.#isWaiting = false;
  }

  #later(): void {
    this.#tryAt = milli(this.#now + this.#retry);
    this.#retry = milli(Math.min(2 * this.#retry, LONGEST_RETRY));
  }

  async #open(token: RelayToken): Promise<void> {
    const { pool } = this.#parts.media;
    if (pool === null) return;
    this.#token = token;
    // Nobody who is at the relay, or rules it, has seen it there yet: it cannot be named by another first.
    this.#parts.tell("all", { type: "relay", identity: token.identity });
    const way = await this.#reach(token, pool).catch(() => null);
    if (this.#token !== token) return way?.close();
    // Nothing is lost: it is tried again, and connections carry what they can meanwhile.
    if (way === null) {
      this.#token = null;
      this.#failures++;
      return;
    }
    this.#way = way;
    this.#retry = RETRY;
    this.#failures = 0;
    this.#allowed = "";
  }

  #reach({ url, token }: RelayToken, pool: MediaPool): Promise<RelayWay> {
    const { media, devices, people } = this.#parts;
    return RelayWay.open(
      { url, token, iceServers: media.ice.ice.servers },
      {
        ...{ pool, clock: media.life.clock, local: devices.local },
        signed: (batch) => this.#signed(batch),
        open: (receiver, of, source, mark) => this.#peerOf(of)?.relayed.open(receiver, source, mark),
        ended: (track) => void [...people.peers.values()].some(({ relayed }) => relayed.ended(track)),
        changed: () => this.#changed(),
      },
    );
  }

  /** Null: they named nothing, or what another had named. */
  #identityOf(leafKeyId: string): string | null {
    const claim = this.#claims.get(leafKeyId) ?? null;
    return claim !== null && this.#ownerOf(claim) === leafKeyId ? claim : null;
  }

  /** Who said so first, also where they have joined the group afresh since; where they have gone, the next. */
  #ownerOf(identity: string): string | undefined {
    const claimants = [...this.#claims].flatMap(([leafKeyId, claim]) => (claim === identity ? [leafKeyId] : []));
    const first = this.#first.get(identity);
    return claimants.find((leafKeyId) => this.#personOf(leafKeyId) === first) ?? claimants[0];
  }

  /** That member is called otherwise now. */
  #passOn(identity: string, leafKeyId: string): void {
    if (this.#first.get(identity) !== this.#personOf(leafKeyId)) return;
    this.#first.delete(identity);
    const next = this.#ownerOf(identity);
    if (next !== undefined) this.#first.set(identity, this.#personOf(next));
  }

  #personOf(leafKeyId: string): string {
    return this.#parts.people.member(leafKeyId)?.identity ?? "";
  }

  #peerOf(identity: string) {
    return this.#parts.people.peers.get(this.#ownerOf(identity) ?? "");
  }

  /** Whose frames come is told by what they sign: each gets that over their own connection. */
  #signed(batch: Uint8Array): void {
    for (const [id, { media }] of this.#parts.people.peers) {
      const gotFrames = this.#now - (this.#allowedAt.get(id) ?? Number.NEGATIVE_INFINITY) < ON_THE_WAY;
      if (!media.isHeld || gotFrames) media.sign(batch);
    }
  }

  #changed(): void {
    if (this.#way?.connection.state === "closed") this.#lost();
    // A device may have gone on meanwhile.
    if (this.#isUp) return this.refresh();
    // Nothing goes out there: it goes directly at once.
    for (const { media } of this.#parts.people.peers.values()) void media.leave(false);
  }

  /** The relay ended it: a removal, another room for this group, or its own end. */
  #lost(): void {
    this.#close();
    this.#failures++;
    this.#later();
  }

  #close(): void {
    const way = this.#way;
    this.#token = null;
    this.#way = null;
    if (way === null) return;
    for (const { relayed, media } of this.#parts.people.peers.values()) {
      relayed.close();
      void media.leave(false);
    }
    way.close();
  }

  /** Whose tracks come, and how large. */
  #follow(isWanted: boolean): void {
    const way = this.#way?.connection;
    if (way === undefined) return;
    for (const [id, { relayed, media }] of this.#parts.people.peers) {
      const identity = this.#identityOf(id);
      if (identity === null) continue;
      // What plays is kept until all comes directly, also where one source of several stays away; what was forged does not play.
      const isFollowed = media.isLinked && (relayed.isPlayed || (isWanted && relayed.isTrusted));
      way.follow(identity, isFollowed ? (media.video.wants ? "all" : "sound") : null);
      for (const { source, width, height } of media.shownHere)
        way.show(identity, source, media.rests(source) ? null : { width, height });
    }
    this.allow();
  }

  #show(isWanted: boolean): void {
    const relay = this.#isUp ? "used" : !isWanted ? "unused" : this.#failures > 0 ? "failed" : "joining";
    if (relay !== this.#shown) this.#parts.show({ relay });
    this.#shown = relay;
  }
}
