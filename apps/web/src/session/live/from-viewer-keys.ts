import type { FromViewerKeys } from "@sealcast/keys";
import type { MediaSession } from "../media-session.ts";
import type { HostChannel } from "./host-channel.ts";
import type { WatchServer } from "./watch-server.ts";
import type { ViewerProblem } from "./watch-view.ts";

/** One picture and its sound are little work, and each worker takes time to start. */
const WORKERS = 1;

interface FromViewerKeysOptions {
  media: MediaSession;
  server: WatchServer;
  channel: HostChannel;
  refuse(problem: ViewerProblem): void;
}

type ForPage = Exclude<FromViewerKeys, { type: "keep" }>;

/** Gives what a viewer's keys worker says to the part of the page that it is for. */
export function fromViewerKeys({ media, server, channel, refuse }: FromViewerKeysOptions): (event: ForPage) => void {
  return (event) => {
    switch (event.type) {
      case "to-room":
        // The keys worker has begun to ask: until the host answers there is time for another one to start.
        if (event.message.type !== "watch" && media.pool === null) media.start(1, WORKERS);
        return server.tell(event.message);
      case "waiting":
        return channel.waits();
      case "watching":
        media.ice.admitted();
        return channel.answered(event.stream);
      case "rotated":
        return media.enter(event.rotation);
      case "message":
        return channel.heard(event.body);
      case "ended":
        return channel.ended();
      case "refused":
        return refuse(event.why);
      case "dropped":
        return media.drop(event.what);
    }
  };
}
