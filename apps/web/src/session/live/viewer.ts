import { LiveViewerKeys, parseLiveLink } from "@sealcast/keys";
import type { Size } from "@sealcast/media";
import type { LiveRelayAccess } from "@sealcast/network/live-relay-messages";
import type { Voice } from "@sealcast/recording";
import { milli } from "@sealcast/time";
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Samples } from "../audit/encryption-audit.ts";
import { lacking } from "../devices/support.ts";
import { KeptLink } from "../kept-link.ts";
import { watchPath } from "../link.ts";
import type { Measurable } from "../measuring/measurable.ts";
import { MediaSession } from "../media-session.ts";
import { onNetworkChange } from "../network-change.ts";
import type { MediaPeer } from "../peer/media-peer.ts";
import { SERVER_WITHIN } from "../server.ts";
import { spawnViewerKeys } from "../workers.ts";
import { Absence } from "./absence.ts";
import { Asking } from "./asking.ts";
import { fromViewerKeys } from "./from-viewer-keys.ts";
import { HostChannel } from "./host-channel.ts";
import { HostConnection } from "./host-connection.ts";
import { StreamLatency } from "./latency.ts";
import { isShown, playbackState } from "./playback-state.ts";
import { WatchRecording } from "./watch-recording.ts";
import { WatchServer } from "./watch-server.ts";
import { firstWatchView, type ViewerProblem, type WatchActions, type WatchView } from "./watch-view.ts";

/** For the browser to say which codecs play over relays; until it has, none does. */
const PLAYS_WITHIN = milli(1_000);

type LinkRead = Awaited<ReturnType<typeof parseLiveLink>>;

export interface OpenWatch {
  store: StoreApi<WatchView>;
  actions: WatchActions;
  /** Done when the server is being asked, or never will be. What is drawn before holds that up. */
  begun: Promise<void>;
  /** For the dashboard; null before there is something to measure. */
  measurable(): Measurable | null;
  close(): void;
}

interface Opening {
  room: string;
  /** The link's fragment, "" after a reload. */
  secret: string;
  /** What the host is called. */
  host: string;
  hidesAddress: boolean;
}

/** Opens a live stream for someone who watches. The caller closes what it opened. */
export function openWatch({ secret, ...opening }: Opening): OpenWatch {
  const viewer = new Viewer(opening);
  const begun = viewer.begin(secret);
  return {
    store: viewer.store,
    actions: viewer.actions,
    begun,
    measurable: () => viewer.measurable(),
    close: () => viewer.close(),
  };
}

/**
 * A live stream at one who watches. What happens in it, in order: the link is checked and taken out of the address
 * (`begin`); the keys worker asks the host for the keys, through this page and the server, which see none
 * (`WatchServer`, `fromViewerKeys`); the host speaks to this page (`HostChannel`) and makes a connection (`HostConnection`),
 * over which comes what it sealed and signed; how that stands for the person follows from all of this (`playbackState`).
 */
class Viewer {
  readonly store: StoreApi<WatchView>;
  readonly actions: WatchActions;
  readonly #host: string;
  readonly #room: string;
  readonly #link: KeptLink;
  readonly #latency = new StreamLatency();
  readonly #media: MediaSession;
  readonly #connection: HostConnection;
  readonly #server: WatchServer;
  readonly #recording: WatchRecording;
  readonly #keys: LiveViewerKeys;
  readonly #asking: Asking;
  readonly #channel: HostChannel;
  readonly #fromKeys: ReturnType<typeof fromViewerKeys>;
  readonly #absence: Absence;

  constructor({ room, host, hidesAddress }: Omit<Opening, "secret">) {
    this.#room = room;
    this.#link = new KeptLink(room);
    this.#host = host;
    // Before anything is waited for: it takes a while to start.
    const keys = new LiveViewerKeys(spawnViewerKeys(), room, (event) => this.#fromKeys(event));
    this.store = createStore<WatchView>(() => ({ ...firstWatchView(), hidesAddress }));
    const post: LiveViewerKeys["post"] = (message) => keys.post(message);
    const tell: HostChannel["tell"] = (message) => channel.tell(message);
    const show = (change: Partial<WatchView>) => this.#show(change);
    const changed = () => this.#stand();
    const media = new MediaSession({
      hidesAddress,
      show,
      keysPort: (port) => post({ type: "media", port }),
      peers: () => this.#connection.peers,
      besides: () => (this.#connection.relayed === null ? [] : [this.#connection.relayed]),
      timedRelays: () => (this.#connection.relayed === null ? [] : [this.#connection.relayed.timed]),
      isAudited: ([peer]) => !this.#isOver && peer === this.#connection.peers[0],
      sampled: (samples) => this.#sampled(samples),
      ease: () => undefined,
      receivers: () => new Map(),
      leaf: () => 0,
      rejoin: () => this.#tryAgain(),
    });
    const { life } = media;
    const connection = new HostConnection({
      ...{ media, host, show, tell },
      askRelay: () => server.askRelay(),
      unreached: (way) => channel.hello(true, way),
      buffering: () => this.store.getState().buffering,
      changed: () => {
        this.#restore();
        this.#stand();
      },
    });
    const relayGiven = (access: LiveRelayAccess) => connection.relayed?.given(access);
    const server: WatchServer = new WatchServer({
      room,
      media,
      post,
      show,
      hasRelays: (are) => {
        connection.hasRelays = are;
      },
      relayGiven,
      outdated: () => this.#whileOpening("other-version"),
      changed,
    });
    const recording = new WatchRecording({
      show,
      voices: () => this.#voices(),
      staged: (stage) => {
        connection.isRecorded = stage !== null;
        if (channel.isHeard) tell({ type: "records", stage });
      },
    });
    const asking = new Asking({
      ...{ clock: life.clock, tell, show },
      isHeard: () => channel.isHeard,
      dropped: () => media.drop("answers"),
    });
    const channel: HostChannel = new HostChannel({ post, connection, recording, asking, show, changed });
    this.#fromKeys = fromViewerKeys({ media, server, channel, refuse: (problem) => this.#refuse(problem) });
    this.#absence = new Absence(life, (minutesAway) => show({ minutesAway }));
    this.#keys = keys;
    this.#media = media;
    this.#connection = connection;
    this.#server = server;
    this.#recording = recording;
    this.#asking = asking;
    this.#channel = channel;
    this.actions = { ...recording.actions, ...asking.actions, ...this.#ownActions };
    onNetworkChange(life, () => {
      server.wake();
      for (const { link } of connection.peers) link.restart();
    });
    life.on(globalThis, "pagehide", () => server.close());
    life.bind(() => keys.close());
  }

  get #ownActions() {
    return {
      listen: (on: boolean) => this.#listen(on),
      hasPicture: () => {
        if (this.#connection.way === null) return;
        this.#connection.playing.played();
        this.#stand();
      },
      shows: ({ width, height }: Size) => this.#connection.shows({ source: "camera", width, height, keepsRate: false }),
      choose: (buffering: WatchView["buffering"]) => {
        this.#show({ buffering });
        this.#connection.buffer(buffering);
      },
      turnTo: (volume: number) => this.#connection.turnTo(volume),
      tryAgain: () => this.#tryAgain(),
      watchLink: () => this.#link.address(watchPath),
    } satisfies Partial<WatchActions>;
  }

  async begin(fragment: string): Promise<void> {
    const secret = await this.#link.recall(fragment).catch(() => "");
    // Rejects where the browser lacks what it takes to read a link.
    const link = await parseLiveLink(this.#room, secret).catch(() => ({ ok: false, why: "damaged" }) as const);
    if (this.#isOver) return;
    if (link.ok) {
      this.#link.set(secret);
      this.#server.open();
      this.#media.audit();
      this.#media.life.after(SERVER_WITHIN, () => this.#whileOpening("server-unreachable"));
    }
    void this.#makeSure(link);
  }

  async #makeSure(link: LinkRead): Promise<void> {
    const lacks = (await lacking()).filter((lack) => lack !== "devices" && lack !== "locks");
    if (this.#isOver) return;
    if (lacks.length > 0) {
      this.#show({ lacks });
      return this.#refuse("browser-unsupported");
    }
    if (!link.ok) return this.#refuse(link.why === "outdated" ? "link-outdated" : "link-damaged");
    const { life } = this.#media;
    await Promise.race([this.#channel.prepare(), new Promise<void>((late) => life.after(PLAYS_WITHIN, late))]);
    if (this.#isOver) return;
    void this.#keys.watch(link);
    // The link leaves the address once it is kept for the next load.
    await this.#link.keep().catch(() => undefined);
    if (!this.#isOver) history.replaceState(history.state, "", location.pathname);
  }

  measurable(): Measurable | null {
    return this.#media.measurable();
  }

  close(): void {
    void this.#recording.own.stop();
    this.#media.life.end();
  }

  #listen(on: boolean): void {
    if (on === this.#connection.listens) return;
    this.#connection.listen(on);
    this.#recording.own.follow();
    if (this.#channel.isHeard) this.#channel.tell({ type: "listens", listens: on });
  }

  #tryAgain(): void {
    this.#connection.reopen();
    this.#channel.hello(true);
  }

  /** What is played here. */
  #voices(): Voice[] {
    const { stream, standing, picture } = this.store.getState();
    if (standing !== "playing") return [];
    const [video = null] = picture ? stream.getVideoTracks() : [];
    return [{ id: "host", name: this.#asking.host || this.#host, video, audio: this.#connection.sound }];
  }

  /** Signatures were lost with the way, or may have been: what comes now is judged again on a fresh connection. */
  #restore(): void {
    const { way, playing, isExplained } = this.#connection;
    if (way?.state === "connected" && way.verdict !== "signed" && !playing.isSilent && isExplained) this.#tryAgain();
  }

  #sampled(samples: Samples): void {
    this.#connection.examine(samples, { isSent: this.#isSent, isPictureSent: this.#isPictureSent });
    if (this.#peer !== null) this.#show({ latency: this.#latency.of(this.#peer.stats.latest.entries) });
    else if (this.#connection.relayed !== null) this.#show({ latency: this.#connection.relayed.latency });
    this.#restore();
    this.#stand();
  }

  /** Of what plays already, the server's word ends nothing. */
  #whileOpening(problem: ViewerProblem): void {
    if (this.store.getState().standing === "opening") this.#refuse(problem);
  }

  #refuse(problem: ViewerProblem): void {
    if (this.store.getState().problem !== null) return;
    this.#show({ problem, stream: new MediaStream(), canvas: null });
    this.close();
    this.#stand();
  }

  #stand(): void {
    const standing = this.#standing();
    const { verdict = "signed" } = this.#connection.way ?? {};
    this.#show({ standing, isShown: isShown(standing, verdict), videoPaused: this.#videoPaused });
    this.#absence.stands(standing === "away" || standing === "not-started");
    this.#recording.own.follow();
  }

  #standing(): WatchView["standing"] {
    const { problem, refusal } = this.store.getState();
    const { way, playing, isClosed, isExplained } = this.#connection;
    return playbackState({
      isRefused: problem !== null,
      refusal,
      hostIs: this.#server.hostIs,
      hasEnded: this.#channel.hasEnded,
      isClosed,
      isWaiting: this.#channel.isWaiting,
      isFull: this.#channel.isFull,
      connection: this.#channel.isHeard ? way : null,
      isExplained,
      hasPlayed: playing.hasPlayed,
      isSilent: playing.isSilent,
      isSent: this.#isSent,
    });
  }

  /** Whether the host sends anything to this page now. */
  get #isSent(): boolean {
    const isDue = this.#peer?.isDue("camera") ?? true;
    return (this.#isPictureSent && isDue) || (this.store.getState().sound && this.#connection.listens);
  }

  /** Or would, if it were shown here. */
  get #isPictureSent(): boolean {
    return this.store.getState().picture && this.#videoPaused === null;
  }

  get #videoPaused(): WatchView["videoPaused"] {
    return this.#peer?.video.pausedThere ?? null;
  }

  get #peer(): MediaPeer | null {
    return this.#connection.peer;
  }

  get #isOver(): boolean {
    return this.#media.life.isOver;
  }

  #show(change: Partial<WatchView>): void {
    this.store.setState(change);
  }
}
