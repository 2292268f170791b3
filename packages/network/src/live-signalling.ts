import { isLive, type LiveDown, PROTOCOL_VERSION, type Up } from "@sealcast/protocol";
import { type Fault, ServerSocket } from "./server-socket.ts";

/** What the server says to one of the two sides of a live room. */
type ToHost = Extract<LiveDown, { type: "hosting" | "told" | "viewer" }>;
export type ViewerEvent = Extract<LiveDown, { type: "watching" | "delivered" | "host-is" }>;

interface LiveEvents<Event> {
  /** In the server's order; `hosting` or `watching` first, again after every reconnect. */
  event(event: Event): void;
  status(status: "connected" | "reconnecting"): void;
  /** The server said something that is no message of the protocol; its socket is replaced. */
  unreadable(): void;
  /** The server ends the session; there is no reconnect. */
  fault(fault: Fault): void;
}

/** A live room's way to the signalling server, for either side. What is sent while the socket is down is lost. */
export interface LiveSignalling {
  send(message: Up): void;
  /** Tells the server that this client goes, and closes. Works while a page is unloading. */
  close(): void;
}

/** Opens the host's way. `token` holds the host's place; `load` names this load of the page. */
export function hostRoom(
  url: string,
  { room, token, load }: { room: string; token: string; load: string },
  events: LiveEvents<ToHost>,
): LiveSignalling {
  const socket = new ServerSocket(url, {
    challenge: (nonce) => socket.enter(nonce, { type: "host", version: PROTOCOL_VERSION, room, token, load }),
    message(message) {
      if (isLive(message) && isForHost(message)) events.event(message);
    },
    status: (status) => events.status(status),
    unreadable: () => events.unreadable(),
    fault: (fault) => events.fault(fault),
  });
  return socket;
}

/** Opens a viewer's way. It keeps its place at the server across short drops. */
export function watchRoom(url: string, room: string, events: LiveEvents<ViewerEvent>): LiveSignalling {
  let resume: string | null = null;
  const socket = new ServerSocket(url, {
    challenge: (nonce) => socket.enter(nonce, { type: "watch", version: PROTOCOL_VERSION, room, resume }),
    message(message) {
      if (!isLive(message) || isForHost(message)) return;
      if (message.type === "watching") resume = message.token;
      events.event(message);
    },
    status: (status) => events.status(status),
    unreadable: () => events.unreadable(),
    fault: (fault) => events.fault(fault),
  });
  return socket;
}

function isForHost(message: LiveDown): message is ToHost {
  return message.type === "hosting" || message.type === "told" || message.type === "viewer";
}
