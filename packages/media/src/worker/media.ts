import type { SignedBatch, Source, VideoSource } from "@sealcast/frame";
import type { KeyUpdate } from "@sealcast/keys/messages";
import { atMostEvery, type Milli, milli, systemClock } from "@sealcast/time";
import { type FanOutOrder, type FanOutWish, KEY_FRAME_GAP } from "../shared/fan-out.ts";
import { LatestBatches } from "../shared/latest-batches.ts";
import type { FromMedia, ToMedia, TransformOptions, Verdict } from "../shared/messages.ts";
import { PICTURE_TRACKS, SOUND_TRACK } from "../shared/publication.ts";
import { FanOutEncoder } from "./fan-out/fan-out-encoder.ts";
import { PublishedSound } from "./published-sound.ts";
import { RelayFeed } from "./relay-feed.ts";
import { Keyring } from "./sealing/keyring.ts";
import type { Layers } from "./sealing/layers.ts";
import { Policies } from "./sealing/policies.ts";
import { Sealer } from "./sealing/sealer.ts";
import { Signer } from "./sealing/signer.ts";
import { Verifier } from "./sealing/verifier.ts";
import { relayedPipe } from "./track/relayed-pipe.ts";
import { openTrack, sealTrack, type TransformedTrack } from "./track/track.ts";
import { TransformStats } from "./track/transform-stats.ts";
import { WorkerLoad } from "./track/worker-load.ts";

declare const self: DedicatedWorkerGlobalScope;

/**
 * What a call's relay passes on comes no later than this after its signature, which comes directly: a word of seconds ago is not played. What
 * relays of streams pass on may be later, where a viewer's connection is slow.
 */
const HELD_BACK = milli(4_000);

/** What the tracks of one worker share. */
interface Shared {
  readonly keyring: Keyring;
  readonly policies: Policies;
  readonly load: WorkerLoad;
  readonly tracks: Map<string, TransformedTrack>;
  /** For tracks that begin later. */
  readonly batches: LatestBatches;
  readonly fanOuts: Map<Source, FanOutEncoder>;
  /** Null: nothing goes to relays. */
  feed: RelayFeed | null;
  publishedSound: PublishedSound | null;
}

/**
 * Runs a media worker. To be called before anything is awaited: an `rtctransform` event that comes earlier would be lost,
 * and its track with it.
 */
export function serve(layers: Layers): void {
  const shared: Shared = {
    keyring: new Keyring(layers),
    policies: new Policies(),
    load: new WorkerLoad(),
    tracks: new Map(),
    batches: new LatestBatches(),
    fanOuts: new Map(),
    feed: null,
    publishedSound: null,
  };
  self.addEventListener("rtctransform", (event) => void run(shared, event.transformer));
  self.addEventListener("message", ({ data }: MessageEvent<ToMedia>) => hear(shared, data));
}

function hear(shared: Shared, message: ToMedia): void {
  const { keyring, policies, load, tracks, fanOuts } = shared;
  switch (message.type) {
    case "keys":
      message.port.onmessage = ({ data }: MessageEvent<KeyUpdate>) => keyring.apply(data);
      return;
    case "floors":
      return keyring.refuseUpTo(message.floors);
    case "ping":
      return tell({ type: "alive", counters: keyring.counters });
    case "report":
      return tell({
        type: "report",
        request: message.request,
        tracks: reported(shared).map((stats) => stats.report()),
        fanOuts: [...fanOuts.values()].map((fanOut) => fanOut.report()),
        sealed: keyring.sealed,
      });
    case "timings":
      load.watch();
      return tell({
        type: "timings",
        request: message.request,
        timings: { ...load.report(), tracks: reported(shared).map((stats) => stats.timings()) },
      });
    case "eavesdrop":
      return tracks.get(message.id)?.stats.eavesdrop(message.port && { port: message.port, tag: keyring.tag });
    case "key-frame":
      return tracks.get(message.id)?.needKeyFrame();
    case "follow":
      return policies.follow(message.source, message.epoch, message.policy);
    case "announced":
      return policies.announced(message);
    case "forget-policies":
      return policies.clear();
    case "signatures":
      return verify(shared, message.signed, milli(systemClock.now() - message.age));
    case "key-frame-comes":
      for (const fanOut of fanOuts.values()) fanOut.keyed(message.id);
      return;
    case "fan-out":
      return order(shared, message.source, message.order);
    case "publish":
      return publish(shared, message.port);
    case "sealed-sound":
      return sealSound(shared, message);
    case "published-sound":
      return shared.publishedSound?.hear(message.sound);
    case "open-relayed":
      return void openRelayed(shared, message);
    case "release":
      tracks.get(message.id)?.stats.eavesdrop(null);
      tracks.get(message.id)?.close?.();
      tracks.delete(message.id);
  }
}

function verify({ tracks, batches }: Shared, signed: SignedBatch, came: Milli): void {
  batches.add(signed, came);
  for (const { verifier } of tracks.values()) void verifier?.take(signed, came);
}

function reported({ tracks, feed }: Shared): TransformStats[] {
  return [...[...tracks.values()].map(({ stats }) => stats), ...(feed?.stats ?? [])];
}

/** From now on what is sealed for relays goes over that port; null: nowhere. */
function publish(shared: Shared, port: MessagePort | null): void {
  shared.feed?.close();
  const starts = (track: string) => {
    if (track === SOUND_TRACK) shared.publishedSound?.restart();
    else shared.fanOuts.get("camera")?.startGroup(PICTURE_TRACKS.indexOf(track));
  };
  shared.feed = port && new RelayFeed(port, shared.load, starts);
}

function sealSound(shared: Shared, { sealer, ended }: Extract<ToMedia, { type: "sealed-sound" }>): void {
  const { keyring, policies } = shared;
  const signer = new Signer(keyring, systemClock, (batch) => tell({ type: "sound-signed", batch }));
  void signer.disown("microphone", ended);
  const stream = { source: "microphone", ...sealer } as const;
  const sealing = new Sealer(keyring, policies, "audio", stream, signer);
  shared.publishedSound = new PublishedSound(sealing, () => shared.feed);
}

/** Frames come from a port, which says nothing of its end: this goes on until the track is released. */
async function openRelayed(shared: Shared, relayed: Extract<ToMedia, { type: "open-relayed" }>): Promise<void> {
  const { options, mimeType, from, to } = relayed;
  const { id, kind } = options;
  const pipe = relayedPipe(kind, mimeType, from, to);
  const stats = new TransformStats(id, shared.load);
  const verifier = verifierFor(shared, options);
  shared.tracks.get(id)?.close?.();
  // The next group starts with a key frame in any case.
  const track = { stats, verifier, signer: null, needKeyFrame: () => undefined, close: pipe.close };
  shared.tracks.set(id, track);
  tell({ type: "ready", id });
  await openTrack(pipe, options, shared, track);
}

function order(shared: Shared, source: VideoSource, order: FanOutOrder): void {
  const { keyring, policies, load, fanOuts } = shared;
  if (order.type !== "start") return fanOuts.get(source)?.hear(order);
  const wish = (wish: FanOutWish) => tell({ type: "fan-out-wishes", source, wish });
  const signer = () => new Signer(keyring, systemClock, (batch) => wish({ type: "signed", batch }));
  const { sealers, signed } = order;
  if (signed !== null) void signer().disown(source, signed.ended);
  const fanOut = new FanOutEncoder(
    source,
    sealers,
    () => signed && signer(),
    { keyring, policies, load, feed: () => (source === "camera" ? shared.feed : null) },
    {
      // Only the page can have Chromium's encoders make one.
      standInKey: (id) => tell({ type: "key-frame-needed", id }),
      tell: wish,
    },
  );
  fanOuts.set(source, fanOut);
}

async function run(shared: Shared, transformer: RTCRtpScriptTransformer): Promise<void> {
  const options = transformer.options as TransformOptions;
  const { id } = options;
  const stats = new TransformStats(id, shared.load);
  const fanOut = () => shared.fanOuts.get(options.source);
  const ask = () => {
    if (options.side === "open") request(transformer);
    else if (!fanOut()?.restart(id)) generate(transformer, id);
  };
  const needKeyFrame = options.kind === "video" ? atMostEvery(systemClock, KEY_FRAME_GAP, ask) : () => undefined;
  const track = { stats, needKeyFrame, signer: signerFor(shared, options), verifier: verifierFor(shared, options) };
  shared.tracks.set(id, track);
  void announce(shared.keyring, options);
  try {
    if (options.side === "seal") await sealTrack(transformer, options, { ...shared, fanOut }, track);
    else await openTrack(transformer, options, shared, track);
  } catch (error) {
    // A stream that is replaced or whose connection closes ends with InvalidStateError; nothing passes any more.
    if (!(error instanceof DOMException)) throw error;
  }
}

function signerFor({ keyring }: Shared, options: TransformOptions): Signer | null {
  if (options.side === "open" || options.signed === null) return null;
  const { id, source, signed } = options;
  const signer = new Signer(keyring, systemClock, (batch) => tell({ type: "signed", id, batch }));
  void signer.disown(source, signed.ended);
  return signer;
}

/** A transform that takes another's place goes on from what that one opened. */
function verifierFor({ keyring, tracks, batches }: Shared, options: TransformOptions): Verifier | null {
  if (options.side === "seal" || options.signed === null) return null;
  const { id, signed } = options;
  const known = tracks.get(id)?.verifier ?? null;
  if (known !== null) return known;
  const judged = (verdict: Verdict) => tell({ type: "verdict", id, verdict });
  const late = options.relay && { late: HELD_BACK };
  const verifier = new Verifier(keyring, options, systemClock, judged, { isForged: signed.forged, ...late });
  for (const { signed, came } of batches.of(options)) void verifier.take(signed, came);
  return verifier;
}

/** Has the encoder make a key frame. Chromium's transformer cannot: there the page asks the sender. */
function generate(transformer: RTCRtpScriptTransformer, id: string): void {
  // Rejects where the track has ended.
  if ("generateKeyFrame" in transformer) transformer.generateKeyFrame().catch(() => undefined);
  else tell({ type: "key-frame-needed", id });
}

/** Rejects where the track has ended or takes no requests: then there is nothing to repair. */
function request(transformer: RTCRtpScriptTransformer): void {
  transformer.sendKeyFrameRequest().catch(() => undefined);
}

async function announce(keyring: Keyring, options: TransformOptions): Promise<void> {
  if (options.side === "seal") await keyring.sendable(options.signed !== null);
  tell({ type: "ready", id: options.id });
}

function tell(message: FromMedia): void {
  self.postMessage(message);
}
