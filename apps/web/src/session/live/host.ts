import { LiveHostKeys } from "@sealcast/keys";
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Samples } from "../audit/encryption-audit.ts";
import { Devices, type DevicesChoice } from "../devices/devices.ts";
import { lacking } from "../devices/support.ts";
import { watchPath } from "../link.ts";
import type { Measurable } from "../measuring/measurable.ts";
import { MediaSession } from "../media-session.ts";
import { onNetworkChange } from "../network-change.ts";
import type { MediaPeer } from "../peer/media-peer.ts";
import type { RecordingStage } from "../recording/consent.ts";
import { ownRecording } from "../recording/own-recording.ts";
import type { OwnRecording, RecordingView } from "../recording/recording.ts";
import { GOODBYE_WITHIN } from "../server.ts";
import { spawnHostKeys } from "../workers.ts";
import { About } from "./about.ts";
import { Connections } from "./connections.ts";
import { fromHostKeys } from "./from-host-keys.ts";
import type { PostToHostKeys } from "./host-keys.ts";
import { HostServer } from "./host-server.ts";
import { firstHostView, type HostActions, type HostProblem, type HostView } from "./host-view.ts";
import type { FromHost } from "./messages.ts";
import { OpenedFrom } from "./opened-from.ts";
import { PRESETS, type Quality } from "./preset.ts";
import { Programme } from "./programme.ts";
import { RelayPublishing } from "./relay-publishing.ts";
import { Viewers } from "./viewers.ts";

export interface OpenHost {
  store: StoreApi<HostView>;
  actions: HostActions;
  /** For the dashboard; null before there is something to measure. */
  measurable(): Measurable | null;
  close(): void;
}

interface Opening {
  /** That newLivePath made. */
  room: string;
  /** What a viewer is called. */
  name: (number: number) => string;
  choice: DevicesChoice;
  hidesAddress: boolean;
}

/** Opens the host's page. The caller closes it. */
export function openHost(opening: Opening): OpenHost {
  const host = new Host(opening);
  void host.prepare();
  return { store: host.store, actions: host.actions, measurable: () => host.measurable(), close: () => host.close() };
}

/**
 * A live stream at its host, from lobby to end. What happens in it, in order: keys and devices are got ready (`prepare`);
 * the room is opened (`#goLive`); the keys worker admits viewers through this page, which sees no key (`HostServer`,
 * `fromHostKeys`); each gets a connection that carries the sealed and signed picture (`Viewers`, `Connections`, `Programme`).
 */
class Host {
  readonly store: StoreApi<HostView>;
  readonly actions: HostActions;
  readonly #room: string;
  readonly #media: MediaSession;
  readonly #devices: Devices;
  readonly #programme: Programme;
  readonly #connections: Connections;
  readonly #relay: RelayPublishing;
  readonly #viewers: Viewers;
  readonly #about: About;
  readonly #openedFrom = new OpenedFrom();
  readonly #recording: OwnRecording;
  readonly #server: HostServer;
  readonly #fromKeys: ReturnType<typeof fromHostKeys>;
  #stage: RecordingStage | null = null;
  /** Null before the person's browser was found able. */
  #keys: LiveHostKeys | null = null;
  #fragment = "";

  constructor({ room, name, choice, hidesAddress }: Opening) {
    this.#room = room;
    const post: PostToHostKeys = (message) => this.#keys?.post(message);
    const show = (change: Partial<HostView>) => this.store.setState(change);
    const media: MediaSession = new MediaSession({
      hidesAddress,
      show,
      keysPort: (port) => post({ type: "media", port }),
      peers: () => connections.media,
      besides: () => relay.proven,
      timedRelays: () => (relay.proven.length === 0 ? [] : [relay.timed]),
      isAudited: () => this.#isLive,
      sampled: (samples) => this.#sampled(samples),
      ease: (step) => devices.ease(step),
      receivers: () => viewers.receivers,
      leaf: () => 0,
      rejoin: () => undefined,
    });
    const devices = new Devices(media.life, {
      choice,
      show,
      changed: () => programme.devicesChanged(),
      renegotiate: () => this.#eachPeer(({ link }) => link.renegotiate()),
    });
    const programme = new Programme(media.life, {
      show,
      local: () => devices.local,
      changed: () => this.#programmeChanged(),
    });
    const connections: Connections = new Connections({
      media,
      devices,
      programme,
      breached: (viewer, breach) => viewers.breached(viewer, breach),
      changed: (watcher, viewer) => viewers.linked(watcher, viewer),
    });
    const relay: RelayPublishing = new RelayPublishing({
      media,
      ask: () => server.askRelay(),
      sound: () => programme.track("microphone"),
      changed: () => viewers.relayChanged(),
    });
    const viewers: Viewers = new Viewers({
      media,
      connections,
      relay,
      post,
      name,
      show,
      state: () => [programme.sends, this.#recordings(), about.message],
      limit: () => PRESETS[this.store.getState().quality].bitsPerSecond,
    });
    const about = new About({ room, show, changed: () => viewers.tellAll(about.message) });
    const { own, actions } = ownRecording(
      {
        voices: () => [
          { id: "host", name: "", video: programme.track("camera"), audio: programme.track("microphone") },
        ],
        stage: (stage) => this.#recordingIs(stage),
        changed: (recording: RecordingView) => show({ recording }),
      },
      () => this.#isLive,
    );
    const refuse = (problem: HostProblem) => this.#refuse(problem);
    const server: HostServer = new HostServer({
      ...{ media, post, show, refuse },
      isStarting: () => this.store.getState().phase === "starting",
      isWatched: () => connections.media.some(({ state }) => state === "connected"),
      opened: (relays) => {
        relay.reached(relays);
        this.#opened();
      },
      relayGiven: (access) => relay.given(access),
    });
    this.#fromKeys = fromHostKeys({
      ...{ media, server, viewers, refuse },
      isLive: () => this.#isLive,
      linked: (fragment, is) => this.#linked(fragment, is),
    });
    this.#media = media;
    this.#devices = devices;
    this.#programme = programme;
    this.#connections = connections;
    this.#relay = relay;
    this.#viewers = viewers;
    this.#about = about;
    this.#recording = own;
    this.#server = server;
    this.store = createStore<HostView>(() => ({
      ...firstHostView(devices.firstView, programme.firstView),
      ...media.ice.view,
    }));
    const concerns = { ...devices.actions, ...media.ice.actions, ...viewers.actions, ...about.actions };
    this.actions = { ...concerns, ...actions, ...this.#ownActions };
    onNetworkChange(media.life, () => {
      server.wake();
      connections.restart();
    });
    // The page goes: the server is told at once, and viewers wait for the next load.
    media.life.on(globalThis, "pagehide", () => server.close());
  }

  get #ownActions() {
    return {
      goLive: () => this.#goLive(),
      show: (source) => this.#programme.show(source),
      setQuality: (quality) => this.#setQuality(quality),
      letViewersRecord: (on: boolean) => {
        this.#show({ viewersMayRecord: on });
        this.#viewers.tellAll(this.#recordings());
      },
      watchLink: () => (this.#fragment === "" ? "" : location.origin + watchPath(this.#room, this.#fragment)),
      end: () => this.#end(),
    } satisfies Partial<HostActions>;
  }

  /** The lobby: nothing is sent anywhere. */
  async prepare(): Promise<void> {
    const lacks = await lacking();
    if (this.#media.life.isOver) return;
    if (lacks.length > 0) {
      this.#show({ lacks });
      return this.#refuse("browser-unsupported");
    }
    const keys = new LiveHostKeys(spawnHostKeys(), this.#room, this.#fromKeys);
    this.#keys = keys;
    this.#media.life.bind(() => keys.close());
    const { fanOuts } = this.#media.start(1);
    const { camera } = fanOuts;
    camera.sign((batch) => {
      this.#eachPeer((peer) => peer.sign(batch));
      this.#relay.sign(batch);
    });
    this.#tellFloors([]);
    camera.limit(PRESETS[this.store.getState().quality].bitsPerSecond);
    void this.#about.recall();
    await this.#devices.open();
  }

  measurable(): Measurable | null {
    return this.#media.measurable();
  }

  close(): void {
    void this.#recording.stop();
    this.#media.life.end();
  }

  #goLive(): void {
    if (this.store.getState().phase !== "lobby") return;
    this.#show({ phase: "starting" });
    this.#media.audit();
    this.#server.expect();
    this.#enter();
  }

  #setQuality(quality: Quality): void {
    const { bitsPerSecond } = PRESETS[quality];
    this.#show({ quality });
    this.#programme.reshape(quality);
    this.#media.pool?.fanOuts.camera.limit(bitsPerSecond);
    this.#eachPeer((peer) => void peer.limit(bitsPerSecond));
  }

  #end(): void {
    void this.#recording.stop();
    this.#keys?.post({ type: "end" });
    this.#about.live(false);
    this.#connections.close();
    this.#relay.close();
    this.#viewers.clear();
    this.#devices.local.close();
    this.#programme.close();
    this.#show({ phase: "ended", viewers: [], waiting: [] });
    this.#media.life.after(GOODBYE_WITHIN, () => this.close());
  }

  /** Once both the person and the keys are ready. */
  #enter(): void {
    if (this.#fragment !== "" && this.store.getState().phase === "starting") this.#server.open();
  }

  #opened(): void {
    if (this.store.getState().phase !== "starting") return;
    this.#show({ phase: "live" });
    this.#about.live(true);
  }

  #linked(fragment: string, is: "first" | "replaced"): void {
    this.#fragment = fragment;
    if (is === "replaced") return this.#show({ linkReplaced: this.store.getState().linkReplaced + 1 });
    this.#show({ hasLink: true });
    this.#enter();
  }

  #recordingIs(stage: RecordingStage | null): void {
    this.#stage = stage;
    this.#viewers.tellAll(this.#recordings());
  }

  #recordings(): FromHost {
    return { type: "recordings", host: this.#stage, viewersMay: this.store.getState().viewersMayRecord };
  }

  /** Something else is shown, or heard. */
  #programmeChanged(): void {
    this.#media.pool?.fanOuts.camera.show(this.#programme.track("camera"));
    this.#recording.follow();
    this.#relay.refresh();
    this.#eachPeer((peer) => void peer.refresh());
    this.#viewers.tellAll(this.#programme.sends);
  }

  #sampled(samples: Samples): void {
    this.#tellFloors(samples.sealed);
    this.#devices.examine(samples);
    this.#connections.prepareNext();
    this.#relay.examine(samples.fanOuts.now);
    this.#server.leaveIfReplaced();
  }

  /** Anyone who comes now opens little from before. What is sealed for one viewer is none of the others' affair. */
  #tellFloors(sealed: Samples["sealed"]): void {
    const { life, pool } = this.#media;
    if (pool === null) return;
    const floors = [...pool.fanOuts.camera.floors(sealed), pool.publication.floor(sealed)];
    this.#keys?.post({ type: "counters", floors: this.#openedFrom.sealed(life.clock.now(), floors) });
  }

  #refuse(problem: HostProblem): void {
    this.#show({ phase: "refused", problem, viewers: [], waiting: [] });
    this.close();
  }

  get #isLive(): boolean {
    return this.store.getState().phase === "live";
  }

  #eachPeer(act: (peer: MediaPeer) => void): void {
    for (const peer of this.#connections.media) act(peer);
  }

  #show(change: Partial<HostView>): void {
    this.store.setState(change);
  }
}
