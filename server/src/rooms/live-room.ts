import { createHash } from "node:crypto";
import { type Down, MAX_ASK, MAX_VIEWERS, type Up } from "@sealcast/protocol";
import { type Cancel, type Milli, milli, type Rate, TokenBucket } from "@sealcast/time";
import { livePathOf } from "../relay/live-relays.ts";
import { LivePassHolder } from "./live-pass.ts";
import {
  type AfterJoin,
  type FaultCode,
  REMEMBERED,
  type RoomOptions,
  type RoomSocket,
  type Seat,
  type Sent,
} from "./seat.ts";
import { TurnAsks } from "./turn-asks.ts";

/** From the drop of its socket until a viewer's session is forgotten. */
const AWAY = milli(60_000);
/** Viewers who wait before a host has been here: anybody who knows the room's name can be one. */
const MAX_EARLY = 64;
/** Viewers who came by former doors, and whom the host has not accepted. */
const MAX_FORMER = 256;
/** Between two things that one of those tells the host. */
const FORMER_TELLS_EVERY = milli(10_000);
/** What a viewer tells the host before it is accepted: asks, one in 3 s. */
const ASKS: Rate = { burst: 5, perSecond: 1 };
/** The same of all of them together, in characters: thousands ask after a restart of the server. */
const ALL_ASKS: Rate = { burst: 4_194_304, perSecond: 524_288 };

type HostState = Extract<Down, { type: "watching" }>["host"];
/** Why a client cannot watch. */
export type WatchRefusal = "refused-door" | "room-full";
const UNKNOWN_DOOR = "the host does not know this door";

/** Says why to a socket that gets no seat; null: a call is full. */
export function refuseSeat(why: WatchRefusal | null, socket: Pick<RoomSocket, "fault">): void {
  if (why === "refused-door") socket.fault(why, UNKNOWN_DOOR);
  else socket.fault("room-full", "the room is full");
}

interface Host {
  readonly load: string;
  /** Null while its socket is lost. */
  socket: RoomSocket | null;
  readonly turn: TurnAsks;
  readonly pass: LivePassHolder;
}

interface Viewer {
  readonly id: string;
  readonly token: string;
  readonly door: string;
  /** The host has answered: it may watch, and tell, whatever becomes of its door. */
  isAccepted: boolean;
  toldAt: Milli | null;
  readonly asks: TokenBucket;
  readonly turn: TurnAsks;
  readonly pass: LivePassHolder;
  presence: { readonly is: "here"; readonly socket: RoomSocket } | { readonly is: "away"; readonly stop: Cancel };
}

/**
 * One host and many viewers. The host proves the key that names the room, and says which doors lead its viewers here. The
 * host learns of every viewer; a viewer learns the host's state, and nothing of the others. Nothing is kept for those who
 * are away: what goes between host and viewer is acknowledged and sent again end to end. Rooms own no connections: a `RoomSocket` stands for one.
 */
export class LiveRoom {
  readonly #name: string;
  readonly #options: Omit<RoomOptions, "relay">;
  readonly #expired: () => void;
  readonly #asks: TokenBucket;
  /** The viewers' doors, the present one first. Null while no host has been here. */
  #doors: readonly string[] | null = null;
  #host: Host | null = null;
  #state: HostState = "absent";
  readonly #viewers = new Map<string, Viewer>();
  /** By the hash of its token: how long a look-up takes tells nothing of the tokens there are. */
  readonly #sessions = new Map<string, Viewer>();
  #stopExpiry: Cancel = () => {};

  /** `expired` is called once no socket has been here for a minute, and no session is left. */
  constructor(name: string, options: Omit<RoomOptions, "relay">, expired: () => void) {
    this.#name = name;
    this.#options = options;
    this.#expired = expired;
    this.#asks = new TokenBucket(ALL_ASKS, options.clock);
  }

  /** The host, who has proved its key. Another load of its page replaces the one that is here. */
  host({ load, doors }: Pick<Sent<"host">, "load" | "doors">, socket: RoomSocket): Seat {
    this.#leadHere(doors);
    this.#stopExpiry();
    const known = this.#host;
    if (known?.socket) supersede(known, load);
    if (known?.load !== load) known?.pass.end();
    const host: Host = known?.load === load ? known : { load, socket, ...this.#asksOf() };
    const isBack = host === known && this.#state !== "ended";
    host.socket = socket;
    this.#host = host;
    const viewers = [...this.#viewers.values()].filter(isHere).map(({ id }) => id);
    this.#toHost({ type: "hosting", viewers, ...this.#reach() });
    this.#hostIs("here", isBack ? "back" : "here");
    return this.#hostSeat(host, socket);
  }

  /** A viewer, who has proved the door. A session that is known goes on, whatever has become of its door. */
  watch({ door, resume }: Pick<Sent<"watch">, "door" | "resume">, socket: RoomSocket): Seat | WatchRefusal {
    const known = resume === null ? undefined : this.#sessions.get(sessionKey(resume));
    const refusal = known === undefined ? this.#refusalOf(door) : null;
    if (refusal !== null) return refusal;
    this.#stopExpiry();
    const viewer = known ?? this.#enter(door, socket);
    if (known) {
      release(known);
      known.presence = { is: "here", socket };
    }
    const { token } = viewer;
    send(socket, { type: "watching", token, resumed: known !== undefined, host: this.#state, ...this.#reach() });
    this.#tellHost(viewer, known ? "back" : "here");
    return this.#viewerSeat(viewer, socket);
  }

  /** Stops every timer, and has all clients come again. The room is of no use afterwards. */
  close(): void {
    this.#stopExpiry();
    const host = this.#host;
    this.#host = null;
    host?.socket?.restart();
    host?.pass.lapse();
    for (const viewer of this.#viewers.values()) {
      const { presence } = viewer;
      viewer.pass.lapse();
      viewer.presence = { is: "away", stop: () => {} };
      if (presence.is === "away") presence.stop();
      else presence.socket.restart();
    }
  }

  #hostSeat(host: Host, socket: RoomSocket): Seat {
    const holds = () => this.#host === host && host.socket === socket;
    return {
      overdrawnFor: () => 0,
      handle: (message) => !holds() || this.#hear(host, socket, message),
      drop: () => {
        if (holds()) this.#hostLost(host);
      },
    };
  }

  /** False: no message of a host. */
  #hear(host: Host, socket: RoomSocket, message: AfterJoin): boolean {
    switch (message.type) {
      case "ping":
        send(socket, { type: "pong" });
        return true;
      case "leave":
        this.#hostLost(host);
        socket.close();
        return true;
      case "turn":
        host.turn.answer(socket);
        return true;
      case "live-relay":
        host.pass.answer({ ...livePathOf(this.#name, host.load), may: "publish" }, socket);
        return true;
      case "deliver":
        for (const id of message.accept) this.#accept(id);
        for (const { to, body } of message.items) this.#deliver(to, body);
        return true;
      case "doors":
        this.#leadHere(message.doors);
        return true;
      case "dismiss":
        for (const id of message.viewers) this.#dismiss(id);
        return true;
      case "end":
        if (this.#state !== "ended") this.#hostIs("ended", "ended");
        host.pass.end();
        return true;
      default:
        return false;
    }
  }

  #viewerSeat(viewer: Viewer, socket: RoomSocket): Seat {
    const holds = () => viewer.presence.is === "here" && viewer.presence.socket === socket;
    return {
      overdrawnFor: () => 0,
      handle: (message) => !holds() || this.#hearViewer(viewer, socket, message),
      drop: () => {
        if (holds()) this.#away(viewer);
      },
    };
  }

  /** False: no message of a viewer. */
  #hearViewer(viewer: Viewer, socket: RoomSocket, message: AfterJoin): boolean {
    switch (message.type) {
      case "ping":
        send(socket, { type: "pong" });
        return true;
      case "leave":
        viewer.pass.leave();
        this.#forget(viewer);
        socket.close();
        return true;
      case "turn":
        if (viewer.isAccepted) viewer.turn.answer(socket);
        return true;
      case "live-relay":
        if (viewer.isAccepted && this.#host)
          viewer.pass.answer({ ...livePathOf(this.#name, this.#host.load), may: "subscribe" }, socket);
        return true;
      case "tell":
        this.#tell(viewer, message.body);
        return true;
      default:
        return false;
    }
  }

  #refusalOf(door: string): WatchRefusal | null {
    if (this.#doors === null) return this.#viewers.size < MAX_EARLY ? null : "room-full";
    if (!this.#doors.includes(door)) return "refused-door";
    if (this.#viewers.size >= MAX_VIEWERS) return "room-full";
    if (door === this.#doors[0]) return null;
    const former = [...this.#viewers.values()].filter((viewer) => this.#isLimited(viewer));
    return former.length < MAX_FORMER ? null : "room-full";
  }

  /** From now on these doors lead here. Who came by another one goes, unless the host has accepted them. */
  #leadHere(doors: readonly string[]): void {
    this.#doors = doors;
    for (const viewer of [...this.#viewers.values()]) {
      if (viewer.isAccepted || doors.includes(viewer.door)) continue;
      this.#end(viewer, "refused-door", UNKNOWN_DOOR);
    }
  }

  #accept(id: string): void {
    const viewer = this.#viewers.get(id);
    if (viewer !== undefined) viewer.isAccepted = true;
  }

  /** Came by a former door, and has no answer of the host yet. */
  #isLimited({ door, isAccepted }: Viewer): boolean {
    return !isAccepted && door !== this.#doors?.[0];
  }

  #tell(viewer: Viewer, body: string): void {
    const host = this.#host?.socket;
    if (!host) return;
    if (!viewer.isAccepted && !this.#mayAsk(viewer, body)) return this.#options.dropped();
    viewer.toldAt = this.#options.clock.now();
    host.offer(text({ type: "told", from: viewer.id, body }));
  }

  /** What is dropped comes again: so little, and so seldom, that many strangers take nothing from the host. */
  #mayAsk(viewer: Viewer, body: string): boolean {
    const { asks, toldAt } = viewer;
    if (body.length > MAX_ASK || asks.take() < 0 || this.#asks.left < body.length) return false;
    const isSoon = toldAt !== null && this.#options.clock.now() - toldAt < FORMER_TELLS_EVERY;
    if (isSoon && this.#isLimited(viewer)) return false;
    this.#asks.take(body.length);
    return true;
  }

  #enter(door: string, socket: RoomSocket): Viewer {
    const { randomId, clock } = this.#options;
    const viewer: Viewer = {
      id: randomId(),
      token: randomId(),
      door,
      isAccepted: false,
      toldAt: null,
      asks: new TokenBucket(ASKS, clock),
      ...this.#asksOf(),
      presence: { is: "here", socket },
    };
    this.#viewers.set(viewer.id, viewer);
    this.#sessions.set(sessionKey(viewer.token), viewer);
    return viewer;
  }

  #asksOf() {
    return { turn: new TurnAsks(this.#options), pass: new LivePassHolder(this.#options) };
  }

  /** What both sides are told of how to reach each other. */
  #reach() {
    const { stunPort, turn, liveRelays } = this.#options;
    return { stunPort, turn: turn !== null, relays: liveRelays !== null };
  }

  #away(viewer: Viewer): void {
    viewer.presence = { is: "away", stop: this.#options.clock.after(AWAY, () => this.#forget(viewer)) };
    this.#tellHost(viewer, "away");
  }

  #dismiss(id: string): void {
    const viewer = this.#viewers.get(id);
    if (viewer !== undefined) this.#end(viewer, "dismissed", "the host has ended this session");
  }

  #end(viewer: Viewer, code: FaultCode, message: string): void {
    const { presence } = viewer;
    viewer.pass.end();
    this.#forget(viewer);
    if (presence.is === "here") presence.socket.fault(code, message);
  }

  #forget(viewer: Viewer): void {
    if (viewer.presence.is === "away") viewer.presence.stop();
    viewer.presence = { is: "away", stop: () => {} };
    viewer.pass.lapse();
    this.#viewers.delete(viewer.id);
    this.#sessions.delete(sessionKey(viewer.token));
    this.#tellHost(viewer, "gone");
    this.#settle();
  }

  #hostLost(host: Host): void {
    host.socket = null;
    if (this.#state === "here") this.#hostIs("away", "away");
    this.#settle();
  }

  #settle(): void {
    if (this.#viewers.size > 0 || this.#host?.socket) return;
    this.#stopExpiry();
    this.#stopExpiry = this.#options.clock.after(REMEMBERED, () => {
      this.#host?.pass.lapse();
      this.#expired();
    });
  }

  #hostIs(state: HostState, is: Extract<Down, { type: "host-is" }>["is"]): void {
    this.#state = state;
    this.#toViewers({ type: "host-is", is });
  }

  #tellHost({ id }: Viewer, is: Extract<Down, { type: "viewer" }>["is"]): void {
    this.#toHost({ type: "viewer", viewer: id, is });
  }

  #toHost(message: Down): void {
    if (this.#host?.socket) send(this.#host.socket, message);
  }

  #deliver(to: string, body: string): void {
    const presence = this.#viewers.get(to)?.presence;
    if (presence?.is === "here") send(presence.socket, { type: "delivered", body });
  }

  /** Written once, however many there are. */
  #toViewers(message: Down): void {
    const written = text(message);
    for (const { presence } of this.#viewers.values()) if (presence.is === "here") presence.socket.send(written);
  }
}

/** Another load of the host's page takes the place of this one; the same one has only got another socket. */
function supersede({ load, socket }: Host, by: string): void {
  if (load === by) socket?.close();
  else socket?.fault("replaced", "another page hosts this stream now");
}

function release({ presence }: Viewer): void {
  if (presence.is === "here") presence.socket.close();
  else presence.stop();
}

function send(socket: RoomSocket, message: Down): void {
  socket.send(text(message));
}

const isHere = ({ presence }: Viewer): boolean => presence.is === "here";
const text = (message: Down | Up): string => JSON.stringify(message);
const sessionKey = (token: string): string => createHash("sha256").update(token).digest("base64url");
