import {
  type LocalTrack,
  LogLevel,
  type RemoteParticipant,
  type RemoteTrack,
  type RemoteTrackPublication,
  Room,
  RoomEvent,
  setLogLevel,
  Track,
  TrackEvent,
  VideoQuality,
} from "livekit-client";
import { kindOf, type LineSource } from "../signal.ts";
import { RelayEncryption } from "./encryption.ts";
import { type Placeholder, type PlaceholderSize, placeholder } from "./placeholder.ts";

export type RelayState = "connecting" | "connected" | "reconnecting" | "closed";

export interface RelayOptions {
  /** The LiveKit server's, `ws:` or `wss:`. */
  readonly url: string;
  /** For one room, under an identity that says nothing of its owner. */
  readonly token: string;
  /** Ours: without, LiveKit asks public servers. */
  readonly iceServers: RTCIceServer[];
}

export interface RelayEvents {
  /**
   * A sender came to be, again after some reconnects: then the one before is gone. Called before anything can leave: set the
   * sealing transform in this task. What it has is a placeholder; a device's track belongs on it once the transform is ready.
   * `silence`: of sound, what belongs on it when there is no device. Of a sender without a track LiveKit's server hears nothing,
   * takes the connection for lost, and has its client make it again.
   */
  seal(sender: RTCRtpSender, source: LineSource, silence: MediaStreamTrack | null): void;
  /**
   * A track of that identity comes, of those that `follow` asked for: set the opening transform in this task. The relay says
   * who and what it is, which proves nothing: open there only what the group says is that identity's. `mark` ends each frame
   * that the relay makes up itself; empty where it makes none up.
   */
  open(receiver: RTCRtpReceiver, identity: string, source: LineSource, mark: Uint8Array<ArrayBuffer>): void;
  /** The receiver that has this track gets nothing any more. */
  ended(track: MediaStreamTrack): void;
  /** `closed` is said once, no matter who closed it: what follows needs another token. */
  state(state: RelayState): void;
}

/** What of someone's comes. */
export type Followed = "sound" | "all";

const SOURCES = {
  microphone: Track.Source.Microphone,
  camera: Track.Source.Camera,
  "screen-sound": Track.Source.ScreenShareAudio,
  "screen-picture": Track.Source.ScreenShare,
} as const satisfies Record<LineSource, Track.Source>;

interface Published {
  readonly placeholder: Placeholder;
  readonly done: Promise<unknown>;
  /** The relay took it. */
  isTaken: boolean;
}

/** A video that nobody sees comes in its smallest size, so that it is there at once when it is shown. */
const UNSEEN = { width: 1, height: 1 };

/**
 * A connection to a LiveKit server, which passes sealed frames on: one way out for all, and the others' tracks in. It knows no
 * keys and no names; who uses it seals and opens. Two connections, one out and one in: on sections that go both ways Chromium ignores
 * transforms of receivers.
 */
export class RelayConnection {
  readonly #room: Room;
  readonly #events: RelayEvents;
  readonly #encryption: RelayEncryption;
  readonly #published = new Map<LineSource, Published>();
  /** Whose tracks are asked for. */
  readonly #followed = new Map<string, Followed>();
  /** By identity and source: how large it is shown. */
  readonly #sizes = new Map<string, PlaceholderSize | null>();
  #allowed: readonly string[] = [];
  #state: RelayState = "connecting";

  constructor(events: RelayEvents) {
    setLogLevel(LogLevel.silent);
    this.#events = events;
    this.#encryption = new RelayEncryption((sender, track) => this.#created(sender, track));
    this.#room = new Room({
      encryption: { e2eeManager: this.#encryption },
      singlePeerConnection: false,
      adaptiveStream: false,
      dynacast: true,
      stopLocalTrackOnUnpublish: false,
      disconnectOnPageLeave: false,
    });
    this.#room
      .on(RoomEvent.LocalTrackPublished, ({ track }) => track !== undefined && this.#withdrawUnknown(track))
      .on(RoomEvent.TrackPublished, (_, participant) => this.#subscribe(participant))
      .on(RoomEvent.TrackUnpublished, (_, participant) => this.#lessOf(participant))
      .on(RoomEvent.TrackSubscribed, (track, publication, participant) => this.#came(track, publication, participant))
      .on(RoomEvent.TrackUnsubscribed, ({ mediaStreamTrack }) => events.ended(mediaStreamTrack))
      .on(RoomEvent.Reconnecting, () => this.#is("reconnecting"))
      .on(RoomEvent.Reconnected, () => this.#connected())
      .on(RoomEvent.Disconnected, () => this.#is("closed"));
  }

  get state(): RelayState {
    return this.#state;
  }

  /** @throws Where the server cannot be reached or does not let this page in. */
  async connect({ url, token, iceServers }: RelayOptions): Promise<void> {
    // Tracks that are published from here on are said to be encrypted.
    await this.#room.setE2EEEnabled(true);
    const rtcConfig: RTCConfiguration & { encodedInsertableStreams: true } = {
      iceServers,
      // [Note: Nothing without a transform] LiveKit sets it, too; without it a later version of LiveKit could let frames by.
      encodedInsertableStreams: true,
    };
    await this.#room.connect(url, token, { autoSubscribe: false, rtcConfig, maxRetries: 0 }).catch((error: unknown) => {
      this.#is("closed");
      throw error;
    });
    if (this.#state === "closed") throw new Error("The connection was closed.");
    // Until it is told otherwise, LiveKit gives everybody what is published from here on.
    this.allow(this.#allowed);
    this.#connected();
  }

  /**
   * Has a sender made for the source, once. `size`: of its video, the largest. Resolves when the relay takes it.
   *
   * @throws Where the relay does not take it, or closes: then it can be published again.
   */
  async publish(source: LineSource, size: PlaceholderSize): Promise<void> {
    const known = this.#published.get(source);
    if (known !== undefined) return void (await known.done);
    const made = placeholder(kindOf(source), size);
    const done = this.#give(made.track, source);
    const entry = { placeholder: made, done, isTaken: false };
    this.#published.set(source, entry);
    await done.catch((error: unknown) => {
      // Where the connection was closed meanwhile, both are done already.
      if (this.#published.delete(source)) made.close();
      throw error;
    });
    entry.isTaken = true;
  }

  /** From now on that identity's tracks come, or its sound alone, or none does. */
  follow(identity: string, what: Followed | null): void {
    if (this.#followed.get(identity) === (what ?? undefined)) return;
    if (what === null) this.#followed.delete(identity);
    else this.#followed.set(identity, what);
    if (this.#state !== "connected") return;
    const participant = this.#room.remoteParticipants.get(identity);
    if (participant !== undefined) this.#subscribe(participant);
  }

  /** Whom the relay gives what goes out here: these identities, and nobody else. At first nobody. */
  allow(identities: readonly string[]): void {
    this.#allowed = identities;
    const permissions = identities.map((participantIdentity) => ({ participantIdentity, allowAll: true }));
    this.#room.localParticipant.setTrackSubscriptionPermissions(false, permissions);
  }

  /**
   * That video of an identity's is shown so large: the relay sends the size that does for it. 0 by 0: nobody sees it. Null: it
   * is not sent, and goes on with a key frame once there is a size again.
   */
  show(identity: string, source: LineSource, size: PlaceholderSize | null): void {
    const known = this.#sizes.get(nameOf(identity, source));
    if (known !== undefined && known?.width === size?.width && known?.height === size?.height) return;
    this.#sizes.set(nameOf(identity, source), size);
    for (const publication of this.#tracksOf(identity))
      if (sourceOf(publication) === source) this.#size(publication, identity, source);
  }

  close(): void {
    for (const { placeholder } of this.#published.values()) placeholder.close();
    this.#published.clear();
    void this.#room.disconnect(false).catch(() => undefined);
    this.#is("closed");
  }

  #give(track: MediaStreamTrack, source: LineSource): Promise<unknown> {
    return this.#room.localParticipant.publishTrack(track, {
      source: SOURCES[source],
      name: source,
      videoCodec: "vp8",
      backupCodec: false,
      simulcast: source === "camera",
      dtx: source === "microphone",
      red: false,
    });
  }

  #is(state: RelayState): void {
    if (this.#state === "closed" || this.#state === state) return;
    this.#state = state;
    this.#events.state(state);
  }

  #created(sender: RTCRtpSender, track: LocalTrack): void {
    const source = this.#publishedAs(track);
    if (source === undefined) return;
    this.#events.seal(sender, source, kindOf(source) === "audio" ? track.mediaStreamTrack : null);
  }

  #publishedAs({ mediaStreamTrack }: LocalTrack): LineSource | undefined {
    return [...this.#published].find(([, { placeholder }]) => placeholder.track === mediaStreamTrack)?.[0];
  }

  /** LiveKit's client may publish again what was forgotten while it reconnected. Others would take that for the source's track. */
  #withdrawUnknown(track: LocalTrack): void {
    if (this.#publishedAs(track) === undefined)
      void this.#room.localParticipant.unpublishTrack(track).catch(() => undefined);
  }

  #tracksOf(identity: string): RemoteTrackPublication[] {
    return [...(this.#room.remoteParticipants.get(identity)?.trackPublications.values() ?? [])];
  }

  #connected(): void {
    this.#forgetLost();
    this.#is("connected");
    for (const participant of this.#room.remoteParticipants.values()) this.#subscribe(participant);
  }

  /** What LiveKit's client did not get published again on another connection: it tries that once. It can be published again then. */
  #forgetLost(): void {
    for (const [source, { placeholder, isTaken }] of this.#published) {
      if (!isTaken || this.#room.localParticipant.getTrackPublication(SOURCES[source]) !== undefined) continue;
      this.#published.delete(source);
      placeholder.close();
    }
  }

  /** Each track of who goes is said to be gone. */
  #lessOf(participant: RemoteParticipant): void {
    const { identity } = participant;
    if (this.#followed.has(identity) && this.#room.remoteParticipants.has(identity)) this.#subscribe(participant);
  }

  /** Of each source one track at most comes, however many the relay says there are. */
  #subscribe({ identity, trackPublications }: RemoteParticipant): void {
    const all = [...trackPublications.values()];
    const chosen = new Map<LineSource, RemoteTrackPublication>();
    for (const publication of [...all.filter(({ isDesired }) => isDesired), ...all]) {
      const source = sourceOf(publication);
      if (source !== null && !chosen.has(source)) chosen.set(source, publication);
    }
    const followed = this.#followed.get(identity);
    for (const publication of all) {
      const source = sourceOf(publication);
      const isFollowed =
        source !== null && (followed === "all" || (followed === "sound" && kindOf(source) === "audio"));
      const isWanted = isFollowed && chosen.get(source) === publication;
      if (publication.isDesired !== isWanted) publication.setSubscribed(isWanted);
    }
  }

  #came(track: RemoteTrack, publication: RemoteTrackPublication, { identity }: RemoteParticipant): void {
    const source = sourceOf(publication);
    const { receiver } = track;
    if (receiver === undefined || source === null || !this.#followed.has(identity)) return;
    if (track.kind !== Track.Kind[kindOf(source) === "audio" ? "Audio" : "Video"]) return;
    // The server forgets with a subscription what it is to send of it, and LiveKit's client sends it again only where it differs.
    if (this.#sizes.has(nameOf(identity, source)))
      for (const quality of [VideoQuality.LOW, VideoQuality.HIGH]) publication.setVideoQuality(quality);
    this.#size(publication, identity, source);
    plays(track);
    this.#events.open(receiver, identity, source, this.#encryption.mark);
  }

  #size(publication: RemoteTrackPublication, identity: string, source: LineSource): void {
    const size = this.#sizes.get(nameOf(identity, source));
    if (kindOf(source) === "audio" || size === undefined || publication.track === undefined) return;
    publication.setEnabled(size !== null);
    if (size !== null) publication.setVideoDimensions(size.width === 0 ? UNSEEN : size);
  }
}

/** The server's word that a track is muted has LiveKit's client switch it off: what comes would not be seen, nor be missed. */
function plays(track: RemoteTrack): void {
  const switchOn = () => {
    track.mediaStreamTrack.enabled = true;
  };
  track.on(TrackEvent.Muted, switchOn);
  switchOn();
}

function sourceOf({ source }: RemoteTrackPublication): LineSource | null {
  return (Object.keys(SOURCES) as LineSource[]).find((name) => SOURCES[name] === source) ?? null;
}

function nameOf(identity: string, source: LineSource): string {
  return `${source} ${identity}`;
}
