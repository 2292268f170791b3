import { type FromKeys, type GroupMember, leafName, shownName } from "@sealcast/keys";
import { systemClock } from "@sealcast/time";
import { createStore, type StoreApi } from "zustand/vanilla";
import { type Captions, captionsOf } from "../captions/call-captions.ts";
import { Devices, type DevicesChoice, type DevicesOn } from "../devices/devices.ts";
import { Files } from "../files/files.ts";
import type { Measurable } from "../measuring/measurable.ts";
import { MediaSession } from "../media-session.ts";
import { MediaRelay } from "../relay/media-relay.ts";
import { GOODBYE_WITHIN } from "../server.ts";
import { Talk } from "../talk/talk.ts";
import { CallServer } from "./call-server.ts";
import { type CallActions, type CallView, firstView, type Problem } from "./call-view.ts";
import { Comparing } from "./comparing.ts";
import { connect } from "./connect.ts";
import { fromKeys } from "./from-keys.ts";
import { Holding } from "./holding.ts";
import { Hosting } from "./hosting.ts";
import type { PostToKeys } from "./keys.ts";
import { Lobby } from "./lobby.ts";
import { Messages } from "./messages.ts";
import type { Peer } from "./peer.ts";
import { People } from "./people.ts";
import { Recordings } from "./recordings.ts";
import { Selection } from "./selection.ts";

export interface OpenCall {
  store: StoreApi<CallView>;
  actions: CallActions;
  /** For the dashboard; null before there is something to measure. */
  measurable(): Measurable | null;
  close(): void;
}

interface Opening {
  room: string;
  /** The link's fragment, "" after a reload. */
  secret: string;
  choice: DevicesChoice;
  hidesAddress: boolean;
  /** Of one who comes back: what was on. Both, where it is not given. */
  devicesOn?: DevicesOn | undefined;
  /** Shown in a name's place where a member has none. */
  nameless: string;
}

/** Opens the lobby of a call. The caller closes what it opened. */
export function openCall({ secret, ...opening }: Opening): OpenCall {
  const call = new Call(opening);
  void call.prepare(secret);
  return { store: call.store, actions: call.actions, measurable: () => call.measurable(), close: () => call.close() };
}

/**
 * A call, from lobby to leaving. What happens in it, in order:
 * the link is checked and the devices shown, then the room is joined (`Lobby`); the keys worker and the server
 * speak through this page without it seeing a key (`CallServer`, `fromKeys`); who is in the group shows and becomes a peer
 * (`#members`), and peers carry sealed media. What else goes on in a call has a file each: it is given what it needs, and
 * shows its own part of the view.
 */
class Call {
  readonly store: StoreApi<CallView>;
  readonly actions: CallActions;
  readonly #nameless: string;
  readonly #devices: Devices;
  readonly #media: MediaSession;
  readonly #people: People;
  readonly #holding: Holding;
  readonly #hosting: Hosting;
  readonly #comparing: Comparing;
  readonly #recordings: Recordings;
  readonly #talk: Talk;
  readonly #captions: Captions;
  readonly #messages: Messages;
  readonly #selection: Selection;
  readonly #relay: MediaRelay;
  readonly #server: CallServer;
  readonly #fromKeys: (event: FromKeys) => void;
  readonly #lobby: Lobby;

  constructor({ room, choice, devicesOn, hidesAddress, nameless }: Omit<Opening, "secret">) {
    this.#nameless = nameless;
    const post: PostToKeys = (message) => this.#lobby.keys?.post(message);
    const show = (change: Partial<CallView>) => this.store.setState(change);
    const known = () => this.#lobby.known;
    this.#people = new People({
      clock: systemClock,
      known,
      show,
      meet: (shown, me) => connect(shown, me, parts),
      met: ({ member }) => {
        this.#messages.met(member.leafKeyId);
        this.#relay.met(member.leafKeyId);
      },
      left: (leafKeyId) => {
        for (const concern of [this.#recordings, this.#talk, this.#captions, this.#relay]) concern.forget(leafKeyId);
      },
      sending: () => this.#relay.sending,
      consentOf: (leafKeyId) => this.#recordings.viewOf(leafKeyId),
      changed: () => this.#peopleChanged(),
    });
    const people = this.#people;
    this.#media = new MediaSession({
      hidesAddress,
      show,
      keysPort: (port) => post({ type: "media", port }),
      peers: () => people.linked,
      besides: () => this.#relay.proven,
      isAudited: () => this.#isInCall,
      sampled: (samples) => {
        this.#holding.apply();
        this.#relay.examine(samples);
        this.#devices.examine(samples);
        people.examine(samples, this.store.getState().overloaded);
      },
      receivers: () =>
        new Map([...people.peers].map(([id, peer]) => [id, { decodes: peer.decodes, peer: peer.media }])),
      ease: (step) => {
        this.#devices.ease(step);
        this.#relay.refresh();
      },
      leaf: () => people.me?.leaf ?? 0,
      rejoin: () => post({ type: "rejoin" }),
    });
    const media = this.#media;
    const { life } = media;
    this.#devices = new Devices(life, {
      ...{ choice, devicesOn },
      show,
      changed: () => this.#devicesChanged(),
      renegotiate: () => this.#eachPeer(({ link }) => link.renegotiate()),
    });
    const devices = this.#devices;
    const holding = new Holding({
      ...{ show, clock: life.clock },
      peers: () => people.peers.values(),
      holdTalk: (isHeld) => this.#messages.holdTalk(isHeld),
      applied: () => this.#relay.allow(),
    });
    this.#holding = holding;
    this.#hosting = new Hosting({ people, holding, known, post, show });
    this.#comparing = new Comparing({ room, people, known, post });
    const name = () => this.store.getState().name;
    this.#recordings = new Recordings(life, { people, devices, name, isAllowed: () => this.#isInCall, show });
    const tell: Messages["tell"] = (...message) => this.#messages.tell(...message);
    const files = new Files(life, { people, show, tell });
    this.#talk = new Talk(life, { people, holding, known, devices, name, show, tell });
    this.#captions = captionsOf(life, { people, devices, name, show, tell });
    const shared = { people, media, devices, files, post };
    const relay = new MediaRelay({ people, media, devices, ask: () => this.#server.askRelay(), tell, show });
    this.#relay = relay;
    this.#messages = new Messages({ ...shared, relay, talk: this.#talk, captions: this.#captions });
    const parts = { ...shared, recordings: this.#recordings, messages: this.#messages, holding };
    this.#selection = new Selection(media, (announcement, delivered) => tell("all", announcement, delivered));
    this.#server = new CallServer({
      ...{ media, relay, post, show },
      isJoining: () => this.store.getState().phase === "joining",
      isInCall: () => this.#isInCall,
      refuse: (problem) => this.#refuse(problem),
    });
    this.#fromKeys = fromKeys({
      ...{ ...parts, hosting: this.#hosting, comparing: this.#comparing, server: this.#server, known, show },
      entered: ({ epoch, members }) => this.#members(epoch, members),
      relinked: (secret) => this.#lobby.relinked(secret),
      refuse: (problem) => this.#refuse(problem),
      close: () => this.close(),
    });
    this.#lobby = new Lobby({
      ...{ room, nameless, media, devices, show, server: this.#server, fromKeys: this.#fromKeys },
      phase: () => this.store.getState().phase,
      knownChanged: () => this.#showRoster(),
      refuse: (problem) => this.#refuse(problem),
    });
    this.store = createStore<CallView>(() => ({ ...firstView(devices.firstView), ...media.ice.view }));
    const concerns = { ...devices.actions, ...this.#hosting.actions, ...this.#comparing.actions, ...files.actions };
    this.actions = {
      ...concerns,
      ...media.ice.actions,
      ...this.#recordings.actions,
      ...this.#talk.actions,
      ...this.#captions.actions,
      ...this.#ownActions,
    };
    life.on(globalThis, "pagehide", () => this.#unloading());
    life.bind(() => this.#people.hangUp(() => true));
  }

  get #ownActions() {
    return {
      join: (name: string) => this.#lobby.join(name),
      rename: (name: string) => {
        const renamed = leafName(name);
        if (renamed !== null) this.#lobby.keys?.post({ type: "introduce", name: renamed });
      },
      setIncomingVideo: (on: boolean) => this.#people.wantVideo(on),
      choosePolicy: (policy: CallView["policy"]) => {
        this.#show({ policy });
        this.#selection.choose(policy);
      },
      inviteLink: () => this.#lobby.inviteLink,
      shows: (id, shown) => this.#people.peers.get(id)?.media.show(shown),
      repair: () => this.#media.repair([...this.#people.peers.values()].map(({ media }) => media)),
      leave: () => this.#leave(),
    } satisfies Partial<CallActions>;
  }

  prepare(fragment: string): Promise<void> {
    return this.#lobby.prepare(fragment);
  }

  measurable(): Measurable | null {
    return this.#media.measurable();
  }

  close(): void {
    void this.#recordings.own.stop();
    this.#media.life.end();
  }

  /** The group in a new epoch. */
  #members(epoch: number, members: readonly GroupMember[]): void {
    const me = members.find((member) => member.me);
    if (me === undefined || this.store.getState().phase === "left") return;
    const isAnother = this.#people.entered(me, members);
    if (isAnother) this.#media.pool?.forgetPolicies();
    if (isAnother) this.#talk.rejoined();
    this.#showRoster();
    this.#talk.follow();
    this.#media.encoding.choose();
    this.#selection.entered(epoch);
    this.#comparing.meetingCode.enter(members.map(({ identity }) => identity));
    this.#show({ phase: "in-call", name: shownName(me.name) || this.#nameless });
    this.#media.enter(epoch);
  }

  #showRoster(): void {
    this.#people.showRoster();
    this.#holding.apply();
    this.#people.show();
    this.#hosting.show();
  }

  /** Who may be recorded, and who compares a code, follow from who is here. */
  #peopleChanged(): void {
    this.#recordings.own.follow();
    this.#captions.follow();
    this.#show({ meetingCode: this.#comparing.meetingCode.view(this.#people.names) });
  }

  /** A device went on or off, or another one was chosen. */
  #devicesChanged(): void {
    this.#media.feed(this.#devices.local);
    this.#recordings.own.follow();
    this.#talk.devicesChanged();
    this.#captions.follow();
    if (!this.#isInCall) return;
    this.#eachPeer((peer) => void peer.refresh());
    this.#relay.refresh();
    this.#messages.tellProfile("all");
  }

  /** The page goes: the others and the server hear of it at once. A page that the browser keeps and brings back starts afresh. */
  #unloading(): void {
    this.#eachPeer(({ link }) => link.say("goodbye", new Uint8Array()));
    this.#server.close();
  }

  #leave(): void {
    this.#lobby.forgetLink();
    void this.#recordings.own.stop();
    this.#captions.close();
    this.#lobby.keys?.post({ type: "leave" });
    this.#show({ phase: "left", people: [] });
    this.#devices.local.close();
    this.#people.leave();
    this.#media.life.after(GOODBYE_WITHIN, () => this.close());
  }

  #refuse(problem: Problem): void {
    this.#show({ phase: "refused", problem, people: [] });
    this.close();
  }

  get #isInCall(): boolean {
    return this.store.getState().phase === "in-call";
  }

  #eachPeer(act: (peer: Peer) => void): void {
    for (const peer of this.#people.peers.values()) act(peer);
  }

  #show(change: Partial<CallView>): void {
    this.store.setState(change);
  }
}
