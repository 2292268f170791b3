import type { RelayedFrame } from "@sealcast/protocol";
import { milli, systemClock } from "@sealcast/time";
import type { FromPlayerWorker, PlayerFrame, ToPlayerWorker } from "../shared/messages.ts";
import { StreamPlayer } from "./stream-player.ts";

declare const self: DedicatedWorkerGlobalScope;

let player: StreamPlayer | null = null;
/** By track. */
const feeds = new Map<string, MessagePort>();

self.addEventListener("message", ({ data }: MessageEvent<ToPlayerWorker>) => {
  switch (data.type) {
    case "open":
      player ??= StreamPlayer.open(data.outputs, data.mode, (event) => tell({ type: "event", event }));
      return;
    case "configure":
      return player?.configure(data.config);
    case "mode":
      if (player !== null) player.mode = data.mode;
      return;
    case "feed":
      return feed(data.track, data.port);
    case "figures":
      return player === null ? undefined : tell({ type: "figures", figures: player.figures() });
  }
});

function feed(track: PlayerFrame["track"], port: MessagePort): void {
  feeds.get(track)?.close();
  feeds.set(track, port);
  port.onmessage = ({ data }: MessageEvent<RelayedFrame>) =>
    player?.push({ ...data, track, receivedAtMs: milli(systemClock.now()) });
}

function tell(message: FromPlayerWorker): void {
  self.postMessage(message);
}
