import { EVERYTHING } from "@sealcast/frame";
import {
  type Alarm,
  type Departed,
  type FromKeys,
  type GroupMember,
  KeyAgreement,
  type Knocker,
  LinkStore,
  laterFragment,
  leafName,
  PinStore,
  parseLink,
  shownName,
  type ToRoom,
} from "@sealcast/keys";
import { type Attachment, MediaPool } from "@sealcast/media";
import { type Fault, type RoomEvent, SignallingClient } from "@sealcast/network";
import type { Voice } from "@sealcast/recording";
import { atMostEvery, systemClock } from "@sealcast/time";
import { createStore, type StoreApi } from "zustand/vanilla";
import { EncryptionAudit, NO_FRAMES, PROOF_EVERY_MS, paused } from "../audit/encryption-audit.ts";
import { Overload } from "../audit/overload.ts";
import { PacketSizeLeakCheck } from "../audit/packet-size-leak-check.ts";
import { Repair } from "../audit/repair.ts";
import { StallDetector } from "../audit/stall-detector.ts";
import { STATEMENT_GAP } from "../budgets.ts";
import type { Captured } from "../devices/local.ts";
import { LocalMedia } from "../devices/local.ts";
import type { Lack } from "../devices/support.ts";
import { lacking } from "../devices/support.ts";
import { toJson } from "../json.ts";
import { callPath } from "../link.ts";
import type { Measurable } from "../measuring/measurable.ts";
import { Timing } from "../measuring/timing.ts";
import { CodecChoice } from "../peer/codec-choice.ts";
import { decodable } from "../peer/codecs.ts";
import { EncodeOnce, packetMs } from "../peer/encode-once.ts";
import { Peer } from "../peer/peer.ts";
import type { Shown } from "../peer/shown.ts";
import { Consent, type RecordingStage } from "../recording/consent.ts";
import { NOT_RECORDING, OwnRecording, type RecordingView } from "../recording/recording.ts";
import { spawnKeys, spawnMedia } from "../workers.ts";
import { type GroupAlarm, suspectsOf } from "./alarms.ts";
import type { CallActions, CallView, LayerCount, Policy, Problem, RoomMode } from "./call-view.ts";
import { fromRoom, toRoom } from "./envelope.ts";
import type { Scanned } from "./known-peers.ts";
import { KnownPeers, type ShownMember } from "./known-peers.ts";
import { MeetingCode } from "./meeting-code.ts";
import { type Announcement, type MemberMessage, type Profile, parseMessage } from "./message.ts";
import type { Person } from "./person.ts";
import { Removals } from "./removals.ts";
import { takeSeat } from "./seat.ts";
import { Selection } from "./selection.ts";

/** A server that has not answered by then is called unreachable. */
const SERVER_WITHIN_MS = 10_000;
/** Whoever leaves says so to the others; they find out anyway. */
const GOODBYE_WITHIN_MS = 1_000;

const NOTHING = new Uint8Array();

const REFUSALS = {
  replaced: "elsewhere",
  removed: "removed",
  "not-admitted": "not-admitted",
  "turned-away": "turned-away",
  "no-identity": "keys-failed",
} as const;

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
  hidesSpeech: boolean;
  /** Shown in a name's place where a member has none. */
  nameless: string;
}

/** Opens the lobby of a call. The caller closes what it opened. */
export function openCall({ secret, ...opening }: Opening): OpenCall {
  const call = new Call(opening);
  void call.prepare(secret);
  return { store: call.store, actions: call, measurable: () => call.measurable(), close: () => call.close() };
}

/**
 * A call, from lobby to leaving. What happens in it, in order:
 * the link is checked and the devices shown (`prepare`); the room is joined (`join`); the keys worker and the server
 * speak through this page without it seeing a key (`#fromRoom`, `#fromKeys`); who is in the group shows and becomes a peer
 * (`#members`), peers carry sealed media; and twice a second what the workers did is compared with what the browser sent (`#prove`).
 */
class Call implements CallActions {
  readonly store: StoreApi<CallView>;
  readonly #room: string;
  readonly #nameless: string;
  readonly #local: LocalMedia;
  readonly #peers = new Map<string, Peer>();
  readonly #links = new LinkStore();
  readonly #encoding = new EncodeOnce(() => this.#spread());
  readonly #codecs = new CodecChoice(systemClock, () => this.#pickCodec());
  readonly #missing = new StallDetector();
  readonly #removals = new Removals();
  readonly #consent = new Consent();
  readonly #recording: OwnRecording;
  /** What this page says of recordings has changed. */
  readonly #speakOfRecordings = atMostEvery(systemClock, STATEMENT_GAP, () => {
    for (const peer of this.#peers.values()) this.#sayOfRecordings(peer);
  });
  readonly #overload = new Overload();
  /** Tracks of which nothing comes though they are sent. */
  #quiet: Attachment[] = [];
  readonly #speech = new PacketSizeLeakCheck();
  readonly #prepared = Promise.withResolvers<void>();
  #secret: string | null = null;
  #started: {
    keys: KeyAgreement;
    known: KnownPeers;
    pool: MediaPool;
    proof: EncryptionAudit;
    repair: Repair;
    selection: Selection;
    timing: Timing;
  } | null = null;
  #signalling: SignallingClient | null = null;
  #iceServers: RTCIceServer[] = [];
  #me: GroupMember | null = null;
  /** The keys worker's, as it last told. */
  #roster: readonly GroupMember[] = [];
  #knockers: readonly Knocker[] = [];
  #alarms: Alarm[] = [];
  readonly #meetingCode = new MeetingCode((identities) =>
    this.#started?.keys.post({ type: "compare-meeting", identities, room: this.#room }),
  );
  #proving = false;
  #profileVersion = 0;
  #timers: ReturnType<typeof setInterval>[] = [];
  #closed = false;

  constructor({ room, hidesSpeech, nameless }: Omit<Opening, "secret">) {
    this.#room = room;
    this.#nameless = nameless;
    this.#local = new LocalMedia(() => this.#localChanged());
    this.store = createStore<CallView>(() => ({ ...firstView(this.#local), hidesSpeech }));
    const scene = {
      voices: () => this.#voices(),
      stage: (stage: RecordingStage | null) => this.#recordingIs(stage),
      changed: (recording: RecordingView) => this.#show({ recording }),
    };
    this.#recording = new OwnRecording(scene, () => import("../recording/recording-parts.ts"));
    navigator.mediaDevices?.addEventListener("devicechange", this.#listDevices);
    globalThis.addEventListener("online", this.#networkChanged);
    globalThis.addEventListener("pagehide", this.#unloading);
  }

  /** The lobby: nothing is sent anywhere. Workers start here, so that joining finds them warm. */
  async prepare(fragment: string): Promise<void> {
    const lacks = await lacking();
    if (this.#closed) return;
    if (lacks.length > 0) return this.#unsupported(lacks);
    const secret = fragment === "" ? await this.#links.recall(this.#room) : fragment;
    const options = { store: new PinStore(), nameless: this.#nameless, changed: () => this.#showRoster() };
    const [link, known] = await Promise.all([parseLink(this.#room, secret ?? ""), KnownPeers.open(options)]);
    if (this.#closed) return;
    if (!link.ok) return this.#refuse("link-damaged");
    this.#secret = secret;
    this.#show({ layers: link.layers });
    await this.#start(link.secret, link.layers, known);
    this.#prepared.resolve();
  }

  /** Joins as soon as the lobby is ready, however early it is asked. */
  join(name: string): void {
    const { phase, me } = this.store.getState();
    if (phase !== "lobby") return;
    this.#show({ phase: "joining", me: { ...me, name: leafName(name) ?? this.#nameless } });
    void this.#prepared.promise.then(() => this.#enter());
  }

  rename(name: string): void {
    const renamed = leafName(name);
    if (renamed !== null) this.#started?.keys.post({ type: "introduce", name: renamed });
  }

  #enter(): void {
    if (this.#closed || this.#secret === null || this.store.getState().phase !== "joining") return;
    void this.#links.keep(this.#room, this.#secret);
    this.#started?.keys.post({ type: "introduce", name: this.store.getState().me.name });
    history.replaceState(history.state, "", location.pathname);
    const url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/signal`;
    this.#signalling = new SignallingClient(url, {
      challenge: (nonce) => this.#started?.keys.post({ type: "room", event: { type: "challenge", nonce } }),
      event: (event) => this.#fromRoom(event),
      status: (signalling) => this.#signalled(signalling),
      alive: () => this.#started?.keys.post({ type: "alive" }),
      unreadable: () => this.#started?.proof.drop("unreadable"),
      fault: (fault) => this.#faulted(fault),
    });
    this.#timers.push(setInterval(() => void this.#prove(), PROOF_EVERY_MS));
    this.#timers.push(setTimeout(() => this.#stillJoining(), SERVER_WITHIN_MS));
  }

  #signalled(signalling: CallView["signalling"]): void {
    this.#show({ signalling });
    if (signalling === "reconnecting") this.#started?.keys.post({ type: "disconnected" });
  }

  setCamera(on: boolean): void {
    void this.#local.set("camera", on);
  }

  setMicrophone(on: boolean): void {
    void this.#local.set("microphone", on);
  }

  choose(kind: "camera" | "microphone" | "speaker", deviceId: string): void {
    void this.#local.choose(kind, deviceId);
  }

  hideSpeech(on: boolean): void {
    this.#show({ hidesSpeech: on, speechShows: false });
    for (const { link } of this.#peers.values()) link.renegotiate();
  }

  share(on: boolean): void {
    void this.#local.share(on);
  }

  remove(id: string): void {
    const peer = this.#peers.get(id);
    if (peer !== undefined) this.#started?.keys.post({ type: "remove", identity: peer.member.identity });
  }

  setMode(mode: RoomMode): void {
    this.#started?.keys.post({ type: "mode", mode });
  }

  makeHost(id: string): void {
    const identity = this.#peers.get(id)?.member.identity;
    const { hosts } = this.store.getState().rules;
    if (identity !== undefined) this.#setHosts([...hosts.filter((host) => host !== identity), identity]);
  }

  stopHosting(): void {
    const { hosts } = this.store.getState().rules;
    this.#setHosts(hosts.filter((host) => host !== this.#me?.identity));
  }

  #setHosts(identities: readonly string[]): void {
    if (identities.length > 0) this.#started?.keys.post({ type: "hosts", identities });
  }

  answer(seat: string, yes: boolean): void {
    this.#started?.keys.post({ type: "admit", seat, yes });
  }

  compare(): void {
    const { keys, known } = this.#started ?? {};
    const identities = [...this.#peers.values()].map(({ member }) => member.identity);
    for (const identity of known?.unasked(identities) ?? []) keys?.post({ type: "compare", identity });
  }

  showMeetingCode(on: boolean): void {
    this.#meetingCode.show(on);
  }

  verify(id: string, verified: boolean): void {
    const peer = this.#peers.get(id);
    if (peer !== undefined) this.#started?.known.verify(peer.member, verified);
  }

  remember(id: string): void {
    const peer = this.#peers.get(id);
    if (peer !== undefined) this.#started?.known.remember(peer.member);
  }

  scanned(id: string, text: string): Scanned {
    const peer = this.#peers.get(id);
    return (peer && this.#started?.known.scanned(peer.member, text)) ?? "foreign";
  }

  async lendCamera(deviceId: string): Promise<Captured> {
    const captured = await this.#local.lend(deviceId);
    // With the first permission cameras get their names.
    await this.#listDevices();
    return captured;
  }

  choosePolicy(policy: Policy): void {
    this.#show({ policy });
    this.#started?.selection.choose(policy);
  }

  record(title: string): void {
    if (this.store.getState().phase === "in-call") void this.#recording.start(title);
  }

  pauseRecording(on: boolean): void {
    this.#recording.pause(on);
  }

  stopRecording(): void {
    void this.#recording.stop();
  }

  dismissRecording(): void {
    this.#recording.dismiss();
  }

  answerRecording(id: string, yes: boolean): void {
    const peer = this.#peers.get(id);
    if (peer === undefined) return;
    this.#consent.answer(peer.member.identity, yes);
    this.#speakOfRecordings();
    this.#showPeople();
  }

  putOffRecordings(): void {
    this.#consent.putOff();
    this.#showPeople();
  }

  inviteLink(): string {
    return this.#secret === null ? "" : location.origin + callPath(this.#room, this.#secret);
  }

  measurable(): Measurable | null {
    if (this.#started === null) return null;
    const { pool, timing } = this.#started;
    return { pool, timing, peers: () => this.#linked, encryption: () => this.store.getState().encryption };
  }

  shows(id: string, shown: Shown): void {
    this.#peers.get(id)?.show(shown);
  }

  repair(): void {
    this.#started?.repair.all([...this.#peers.values()]);
  }

  leave(): void {
    void this.#links.forget(this.#room);
    void this.#recording.stop();
    this.#started?.keys.post({ type: "leave" });
    this.#show({ phase: "left", people: [] });
    // What comes after this, a safety code say, calls nobody again.
    this.#roster = [];
    this.#local.close();
    this.#hangUp(() => true);
    this.#timers.push(setTimeout(() => this.close(), GOODBYE_WITHIN_MS));
  }

  close(): void {
    this.#closed = true;
    void this.#recording.stop();
    this.#codecs.close();
    for (const timer of this.#timers) clearInterval(timer);
    navigator.mediaDevices?.removeEventListener("devicechange", this.#listDevices);
    globalThis.removeEventListener("online", this.#networkChanged);
    globalThis.removeEventListener("pagehide", this.#unloading);
    this.#hangUp(() => true);
    this.#local.close();
    this.#signalling?.close();
    this.#started?.keys.close();
    this.#started?.pool.close();
  }

  async #start(secret: Uint8Array, layers: LayerCount, known: KnownPeers): Promise<void> {
    const keys = new KeyAgreement(spawnKeys, (event) => this.#fromKeys(event));
    const pool = new MediaPool(
      () => spawnMedia(layers),
      (port) => keys.post({ type: "media", port }),
      {
        replaced: () => this.#show({ healed: { what: "worker", who: "" } }),
        fanOutFailed: () => this.#encoding.fail(),
      },
    );
    const repair = new Repair({
      rejoin: () => keys.post({ type: "rejoin" }),
      healed: (healed) => this.#show({ healed }),
    });
    const selection = new Selection(pool, (announcement, receipt) => this.#tell("all", announcement, receipt));
    this.#started = {
      keys,
      known,
      pool,
      proof: new EncryptionAudit(pool),
      repair,
      selection,
      timing: new Timing(pool),
    };
    void this.#openDevices();
    const host = location.host.toLowerCase();
    keys.post({ type: "start", secret, room: this.#room, layers, seat: await takeSeat(), host });
  }

  async #openDevices(): Promise<void> {
    await Promise.all([this.#local.set("camera", true), this.#local.set("microphone", true)]);
    await this.#listDevices();
  }

  #fromRoom(event: RoomEvent): void {
    if (event.type === "joined" && event.stunPort !== null)
      this.#iceServers = [{ urls: `stun:${location.hostname}:${event.stunPort}` }];
    this.#started?.keys.post({ type: "room", event: fromRoom(event) });
  }

  #fromKeys(event: FromKeys): void {
    switch (event.type) {
      case "to-room":
        return this.#toServer(event.message);
      case "members":
        this.#show({ rules: event.rules });
        this.#noteRemoved(event.departed);
        this.#members(event.epoch, event.members);
        return this.#hold();
      case "removal":
        this.#removals[event.is](event.identity);
        this.#announceRemovals();
        return this.#hold();
      case "knockers":
        this.#knockers = event.knockers;
        return this.#showKnockers();
      case "answered":
        return this.#show({ answer: event.is });
      case "link":
        return void this.#replaceLink(event.secret);
      case "message":
        return this.#message(event.from, event.body);
      case "heartbeat":
        for (const { link } of this.#peers.values()) link.say("heartbeat", event.body);
        this.#repeatStatements();
        return this.#announceRemovals();
      case "peer-commit":
        this.#peers.get(event.to)?.link.say("commit", event.body);
        return;
      case "alarms":
        this.#alarms = event.alarms;
        this.#hold();
        return this.#showPeople();
      case "code":
        return this.#started?.known.computed(event.identity, event.code);
      case "meeting-code":
        this.#meetingCode.computed(event.identities, event.digits);
        return this.#showPeople();
      case "delivered":
        return this.#started?.selection.delivered(event.receipt);
      case "refused":
        return this.#refuse(REFUSALS[event.why]);
      case "left":
        return this.close();
      case "dropped":
        return this.#started?.proof.drop(event.what);
      case "noted":
        return;
    }
  }

  #toServer(message: ToRoom): void {
    if (message.type === "join") this.#signalling?.join(message);
    else this.#signalling?.send(toRoom(message));
  }

  /**
   * Nothing is sent to members who are in another group, who say that they have a change and do not supply it, or whom a
   * host is removing.
   */
  #hold(): void {
    const suspects = suspectsOf(this.#alarms);
    const { rules, removing } = this.store.getState();
    const underWay = this.#removals.underWay(rules, performance.now());
    if (underWay.join() !== removing.join()) this.#show({ removing: underWay });
    for (const [leafKeyId, peer] of this.#peers)
      void peer.hold(suspects.has(leafKeyId) || underWay.includes(peer.member.identity));
  }

  #announceRemovals(): void {
    const { announcement } = this.#removals;
    if (announcement === null || !this.store.getState().rules.host) return;
    for (const { link } of this.#peers.values()) link.say("removing", announcement);
  }

  #noteRemoved(departed: readonly Departed[]): void {
    const removed = departed.flatMap(({ by, member }) => (by === "removal" ? [member.leafKeyId] : []));
    if (removed.length > 0) this.#show({ removed: [...this.store.getState().removed, ...removed] });
  }

  /** The group changed: members who left are gone from the screen, those who came are on it and are called. */
  #members(epoch: number, members: readonly GroupMember[]): void {
    const me = members.find((member) => member.me);
    if (me === undefined || this.store.getState().phase === "left") return;
    if (this.#me?.leafKeyId !== me.leafKeyId) this.#startAnew();
    this.#me = me;
    this.#roster = members;
    const present = new Set(members.map((member) => member.leafKeyId));
    this.#hangUp((peer) => !present.has(peer.member.leafKeyId));
    this.#showRoster();
    this.#pickCodec();
    this.#started?.selection.entered(epoch);
    this.#meetingCode.enter(members.map(({ identity }) => identity));
    const { me: own, encryption } = this.store.getState();
    const name = shownName(me.name) || this.#nameless;
    this.#show({ phase: "in-call", me: { ...own, name }, encryption: { ...encryption, epoch } });
  }

  /** Every leaf of the group but this one's shows, and is called then: what anybody sends makes no difference. */
  #showRoster(): void {
    const me = this.#me;
    if (this.#started === null || me === null) return;
    for (const shown of this.#started.known.show(this.#roster)) {
      const peer = this.#peers.get(shown.member.leafKeyId);
      if (peer === undefined) this.#meet(shown, me);
      else peer.shown = shown;
    }
    this.#hold();
    this.#showPeople();
    this.#showKnockers();
  }

  #showKnockers(): void {
    const known = this.#started?.known;
    if (known) this.#show({ knockers: this.#knockers.map((knocker) => known.knocking(knocker, this.#roster)) });
  }

  /** This member is another one to everybody: it has just joined, or joined afresh. */
  #startAnew(): void {
    this.#hangUp(() => true);
    this.#started?.pool.forgetPolicies();
  }

  /** From now on this is the link that admits: to be copied, and to come back with after a reload. */
  async #replaceLink(secret: Uint8Array): Promise<void> {
    this.#secret = await laterFragment(this.#room, this.store.getState().layers, secret);
    await this.#links.keep(this.#room, this.#secret);
  }

  #meet(shown: ShownMember, me: GroupMember): void {
    if (this.#started === null) return;
    const { pool, keys, timing } = this.#started;
    const { member } = shown;
    const peer = new Peer(shown, me, {
      iceServers: this.#iceServers,
      pool,
      local: this.#local,
      sound: () => ({
        packetMs: packetMs(this.#peers.size),
        transmission: this.store.getState().hidesSpeech ? "constant" : "discontinuous",
      }),
      signal: (signal) => this.#tell(member.leafKeyId, signal),
      reachable: (up) => keys.post({ type: "reachable", leaf: member.leaf, up }),
      opened: () => this.#sayOfRecordings(peer),
      goodbye: () => {
        this.#consent.forget(member.leafKeyId);
        keys.post({ type: "goodbye", leafKeyId: member.leafKeyId });
      },
      heard: (kind, body) => {
        if (kind === "heartbeat") keys.post({ type: kind, from: member.leafKeyId, body });
        if (kind === "commit") keys.post({ type: "peer-commit", from: member.leafKeyId, body });
        if (kind === "timing") timing.heard(peer, body);
        if (kind === "removing") this.#heardRemovals(member.identity, body);
        if (kind === "recording") this.#heardOfRecordings(peer, body);
      },
      breached: (breach) => {
        this.#consent.forget(member.leafKeyId);
        this.#started?.proof.drop(breach);
        this.#spread();
      },
      addressRefused: () => this.#started?.proof.drop("address"),
      changed: () => this.#showPeople(),
    });
    this.#peers.set(member.leafKeyId, peer);
    this.#tell(member.leafKeyId, this.#profile());
  }

  #heardRemovals(from: string, body: Uint8Array): void {
    this.#removals.heard(from, body, performance.now());
    this.#hold();
  }

  /** Everybody is told before a stage begins. */
  #recordingIs(stage: RecordingStage | null): void {
    if (stage === "asked") this.#consent.begin();
    else if (stage === null) this.#consent.end();
    else this.#consent.proceed(stage);
    this.#speakOfRecordings();
    this.#showPeople();
  }

  #sayOfRecordings({ member, link }: Peer): void {
    link.say("recording", this.#consent.statementTo(member).body);
  }

  /** What is said counts for a while, and what was lost is made good. */
  #repeatStatements(): void {
    for (const peer of this.#peers.values())
      if (!this.#consent.statementTo(peer.member).isNothing) this.#sayOfRecordings(peer);
  }

  #heardOfRecordings({ member }: Peer, body: Uint8Array): void {
    this.#consent.heard(member, body, performance.now());
    this.#showPeople();
  }

  /** This person, and of the others those who say yes at present. */
  #voices(): Voice[] {
    const { name } = this.store.getState().me;
    const own = { id: "me", name, video: this.#local.track("camera"), audio: this.#local.track("microphone") };
    const screen = this.#local.track("screen-picture");
    const shared = screen === null ? [] : [{ id: "me screen", name, video: screen, audio: null }];
    const others = [...this.#peers.values()].filter(({ member }) => this.#consent.includes(member.leafKeyId));
    return [own, ...shared, ...others.flatMap(({ voices }) => voices)];
  }

  /** Those with a connection, or one that is being made. */
  get #linked(): Peer[] {
    return [...this.#peers.values()].filter(({ state }) => state !== "away" && state !== "closed");
  }

  #hangUp(which: (peer: Peer) => boolean): void {
    for (const [leafKeyId, peer] of this.#peers) {
      if (!which(peer)) continue;
      peer.close();
      this.#consent.forget(leafKeyId);
      this.#peers.delete(leafKeyId);
    }
  }

  #message(from: GroupMember, body: Uint8Array): void {
    const peer = this.#peers.get(from.leafKeyId);
    if (!peer?.takesMessage()) return;
    const message = parseMessage(body);
    if (message === null) return;
    if (message.type === "profile") {
      peer.profiled(message);
      this.#pickCodec();
    } else if (message.type === "policy") this.#announced(from, message);
    else peer.link.receive(message);
  }

  /** Of an epoch that is still to come, nobody can speak: it begins with everything sealed. */
  #announced({ leaf }: GroupMember, { source, epoch, policy }: Announcement): void {
    const now = this.store.getState().encryption.epoch;
    if (now !== null && epoch <= now) this.#started?.pool.announced({ leaf, source, epoch, policy });
  }

  /** One codec for the whole call, so that one encoder can serve everybody who decodes it. */
  #pickCodec(): void {
    const said = [...this.#peers].map(([id, { decodes }]) => [id, decodes] as const);
    const codecs = this.#codecs.choose(decodable(), new Map(said));
    const { shared } = this.#codecs;
    if (shared !== null) for (const fanOut of Object.values(this.#started?.pool.fanOuts ?? {})) fanOut.encodeAs(shared);
    for (const [id, codec] of codecs) void this.#peers.get(id)?.encodeAs(codec);
    this.#spread();
  }

  /** With the third person, one encoder takes over from those of the links; with the third last to go, they take over again. */
  #spread(): void {
    const { shared } = this.#codecs;
    const peers = [...this.#peers.values()];
    const served = this.#linked.filter(({ codec }) => shared !== null && codec === shared);
    const once = shared !== null && this.#encoding.isOnce(served.length, shared);
    for (const peer of peers) void peer.encodeOnce(once && served.includes(peer));
  }

  #tell(to: string, message: MemberMessage, receipt?: number): void {
    const body = toJson(message);
    this.#started?.keys.post({ type: "send", to, body, ...(receipt !== undefined && { receipt }) });
  }

  #profile(): Profile {
    const { camera, microphone, screen } = this.store.getState().me;
    const version = this.#profileVersion++;
    const on = { camera: camera.on, microphone: microphone.on, screen };
    return { type: "profile", version, ...on, decodes: decodable() };
  }

  /** A device went on or off, or another one was chosen. */
  #localChanged(): void {
    const { camera, microphone, screen, picture, sound, chosen } = this.#local.view;
    const { me, phase } = this.store.getState();
    this.#show({ me: { name: me.name, picture, sound, camera, microphone, screen }, chosen });
    this.#started?.pool.fanOuts.camera.show(this.#local.track("camera"));
    this.#started?.pool.fanOuts["screen-picture"].show(this.#local.track("screen-picture"));
    this.#recording.follow();
    if (phase !== "in-call") return;
    for (const peer of this.#peers.values()) void peer.refresh();
    this.#tell("all", this.#profile());
  }

  readonly #listDevices = async (): Promise<void> => {
    const all = await navigator.mediaDevices.enumerateDevices();
    const of = (kind: MediaDeviceKind) => all.filter((device) => device.kind === kind && device.deviceId !== "");
    this.#show({
      devices: { cameras: of("videoinput"), microphones: of("audioinput"), speakers: of("audiooutput") },
    });
  };

  readonly #networkChanged = (): void => {
    for (const peer of this.#peers.values()) peer.link.restart();
  };

  /** The page goes: the others and the server hear of it at once. A page that the browser keeps and brings back starts afresh. */
  readonly #unloading = (): void => {
    for (const { link } of this.#peers.values()) link.say("goodbye", NOTHING);
    this.#signalling?.close();
  };

  async #prove(): Promise<void> {
    if (this.store.getState().phase !== "in-call" || this.#started === null) return;
    if (this.#consent.expire(performance.now())) this.#showPeople();
    const { proof, repair } = this.#started;
    if (this.#proving) return;
    this.#proving = true;
    const { samples, fanOuts } = await proof.sample(this.#linked).finally(() => {
      this.#proving = false;
    });
    const { encryption, phase, hidesSpeech } = this.store.getState();
    if (phase !== "in-call") return;
    this.#hold();
    this.#show({ speechShows: hidesSpeech && this.#speech.shows(samples) });
    this.#show({ encryption: proof.judge(samples, fanOuts, encryption.epoch), paused: paused(samples, fanOuts) });
    this.#show({ overloaded: this.#overload.examine({ samples, fanOuts }) });
    repair.examine(samples, this.#me?.leaf ?? 0);
    const quiet = this.#missing.examine(
      samples,
      [...this.#peers.values()].flatMap((peer) => peer.due),
    );
    const isNews = quiet.length !== this.#quiet.length || quiet.some((track) => !this.#quiet.includes(track));
    this.#quiet = quiet;
    if (isNews) this.#showPeople();
  }

  #stillJoining(): void {
    if (this.store.getState().phase === "joining" && this.store.getState().signalling === "reconnecting")
      this.#refuse("server-unreachable");
  }

  #faulted(fault: Fault): void {
    this.#refuse(fault.code === "room-full" ? "room-full" : "server-unreachable");
  }

  #refuse(problem: Problem): void {
    this.#show({ phase: "refused", problem, people: [] });
    this.close();
  }

  #unsupported(lacks: Lack[]): void {
    this.#show({ lacks });
    this.#refuse("browser-unsupported");
  }

  #showPeople(): void {
    const people = [...this.#peers.values()].map((peer) => this.#personOf(peer));
    const alarms = this.#alarms.flatMap((alarm) => this.#groupAlarm(alarm) ?? []);
    const unable = [...this.#peers.values()].filter(({ codec }) => codec === null).map(({ name }) => name);
    this.#recording.follow();
    this.#show({ people, alarms, unable, meetingCode: this.#meetingCode.view(this.#othersNames()) });
  }

  /** By identity, as people are shown. */
  #othersNames(): Map<string, string> {
    const others = [...this.#peers.values()].filter(({ member }) => member.identity !== this.#me?.identity);
    return new Map(others.map(({ member, name }) => [member.identity, name]));
  }

  /** Somebody's silence shows with them, and is no alarm. */
  #groupAlarm(alarm: Alarm): GroupAlarm | null {
    if (alarm.what === "withheld-here") return { what: alarm.what, who: "" };
    return alarm.what === "silent" ? null : { what: alarm.what, who: this.#peers.get(alarm.leafKeyId)?.name ?? "" };
  }

  #personOf(peer: Peer): Person {
    const { member, ...shown } = peer.shown;
    const isSilent = this.#alarms.some((alarm) => alarm.what === "silent" && alarm.leafKeyId === member.leafKeyId);
    return {
      id: member.leafKeyId,
      identity: member.identity,
      ...shown,
      ...peer.media,
      code: this.#started?.known.code(member.identity) ?? null,
      answering: !isSilent,
      missing: peer.lines.filter(({ received }) => this.#quiet.includes(received)).map(({ kind }) => kind),
      records: this.#consent.of(member.leafKeyId),
      isToAsk: this.#consent.isToAsk(member.leafKeyId),
      answer: this.#consent.answerOf(member.leafKeyId),
    };
  }

  #show(change: Partial<CallView>): void {
    this.store.setState(change);
  }
}

function firstView(local: LocalMedia): CallView {
  const { picture, sound, camera, microphone, screen, chosen } = local.view;
  return {
    phase: "lobby",
    problem: null,
    lacks: [],
    me: { name: "", picture, sound, camera, microphone, screen },
    devices: { cameras: [], microphones: [], speakers: [] },
    chosen,
    hidesSpeech: false,
    speechShows: false,
    people: [],
    rules: { host: false, hosts: [], mode: "open" },
    removing: [],
    removed: [],
    knockers: [],
    answer: null,
    encryption: NO_FRAMES,
    alarms: [],
    meetingCode: { digits: null, people: 1, names: [] },
    overloaded: false,
    paused: [],
    unable: [],
    recording: NOT_RECORDING,
    policy: EVERYTHING,
    layers: 1,
    signalling: "reconnecting",
    healed: null,
  };
}
