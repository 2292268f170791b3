import { importBaseKey } from "@sealcast/crypto";
import type { KeyUpdate } from "@sealcast/keys/messages";
import { MediaPool } from "@sealcast/media";
import mediaUrl from "@sealcast/media/worker?worker&url";
import { RelayConnection } from "@sealcast/network/relay";
import { ExternalE2EEKeyProvider, type RemoteTrackPublication, Room, RoomEvent, Track } from "livekit-client";
import { identityOf, leafOf, type PictureSize, type RelayTerms } from "./relay.ts";

const EPOCH = 1;

/** Called for each other's picture as it comes. */
type Came = (leaf: number, receiver: RTCRtpReceiver) => void;

/** One end of a call through a relay. */
export interface RelayEnd {
  join(terms: RelayTerms, camera: MediaStreamTrack): Promise<void>;
  show(leaf: number, size: PictureSize): void;
  close(): Promise<void>;
}

export function endOf(terms: RelayTerms, came: Came): RelayEnd {
  return terms.arm === "ours" ? new OurEnd(terms, came) : new LiveKitEnd(terms, came);
}

/** As livekit-client is used without us, in the same settings. */
class LiveKitEnd implements RelayEnd {
  readonly #room: Room;
  readonly #keys: ExternalE2EEKeyProvider | null = null;
  readonly #worker: Worker | null = null;
  readonly #publications = new Map<number, RemoteTrackPublication>();

  constructor({ arm }: RelayTerms, came: Came) {
    if (arm === "LiveKit's encryption") {
      this.#keys = new ExternalE2EEKeyProvider();
      this.#worker = new Worker(new URL("./livekit-encryption.worker.ts", import.meta.url), { type: "module" });
    }
    const encrypted =
      this.#keys && this.#worker ? { encryption: { keyProvider: this.#keys, worker: this.#worker } } : {};
    this.#room = new Room({ ...encrypted, singlePeerConnection: false, adaptiveStream: false, dynacast: true });
    this.#room.on(RoomEvent.TrackSubscribed, ({ receiver }, publication, { identity }) => {
      this.#publications.set(leafOf(identity), publication);
      if (receiver !== undefined) came(leafOf(identity), receiver);
    });
  }

  async join(terms: RelayTerms, camera: MediaStreamTrack): Promise<void> {
    const { url, token, key, simulcast } = terms;
    await this.#keys?.setKey(key.slice().buffer);
    if (this.#keys !== null) await this.#room.setE2EEEnabled(true);
    await this.#room.connect(url, token, { rtcConfig: { iceServers: [] } });
    const source = Track.Source.Camera;
    const { track } = await this.#room.localParticipant.publishTrack(camera, {
      ...{ source, simulcast, videoCodec: "vp8", backupCodec: false },
    });
    await equalise(track?.sender, terms);
  }

  show(leaf: number, size: PictureSize): void {
    this.#publications.get(leaf)?.setVideoDimensions(size);
  }

  async close(): Promise<void> {
    await this.#room.disconnect();
    this.#worker?.terminate();
  }
}

/** The product's connection, its pool and its media worker. */
class OurEnd implements RelayEnd {
  readonly #connection: RelayConnection;
  readonly #pool: MediaPool;
  readonly #sending = Promise.withResolvers<RTCRtpSender>();
  readonly #terms: RelayTerms;
  #camera: MediaStreamTrack | null = null;

  constructor(terms: RelayTerms, came: Came) {
    this.#terms = terms;
    this.#pool = poolOf(terms);
    this.#pool.follow(this.#source, EPOCH, { mode: "everything" });
    this.#connection = new RelayConnection({
      seal: (sender) => void this.#seal(sender),
      open: (receiver, identity, source) => {
        this.#pool.open(receiver, "video", source, leafOf(identity));
        came(leafOf(identity), receiver);
      },
      ended: () => undefined,
      state: () => undefined,
    });
  }

  async join({ url, token, people, leaf, picture }: RelayTerms, camera: MediaStreamTrack): Promise<void> {
    this.#camera = camera;
    const others = Array.from({ length: people }, (_, each) => identityOf(each)).filter((_, each) => each !== leaf);
    for (const other of others) this.#connection.follow(other, "all");
    this.#connection.allow(others);
    await this.#connection.connect({ url, token, iceServers: [] });
    await this.#connection.publish(this.#source, picture);
    await equalise(await this.#sending.promise, this.#terms);
  }

  show(leaf: number, size: PictureSize): void {
    this.#connection.show(identityOf(leaf), this.#source, size);
  }

  async close(): Promise<void> {
    this.#connection.close();
    this.#pool.close();
  }

  /** Of these two the connection sends the one in several sizes, and the other in one. */
  get #source(): "camera" | "screen-picture" {
    return this.#terms.simulcast ? "camera" : "screen-picture";
  }

  async #seal(sender: RTCRtpSender): Promise<void> {
    await this.#pool.seal(sender, "video", this.#source).ready;
    await sender.replaceTrack(this.#camera);
    this.#sending.resolve(sender);
  }
}

/** All arms send alike: a busy machine sends no smaller pictures, and one size alone has the same rate. */
async function equalise(sender: RTCRtpSender | undefined, { simulcast, picture }: RelayTerms): Promise<void> {
  if (sender === undefined) throw new Error("the relay took no picture");
  const parameters = sender.getParameters();
  if (!simulcast)
    for (const encoding of parameters.encodings)
      Object.assign(encoding, {
        maxBitrate: picture.bitsPerSecond,
        maxFramerate: picture.frameRate,
        scaleResolutionDownBy: 1,
      });
  await sender.setParameters({ ...parameters, degradationPreference: "maintain-resolution" });
}

function poolOf({ leaf, people, key }: RelayTerms): MediaPool {
  const leaves = Array.from({ length: people }, (_, each) => each);
  return new MediaPool(
    () => new Worker(mediaUrl, { type: "module" }),
    async (port) => {
      const tell = (update: KeyUpdate) => port.postMessage(update);
      const baseKey = await importBaseKey(key);
      tell({ type: "epoch", id: EPOCH, epoch: EPOCH, leaf, leaves, baseKey, outerKey: null });
      tell({ type: "send", epoch: EPOCH });
    },
    { replaced: () => undefined, fanOutFailed: () => undefined },
    1,
  );
}
