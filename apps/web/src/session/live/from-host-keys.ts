import type { FromHostKeys } from "@sealcast/keys";
import type { MediaSession } from "../media-session.ts";
import type { HostServer } from "./host-server.ts";
import type { HostProblem } from "./host-view.ts";
import type { Viewers } from "./viewers.ts";

interface FromHostKeysOptions {
  media: MediaSession;
  server: HostServer;
  viewers: Viewers;
  isLive(): boolean;
  /** The viewers' link: its fragment. */
  linked(fragment: string, is: "first" | "replaced"): void;
  refuse(problem: HostProblem): void;
}

type ForPage = Exclude<FromHostKeys, { type: "keep" }>;

/** Gives what a host's keys worker says to the part of a stream that it is for. */
export function fromHostKeys(stream: FromHostKeysOptions): (event: ForPage) => void {
  const { media, server, viewers } = stream;
  return (event) => {
    switch (event.type) {
      case "hosting":
        return stream.linked(event.fragment, "first");
      case "link":
        return stream.linked(event.fragment, "replaced");
      case "to-room":
        return server.tell(event.message);
      case "viewers":
        return viewers.moved(event.changes);
      case "message":
        return stream.isLive() ? viewers.message(event.from, event.body) : undefined;
      case "rotated":
        return media.enter(event.rotation);
      case "refused":
        return stream.refuse(event.why === "not-host" ? "not-host" : "keys-failed");
      case "dropped":
        return media.drop(event.what);
    }
  };
}
