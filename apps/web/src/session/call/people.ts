import type { Alarm, GroupMember } from "@sealcast/keys";
import type { Attachment } from "@sealcast/media";
import type { Clock } from "@sealcast/time";
import type { Samples } from "../audit/encryption-audit.ts";
import { StallDetector } from "../audit/stall-detector.ts";
import type { MediaPeer } from "../peer/media-peer.ts";
import { Unreached } from "../peer/unreached.ts";
import { type Received, Reception, type ReceptionView } from "../reception/reception.ts";
import type { ConsentView } from "../recording/consent.ts";
import type { GroupAlarm } from "./alarms.ts";
import type { KnownPeers, ShownMember } from "./known-peers.ts";
import type { Peer } from "./peer.ts";
import type { Person } from "./person.ts";

export interface PeopleView {
  people: Person[];
  /** Each makes the badge say "failing". */
  alarms: GroupAlarm[];
  /** Names of those to whom the connection is too slow for any video of this person now. */
  paused: string[];
  /** Names of those to whom this person's video does not go: they decode none of the usual codecs. */
  unable: string[];
  /** Names of those who are in the call, and to whom no connection comes about. */
  unreached: string[];
  /** Others' video comes; without, sound alone does. */
  incomingVideo: boolean;
  /** This browser is in the call with another tab, too: what one plays, the other hears. */
  hereTwice: boolean;
}

export const NOBODY_HERE: PeopleView = {
  ...{ people: [], alarms: [], paused: [], unable: [], unreached: [] },
  incomingVideo: true,
  hereTwice: false,
};

interface PeopleOptions {
  clock: Clock;
  known(): KnownPeers | null;
  /** Makes the connection to a member; null where there are no media workers yet. */
  meet(shown: ShownMember, me: GroupMember): Peer | null;
  /** There is a connection to this member now, on which nothing was said yet. */
  met(peer: Peer): void;
  /** There is none any more. */
  left(leafKeyId: string): void;
  /** Where this page's own sound goes besides the connections. */
  sending(): Received | null;
  consentOf(leafKeyId: string): ConsentView;
  show(change: Partial<PeopleView & ReceptionView>): void;
  /** Who is here, what they send or what they say changed, and is about to show. */
  changed(): void;
}

/** Who is here: every leaf of the group but this member's shows, and is called then. What anybody sends makes no difference. */
export class People {
  readonly #options: PeopleOptions;
  readonly #peers = new Map<string, Peer>();
  /** By identity, of all who were ever here. */
  readonly #lastNames = new Map<string, string>();
  readonly #stalls = new StallDetector();
  readonly #reception: Reception;
  readonly #unreached: Unreached<MediaPeer>;
  /** Tracks of which nothing comes though they are sent. */
  #quiet: Attachment[] = [];
  #shownUnreached = "";
  #me: GroupMember | null = null;
  /** The keys worker's, as it last told. */
  #roster: readonly GroupMember[] = [];
  #alarms: readonly Alarm[] = [];
  #wantsVideo = true;

  constructor(options: PeopleOptions) {
    this.#options = options;
    this.#unreached = new Unreached(options.clock);
    this.#reception = new Reception(
      () => this.#peers,
      options.show,
      () => options.sending(),
    );
  }

  /** By leaf key. */
  get peers(): ReadonlyMap<string, Peer> {
    return this.#peers;
  }

  get #all(): Peer[] {
    return [...this.#peers.values()];
  }

  /** By id. */
  member(id: string): GroupMember | undefined {
    return this.#peers.get(id)?.member;
  }

  /** This page's own leaf; null before it has one. */
  get me(): GroupMember | null {
    return this.#me;
  }

  get roster(): readonly GroupMember[] {
    return this.#roster;
  }

  /** Those with a connection, or one that is being made. */
  get linked(): MediaPeer[] {
    return this.#all.flatMap(({ media }) => (media.isLinked ? [media] : []));
  }

  /** Names of the others, by identity, as people are shown. */
  get names(): Map<string, string> {
    const others = this.#all.filter(({ member }) => member.identity !== this.#me?.identity);
    return new Map(others.map(({ member, name }) => [member.identity, name]));
  }

  /** How who is of that identity shows now; how they showed last, once they have gone. */
  nameOf(identity: string): string {
    return this.#lastNames.get(identity) ?? "";
  }

  /**
   * The group changed: members who left are gone from the screen, those who came are on it and are called.
   *
   * @returns whether this member is another one to everybody: it has just joined, or joined afresh.
   */
  entered(me: GroupMember, members: readonly GroupMember[]): boolean {
    const isAnother = this.#me?.leafKeyId !== me.leafKeyId;
    const present = new Set(members.map((member) => member.leafKeyId));
    this.hangUp((peer) => isAnother || !present.has(peer.member.leafKeyId));
    this.#me = me;
    this.#roster = members;
    return isAnother;
  }

  /** Everybody in the roster as they show now; who has no connection yet is called. */
  showRoster(): void {
    const me = this.#me;
    const known = this.#options.known();
    if (known === null || me === null) return;
    for (const shown of known.show(this.#roster)) {
      this.#lastNames.set(shown.member.identity, shown.name);
      const peer = this.#peers.get(shown.member.leafKeyId);
      if (peer === undefined) this.#meet(shown, me);
      else peer.shown = shown;
    }
  }

  /** What heartbeats tell. */
  alarmed(alarms: readonly Alarm[]): void {
    this.#alarms = alarms;
    this.show();
  }

  /**
   * Of whom nothing comes though they send it, who speaks, and how good each connection is.
   * `overloaded`: this computer does not keep up.
   */
  examine({ samples }: Samples, overloaded: boolean): void {
    this.#reception.examine(overloaded);
    this.#showUnreached();
    const due = this.#all.flatMap((peer) => peer.due);
    const quiet = this.#stalls.examine(samples, due);
    const isNews = quiet.length !== this.#quiet.length || quiet.some((track) => !this.#quiet.includes(track));
    this.#quiet = quiet;
    if (isNews) this.show();
  }

  /** Nobody is missed who does not answer by way of the server either. */
  #showUnreached(): void {
    const answering = this.#all.filter(({ media, member }) => media.isLinked && !this.#isSilent(member));
    const unreached = this.#unreached.examine(answering.map(({ media }) => media)).map(({ name }) => name);
    if (unreached.join() === this.#shownUnreached) return;
    this.#shownUnreached = unreached.join();
    this.#options.show({ unreached });
  }

  #isSilent({ leafKeyId }: GroupMember): boolean {
    return this.#alarms.some((alarm) => alarm.what === "silent" && alarm.leafKeyId === leafKeyId);
  }

  /** Whether others are to send their video here. */
  wantVideo(on: boolean): void {
    this.#wantsVideo = on;
    for (const { media } of this.#all) media.video.wants = on;
    this.#options.show({ incomingVideo: on });
    this.show();
  }

  hangUp(which: (peer: Peer) => boolean): void {
    for (const [leafKeyId, peer] of this.#peers) {
      if (!which(peer)) continue;
      peer.close();
      this.#options.left(leafKeyId);
      this.#peers.delete(leafKeyId);
    }
  }

  /** Everybody, and nobody is called again: what comes after this, a safety code say, calls nobody. */
  leave(): void {
    this.#roster = [];
    this.hangUp(() => true);
  }

  show(): void {
    const peers = this.#all;
    const people = peers.map((peer) => this.#personOf(peer));
    const alarms = this.#alarms.flatMap((alarm) => this.#groupAlarm(alarm) ?? []);
    const paused = peers.filter(({ media, state }) => media.video.paused === "connection" && state === "connected");
    const unable = peers.filter(({ media }) => media.codec === null).map(({ name }) => name);
    const own = this.#me?.identity;
    const hereTwice = peers.some(({ member, state }) => member.identity === own && state === "connected");
    this.#options.changed();
    this.#options.show({ people, alarms, paused: paused.map(({ name }) => name), unable, hereTwice });
  }

  #meet(shown: ShownMember, me: GroupMember): void {
    const peer = this.#options.meet(shown, me);
    if (peer === null) return;
    this.#peers.set(shown.member.leafKeyId, peer);
    peer.media.video.wants = this.#wantsVideo;
    this.#options.met(peer);
  }

  /** Someone's silence shows with them, and is no alarm. */
  #groupAlarm(alarm: Alarm): GroupAlarm | null {
    if (alarm.what === "withheld-here") return { what: alarm.what, who: "" };
    return alarm.what === "silent" ? null : { what: alarm.what, who: this.#peers.get(alarm.leafKeyId)?.name ?? "" };
  }

  #personOf(peer: Peer): Person {
    const { member, ...shown } = peer.shown;
    return {
      id: member.leafKeyId,
      identity: member.identity,
      ...shown,
      ...peer.view,
      code: this.#options.known()?.code(member.identity) ?? null,
      answering: !this.#isSilent(member),
      missing: peer.incoming.flatMap(({ received, kind }) =>
        received !== null && this.#quiet.includes(received) ? [kind] : [],
      ),
      ...this.#options.consentOf(member.leafKeyId),
    };
  }
}
