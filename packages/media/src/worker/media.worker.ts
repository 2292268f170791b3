import type { KeyNews } from "@sealcast/keys/messages";
import type { FromMedia, ToMedia, TransformOptions } from "../shared/messages.ts";
import { Keyring } from "./keyring.ts";
import { Tally } from "./tally.ts";
import { openTrack, sealTrack } from "./track.ts";

declare const self: DedicatedWorkerGlobalScope;

const keyring = new Keyring();
const tallies = new Map<string, Tally>();

// Registered before anything else runs: an event that comes earlier would be lost, and its track with it.
self.addEventListener("rtctransform", (event) => void run(event.transformer));

self.addEventListener("message", ({ data }: MessageEvent<ToMedia>) => {
  if (data.type === "keys") data.port.onmessage = ({ data: news }: MessageEvent<KeyNews>) => keyring.take(news);
  else if (data.type === "release") tallies.delete(data.id);
  else tell({ type: "report", request: data.request, tracks: [...tallies.values()].map((tally) => tally.report()) });
});

async function run(transformer: RTCRtpScriptTransformer): Promise<void> {
  const options = transformer.options as TransformOptions;
  const tally = new Tally(options.id);
  tallies.set(options.id, tally);
  void announce(options);
  try {
    if (options.side === "seal") await sealTrack(transformer, options, keyring, tally);
    else await openTrack(transformer, options, keyring, tally);
  } catch (error) {
    // A stream that is replaced or whose connection closes ends with InvalidStateError; nothing passes any more.
    if (!(error instanceof DOMException)) throw error;
  }
}

async function announce(options: TransformOptions): Promise<void> {
  if (options.side === "seal") await keyring.sendable();
  tell({ type: "ready", id: options.id });
}

function tell(message: FromMedia): void {
  self.postMessage(message);
}
