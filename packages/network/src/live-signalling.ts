import { isLive, type LiveDown, PROTOCOL_VERSION, type Up } from "@sealcast/protocol";
import type { Clock } from "@sealcast/time";
import { type Fault, type LiveRelayGiven, ServerSocket, type TurnCredentials } from "./server-socket.ts";
import type { DoorAnswer } from "./signalling.ts";

/** What the server says to one of the two sides of a live room. */
type ToHost = Extract<LiveDown, { type: "hosting" | "told" | "viewer" }>;
export type ViewerEvent = Extract<LiveDown, { type: "watching" | "delivered" | "host-is" }>;

interface LiveEvents<Event> {
  /** A new socket is open: answer with `enter`, for this nonce, within 5 s. Otherwise the server closes the socket, and another follows. */
  challenge(nonce: string): void;
  /** In the server's order; `hosting` or `watching` first, again after every reconnect. */
  event(event: Event): void;
  status(status: "connected" | "reconnecting"): void;
  /** What was asked for with `turn`. */
  turn?(credentials: TurnCredentials): void;
  /** What was asked for with `live-relay`. */
  liveRelay?(given: LiveRelayGiven): void;
  /** The server said something that is no message of the protocol; its socket is replaced. */
  unreadable(): void;
  /** The server ended the socket. It is opened again, but for a host after `replaced`: another load of its page goes on. */
  fault(fault: Fault): void;
}

/** Proof that this is the host, and what leads its viewers to it. All texts in base64url. */
interface HostProof {
  /** The challenge that was signed. */
  readonly nonce: string;
  /** Public half of the host's door key: its hash is the room's name. */
  readonly key: string;
  /** By the private half, for role 5 (PROTOCOL.md section 3.5). */
  readonly signature: string;
  /** Names this load of the page. */
  readonly load: string;
  /** The viewers' doors, the present one first. */
  readonly doors: string[];
}

/** A live room's way to the signalling server, for either side. What is sent while the socket is down is lost. */
interface LiveSignalling<Proof> {
  /** Answers the latest challenge. A proof for an earlier one is dropped: its socket is gone. */
  enter(proof: Proof): void;
  send(message: Up): void;
  /** The network changed, or the computer woke up. */
  wake(): void;
  /** Tells the server that this client goes, and closes. Works while a page is unloading. */
  close(): void;
}

/** Opens the host's way. */
export function hostRoom(url: string, events: LiveEvents<ToHost>, clock?: Clock): LiveSignalling<HostProof> {
  const socket = new ServerSocket(
    url,
    {
      ...passing(events),
      message(message) {
        if (isLive(message) && isForHost(message)) events.event(message);
      },
      isFinal: ({ code }) => code === "replaced",
    },
    clock,
  );
  return {
    enter: ({ nonce, key, signature, load, doors }) =>
      socket.enter(nonce, { type: "host", version: PROTOCOL_VERSION, key, signature, load, doors }),
    send: (message) => socket.send(message),
    wake: () => socket.wake(),
    close: () => socket.close(),
  };
}

/** Opens a viewer's way. It keeps its place at the server across short drops. */
export function watchRoom(
  url: string,
  room: string,
  events: LiveEvents<ViewerEvent>,
  clock?: Clock,
): LiveSignalling<DoorAnswer> {
  let resume: string | null = null;
  const socket = new ServerSocket(
    url,
    {
      ...passing(events),
      message(message) {
        if (!isLive(message) || isForHost(message)) return;
        if (message.type === "watching") resume = message.token;
        events.event(message);
      },
      isFinal: () => false,
    },
    clock,
  );
  return {
    enter: ({ nonce, door, signature }) =>
      socket.enter(nonce, { type: "watch", version: PROTOCOL_VERSION, room, door, signature, resume }),
    send: (message) => socket.send(message),
    wake: () => socket.wake(),
    close: () => socket.close(),
  };
}

/** What is the page's affair as it comes. */
function passing(events: Omit<LiveEvents<never>, "event">) {
  return {
    challenge: (nonce: string) => events.challenge(nonce),
    status: (status: "connected" | "reconnecting") => events.status(status),
    turn: (credentials: TurnCredentials) => events.turn?.(credentials),
    liveRelay: (given: LiveRelayGiven) => events.liveRelay?.(given),
    unreadable: () => events.unreadable(),
    fault: (fault: Fault) => events.fault(fault),
  };
}

function isForHost(message: LiveDown): message is ToHost {
  return message.type === "hosting" || message.type === "told" || message.type === "viewer";
}
