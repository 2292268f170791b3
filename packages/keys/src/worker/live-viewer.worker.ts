import { systemClock } from "@sealcast/time";
import type { ToViewerKeys } from "../shared/live-messages.ts";
import { newViewerKey } from "./live/hpke.ts";
import { LiveViewer } from "./live/viewer.ts";

type Watch = Extract<ToViewerKeys, { type: "watch" }>;

serve(self as DedicatedWorkerGlobalScope);

/** Answers the page: one viewer of one stream for the life of the worker. */
function serve(page: DedicatedWorkerGlobalScope): void {
  // Before the page has said what for.
  const pair = newViewerKey();
  let viewer: LiveViewer | null = null;
  const early: Exclude<ToViewerKeys, Watch>[] = [];
  page.onmessage = ({ data }: MessageEvent<ToViewerKeys>) => {
    if (data.type === "watch") {
      viewer ??= openViewer(page, data, pair);
      for (const message of early.splice(0)) void viewer.receive(message);
    } else if (viewer === null) early.push(data);
    else void viewer.receive(data);
  };
}

function openViewer(
  page: DedicatedWorkerGlobalScope,
  { room, secret, host, kept, server }: Watch,
  pair: ReturnType<typeof newViewerKey>,
): LiveViewer {
  return new LiveViewer({
    room,
    link: { secret, host },
    server,
    kept,
    pair,
    clock: systemClock,
    seconds: () => BigInt(Math.floor(Date.now() / 1000)),
    tell: (message) => page.postMessage(message),
  });
}
