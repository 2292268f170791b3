import {
  type FromKeys,
  type GroupMember,
  KeyAgreement,
  type LayerCount,
  laterFragment,
  leafName,
  PinStore,
  parseLink,
  shownName,
} from "@sealcast/keys";
import { systemClock } from "@sealcast/time";
import { createStore, type StoreApi } from "zustand/vanilla";
import { type Captions, captionsOf } from "../captions/call-captions.ts";
import { Devices, type DevicesChoice, type DevicesOn } from "../devices/devices.ts";
import { lacking } from "../devices/support.ts";
import { Files } from "../files/files.ts";
import { KeptLink } from "../kept-link.ts";
import { callPath } from "../link.ts";
import type { Measurable } from "../measuring/measurable.ts";
import { MediaSession } from "../media-session.ts";
import { GOODBYE_WITHIN } from "../server.ts";
import { Talk } from "../talk/talk.ts";
import { spawnKeys } from "../workers.ts";
import { CallServer } from "./call-server.ts";
import { type CallActions, type CallView, firstView, type Problem } from "./call-view.ts";
import { Comparing } from "./comparing.ts";
import { connect } from "./connect.ts";
import { fromKeys } from "./from-keys.ts";
import { Holding } from "./holding.ts";
import { Hosting } from "./hosting.ts";
import type { PostToKeys } from "./keys.ts";
import { KnownPeers } from "./known-peers.ts";
import { Messages } from "./messages.ts";
import type { Peer } from "./peer.ts";
import { People } from "./people.ts";
import { Recordings } from "./recordings.ts";
import { takeSeat } from "./seat.ts";
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
 * the link is checked and the devices shown (`prepare`); the room is joined (`#enter`); the keys worker and the server
 * speak through this page without it seeing a key (`CallServer`, `fromKeys`); who is in the group shows and becomes a peer
 * (`#members`), and peers carry sealed media. What else goes on in a call has a file each: it is given what it needs, and
 * shows its own part of the view.
 */
class Call {
  readonly store: StoreApi<CallView>;
  readonly actions: CallActions;
  readonly #room: string;
  readonly #nameless: string;
  readonly #link: KeptLink;
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
  readonly #server: CallServer;
  readonly #fromKeys: (event: FromKeys) => void;
  readonly #prepared = Promise.withResolvers<void>();
  /** Null in a lobby that is not ready yet. */
  #keys: KeyAgreement | null = null;
  #known: KnownPeers | null = null;

  constructor({ room, choice, devicesOn, hidesAddress, nameless }: Omit<Opening, "secret">) {
    this.#room = room;
    this.#nameless = nameless;
    this.#link = new KeptLink(room);
    const post: PostToKeys = (message) => this.#keys?.post(message);
    const show = (change: Partial<CallView>) => this.store.setState(change);
    const known = () => this.#known;
    this.#people = new People({
      clock: systemClock,
      known,
      show,
      meet: (shown, me) => connect(shown, me, parts),
      met: ({ member }) => this.#messages.met(member.leafKeyId),
      left: (leafKeyId) => {
        for (const concern of [this.#recordings, this.#talk, this.#captions]) concern.forget(leafKeyId);
      },
      consentOf: (leafKeyId) => this.#recordings.viewOf(leafKeyId),
      changed: () => this.#peopleChanged(),
    });
    const people = this.#people;
    this.#media = new MediaSession({
      hidesAddress,
      show,
      keysPort: (port) => post({ type: "media", port }),
      peers: () => people.linked,
      isAudited: () => this.#isInCall,
      sampled: (samples) => {
        this.#holding.apply();
        this.#devices.examine(samples);
        people.examine(samples, this.store.getState().overloaded);
      },
      receivers: () =>
        new Map([...people.peers].map(([id, peer]) => [id, { decodes: peer.decodes, peer: peer.media }])),
      ease: (step) => this.#devices.ease(step),
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
    });
    this.#holding = holding;
    this.#hosting = new Hosting({ people, holding, known, post, show });
    this.#comparing = new Comparing({ room, people, known, post });
    const name = () => this.store.getState().name;
    this.#recordings = new Recordings(life, { people, devices, name, isAllowed: () => this.#isInCall, show });
    const tell: Messages["tell"] = (...message) => this.#messages.tell(...message);
    const files = new Files(life, { people, show, tell });
    this.#talk = new Talk(life, { people, holding, devices, name, show, tell });
    this.#captions = captionsOf(life, { people, devices, name, show, tell });
    const shared = { people, media, devices, files, post };
    this.#messages = new Messages({ ...shared, talk: this.#talk, captions: this.#captions });
    const parts = { ...shared, recordings: this.#recordings, messages: this.#messages, holding };
    this.#selection = new Selection(media, (announcement, delivered) => tell("all", announcement, delivered));
    this.#server = new CallServer({
      ...{ media, post, show },
      isJoining: () => this.store.getState().phase === "joining",
      refuse: (problem) => this.#refuse(problem),
    });
    this.#fromKeys = fromKeys({
      ...{ ...parts, hosting: this.#hosting, comparing: this.#comparing, server: this.#server, known, show },
      entered: ({ epoch, members }) => this.#members(epoch, members),
      relinked: (secret) => void this.#link.replace(laterFragment(room, this.store.getState().layers, secret)),
      refuse: (problem) => this.#refuse(problem),
      close: () => this.close(),
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
      join: (name: string) => this.#join(name),
      rename: (name: string) => {
        const renamed = leafName(name);
        if (renamed !== null) this.#keys?.post({ type: "introduce", name: renamed });
      },
      setIncomingVideo: (on: boolean) => this.#people.wantVideo(on),
      choosePolicy: (policy: CallView["policy"]) => {
        this.#show({ policy });
        this.#selection.choose(policy);
      },
      inviteLink: () => this.#link.address(callPath),
      shows: (id, shown) => this.#people.peers.get(id)?.media.show(shown),
      repair: () => this.#media.repair([...this.#people.peers.values()].map(({ media }) => media)),
      leave: () => this.#leave(),
    } satisfies Partial<CallActions>;
  }

  /** The lobby: nothing is sent anywhere. Workers start here, so that joining finds them warm. */
  async prepare(fragment: string): Promise<void> {
    const lacks = await lacking();
    if (this.#media.life.isOver) return;
    if (lacks.length > 0) {
      this.#show({ lacks });
      return this.#refuse("browser-unsupported");
    }
    const options = { store: new PinStore(), nameless: this.#nameless, changed: () => this.#showRoster() };
    const secret = await this.#link.recall(fragment);
    const [link, known] = await Promise.all([parseLink(this.#room, secret), KnownPeers.open(options)]);
    if (this.#media.life.isOver) return;
    if (!link.ok) return this.#refuse("link-damaged");
    this.#known = known;
    this.#link.set(secret);
    this.#show({ layers: link.layers });
    await this.#start(link.secret, link.layers);
    this.#prepared.resolve();
  }

  measurable(): Measurable | null {
    return this.#media.measurable();
  }

  close(): void {
    void this.#recordings.own.stop();
    this.#media.life.end();
  }

  async #start(secret: Uint8Array, layers: LayerCount): Promise<void> {
    const keys = new KeyAgreement(spawnKeys, this.#fromKeys);
    this.#keys = keys;
    this.#media.life.bind(() => keys.close());
    this.#media.start(layers);
    void this.#devices.open();
    const host = location.host.toLowerCase();
    keys.post({ type: "start", secret, room: this.#room, layers, seat: await takeSeat(), host });
  }

  /** Joins as soon as the lobby is ready, however early it is asked. */
  #join(name: string): void {
    if (this.store.getState().phase !== "lobby") return;
    this.#show({ phase: "joining", name: leafName(name) ?? this.#nameless });
    void this.#prepared.promise.then(() => this.#enter());
  }

  #enter(): void {
    if (this.#media.life.isOver || !this.#link.isSet || this.store.getState().phase !== "joining") return;
    void this.#link.keep();
    this.#keys?.post({ type: "introduce", name: this.store.getState().name });
    history.replaceState(history.state, "", location.pathname);
    this.#server.open();
    this.#media.audit();
  }

  /** The group in a new epoch. */
  #members(epoch: number, members: readonly GroupMember[]): void {
    const me = members.find((member) => member.me);
    if (me === undefined || this.store.getState().phase === "left") return;
    const isAnother = this.#people.entered(me, members);
    if (isAnother) this.#media.pool?.forgetPolicies();
    if (isAnother) this.#talk.rejoined();
    this.#showRoster();
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
    this.#messages.tellProfile("all");
  }

  /** The page goes: the others and the server hear of it at once. A page that the browser keeps and brings back starts afresh. */
  #unloading(): void {
    this.#eachPeer(({ link }) => link.say("goodbye", new Uint8Array()));
    this.#server.close();
  }

  #leave(): void {
    this.#link.forget();
    void this.#recordings.own.stop();
    this.#captions.close();
    this.#keys?.post({ type: "leave" });
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
