import type { LiveDown, LiveUp, RoomDown } from "@sealcast/protocol";
import type { CounterFloor, DoorProof } from "./messages.ts";

/**
 * What a page and its keys worker of a live stream say to each other. What is for the server, and what comes from it, is
 * the server's own: the page passes it on as it is.
 */

/** A socket to the server is open. The server wants proof that this is the host, or that this viewer has the link. */
type Challenge = Extract<RoomDown, { type: "challenge" }>;
type Down<T extends LiveDown["type"]> = Extract<LiveDown, { type: T }>;
type Up<T extends LiveUp["type"]> = Extract<LiveUp, { type: T }>;

/** The server to the host's worker. */
export type LiveToHost = Challenge | Omit<Down<"hosting">, "stunPort" | "turn" | "relays"> | Down<"told" | "viewer">;

/** The host's worker to the server. To the answer to the challenge with this nonce the page adds the version. */
export type LiveFromHost =
  | ({ nonce: string } & Omit<Up<"host">, "version">)
  | Up<"doors" | "deliver" | "dismiss" | "end">;

/** The server to a viewer's worker. */
export type LiveToViewer =
  | Challenge
  | Omit<Down<"watching">, "token" | "stunPort" | "turn" | "relays">
  | Down<"delivered" | "host-is">;

/** A viewer's worker to the server. To the answer to the challenge the page adds version, room and session. */
export type LiveFromViewer = ({ type: "watch"; nonce: string } & DoorProof) | Up<"tell">;

export type ToHostKeys =
  /** First of all. `kept` is what `keep` gave in an earlier load, null for a new room; `server` is the page's own host and port. */
  | { type: "host"; kept: Uint8Array | null; server: string }
  | { type: "room"; event: LiveToHost }
  | { type: "media"; port: MessagePort }
  /** The highest counters sealed so far of the picture that all viewers get, by KID in any rotation; viewers who come later are told. */
  | { type: "counters"; floors: CounterFloor[] }
  /** For one viewer, sealed; delivered once and in order for as long as that viewer's channel lives. Up to 40 KiB. */
  | { type: "send"; to: string; body: Uint8Array }
  /** Turns these viewers out, replaces the link and rotates. */
  | { type: "remove"; viewers: string[] }
  /** The host's word on someone who waits. */
  | { type: "admit"; viewer: string; yes: boolean }
  /** The stream is over: viewers are told. */
  | { type: "end" };

/**
 * `answered`: has to prove within 10 s that it opened the answer; `watching`: has done so, and gets the keys, on a channel
 * that is new with every such change; `waiting`: came with a link that was replaced and needs the host's yes; `away`: its
 * socket is lost; `left`: the server says that it is gone; `departed`: that too, or it takes nothing any more, and it has the stream's
 * present key: something else follows with the next key at the latest; `gone`: it is.
 */
export interface ViewerChange {
  viewer: string;
  is: "answered" | "watching" | "waiting" | "away" | "left" | "departed" | "gone";
}

export type FromHostKeys =
  /** To be kept until the next load, sealed on the disk: it holds the link's secrets. */
  | { type: "keep"; room: string; state: Uint8Array }
  /** Ready to host. `fragment` is that of the viewers' link. */
  | { type: "hosting"; room: string; fragment: string }
  /** The viewers' link was replaced. */
  | { type: "link"; fragment: string }
  | { type: "to-room"; message: LiveFromHost }
  /** What has changed since the last time; at most ten a second, however many viewers there are. */
  | { type: "viewers"; changes: ViewerChange[] }
  | { type: "message"; from: string; body: Uint8Array }
  | { type: "rotated"; rotation: number }
  /** Something that came was refused, and changed nothing. */
  | { type: "dropped"; what: HostDrop }
  /** `not-host`: `kept` is damaged, or of another identity than this browser's. */
  | { type: "refused"; why: "no-identity" | "not-host" };

/** `bad-record`: altered, of another viewer, one that came before, or past what one viewer may send. */
export type HostDrop = "bad-ask" | "bad-record" | "replayed-ask";

export type ToViewerKeys =
  /** First of all. `kept` is what `keep` gave in an earlier load of this room, or null; `server` is the page's own host and port. */
  | { type: "watch"; room: string; secret: Uint8Array; host: Uint8Array; kept: Uint8Array | null; server: string }
  | { type: "room"; event: LiveToViewer }
  | { type: "media"; port: MessagePort }
  /** For the host, sealed; delivered once and in order while the channel lives. Up to 40 KiB. */
  | { type: "send"; body: Uint8Array };

export type FromViewerKeys =
  /** To be kept until the next load of this room, sealed on the disk: it admits, also after the link was replaced. */
  | { type: "keep"; room: string; state: Uint8Array }
  | { type: "to-room"; message: LiveFromViewer }
  /** The link was replaced and the host has to decide. */
  | { type: "waiting" }
  /**
   * The host answered: a new channel, and a new stream if `stream` differs. What was sent on an earlier channel and had
   * not arrived is lost. `identity` is the host's, in hex.
   */
  | { type: "watching"; stream: string; identity: string }
  /** The stream's keys came, at first and with each rotation. */
  | { type: "rotated"; rotation: number }
  | { type: "message"; body: Uint8Array }
  /** The host ended the stream. */
  | { type: "ended" }
  /** Something that came was refused, and changed nothing. */
  | { type: "dropped"; what: ViewerDrop }
  /** No more is tried. `wrong-host`: who answered has the link, and not the key that the link names. */
  | { type: "refused"; why: "wrong-host" | "turned-away" | "removed" };

/**
 * `bad-answer`: altered, or to someone else; `replayed-answer`: to an ask that was answered already; `bad-record`: altered, to
 * someone else, or one that came before.
 */
export type ViewerDrop = "bad-answer" | "replayed-answer" | "bad-record" | "old-rotation";
