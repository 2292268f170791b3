import type { KeyNews } from "@sealcast/keys/messages";
import type { FromMedia, ToMedia, TransformOptions } from "../shared/messages.ts";
import { atMostEvery } from "./at-most-every.ts";
import { Keyring } from "./keyring.ts";
import { Tally } from "./tally.ts";
import { openTrack, sealTrack } from "./track.ts";

declare const self: DedicatedWorkerGlobalScope;

/** Between two key-frame requests of one track: the answer to the first takes a round trip. */
const KEY_FRAME_GAP_MS = 300;

interface Track {
  tally: Tally;
  /** Asks whoever encodes this track's frames for a key frame. */
  needKeyFrame: () => void;
}

const keyring = new Keyring();
const tracks = new Map<string, Track>();

// Registered before anything else runs: an event that comes earlier would be lost, and its track with it.
self.addEventListener("rtctransform", (event) => void run(event.transformer));

self.addEventListener("message", ({ data }: MessageEvent<ToMedia>) => {
  switch (data.type) {
    case "keys":
      data.port.onmessage = ({ data: news }: MessageEvent<KeyNews>) => keyring.take(news);
      return;
    case "floors":
      return keyring.refuseUpTo(data.floors);
    case "ping":
      return tell({ type: "alive", counters: keyring.counters });
    case "report":
      return tell({ type: "report", request: data.request, tracks: [...tracks.values()].map((t) => t.tally.report()) });
    case "key-frame":
      return tracks.get(data.id)?.needKeyFrame();
    case "release":
      tracks.delete(data.id);
  }
});

async function run(transformer: RTCRtpScriptTransformer): Promise<void> {
  const options = transformer.options as TransformOptions;
  const { id } = options;
  const tally = new Tally(id);
  const ask = options.side === "seal" ? () => tell({ type: "key-frame-needed", id }) : () => request(transformer);
  const needKeyFrame = options.kind === "video" ? atMostEvery(KEY_FRAME_GAP_MS, ask) : () => undefined;
  tracks.set(id, { tally, needKeyFrame });
  void announce(options);
  try {
    if (options.side === "seal") await sealTrack(transformer, options, keyring, tally, needKeyFrame);
    else await openTrack(transformer, options, keyring, tally, needKeyFrame);
  } catch (error) {
    // A stream that is replaced or whose connection closes ends with InvalidStateError; nothing passes any more.
    if (!(error instanceof DOMException)) throw error;
  }
}

/** Rejects where the track has ended or takes no requests: then there is nothing to repair. */
function request(transformer: RTCRtpScriptTransformer): void {
  transformer.sendKeyFrameRequest().catch(() => undefined);
}

async function announce(options: TransformOptions): Promise<void> {
  if (options.side === "seal") await keyring.sendable();
  tell({ type: "ready", id: options.id });
}

function tell(message: FromMedia): void {
  self.postMessage(message);
}
