import { once } from "node:events";
import type { LiveLink } from "@sealcast/keys/live-link";
import type { FromViewerKeys, ToViewerKeys } from "@sealcast/keys/live-messages";
import { LiveViewer } from "@sealcast/keys/live-viewer";
import { type Down, isLive, PROTOCOL_VERSION, parseDown, type Up } from "@sealcast/protocol";
import { systemClock } from "@sealcast/time";
import { WebSocket } from "ws";

export type RelayAccess = Extract<Down, { type: "live-relay" }>;

interface SimulatedEvents {
  /** The host says this on the channel. */
  heard?(body: Uint8Array): void;
  /** The server gives what lets this viewer in at relays. */
  relayGiven?(access: RelayAccess): void;
}

/**
 * A viewer without a page: the product's own keys code over a real socket. Its key pair is made before it asks: what its
 * many peers cost this computer is not what is measured.
 */
export class SimulatedViewer {
  readonly #keys: LiveViewer;
  readonly #room: string;
  readonly #socket: WebSocket;
  readonly #events: SimulatedEvents;
  readonly #outgoing: Up[] = [];
  #isAsking = false;
  #answer: string | null = null;
  /** When it asked first, and when the answer came; performance.now. */
  askedAt = 0;
  answeredAt = 0;
  rotation = -1;
  rotatedAt = 0;
  /** It has opened the answer. */
  #isIn = false;
  #changed: () => void = () => undefined;

  constructor(port: number, room: string, link: LiveLink, events: SimulatedEvents = {}) {
    this.#events = events;
    const seconds = () => BigInt(Math.floor(Date.now() / 1000));
    this.#room = room;
    this.#keys = new LiveViewer({
      room,
      link,
      server: `localhost:${port}`,
      kept: null,
      clock: systemClock,
      seconds,
      tell: (message) => this.#hear(message),
    });
    this.#socket = new WebSocket(`ws://localhost:${port}/signal`, { origin: `http://localhost:${port}` });
    this.#socket.on("message", (data) => this.#receive(String(data)));
  }

  /** In the room, with its first ask made and not sent. */
  async prepare(): Promise<void> {
    await once(this.#socket, "watching");
    await this.#until(() => this.#outgoing.length > 0);
  }

  /** From now on it asks, every 3 s until there is an answer. */
  ask(): void {
    this.askedAt = performance.now();
    this.#isAsking = true;
    for (const message of this.#outgoing.splice(0)) this.#send(message);
  }

  answered(): Promise<void> {
    return this.#until(() => this.#answer !== null);
  }

  /** Opens the answer and says so to the host, which wants to hear it within 10 s. */
  async accept(): Promise<void> {
    if (this.#answer === null) throw new Error("there is no answer");
    await this.#keys.receive({ type: "room", event: { type: "delivered", body: this.#answer } });
    if (!this.#isIn) throw new Error("the answer was refused");
  }

  /** Says this to the host on the channel, once there is one. */
  async say(body: Uint8Array): Promise<void> {
    await this.#keys.receive({ type: "send", body });
  }

  /** The stream's keys go there, as they come. */
  async keysTo(port: Extract<ToViewerKeys, { type: "media" }>["port"]): Promise<void> {
    await this.#keys.receive({ type: "media", port });
  }

  askRelay(): void {
    this.#send({ type: "live-relay" });
  }

  reached(rotation: number): Promise<void> {
    return this.#until(() => this.rotation >= rotation);
  }

  close(): void {
    this.#socket.terminate();
  }

  #receive(text: string): void {
    const parsed = parseDown(text);
    if (parsed.ok && parsed.value.type === "challenge") {
      void this.#keys.receive({ type: "room", event: parsed.value });
    }
    if (parsed.ok && parsed.value.type === "live-relay") this.#events.relayGiven?.(parsed.value);
    if (!parsed.ok || !isLive(parsed.value)) return;
    const message = parsed.value;
    if (message.type === "watching") {
      this.#socket.emit("watching");
      void this.#keys.receive({ type: "room", event: { ...message, host: "here", resumed: false } });
    } else if (message.type === "delivered" && !this.#isIn) {
      this.#answer ??= message.body;
      this.answeredAt ||= performance.now();
      this.#isAsking = false;
      this.#changed();
    } else if (message.type === "delivered") {
      void this.#keys.receive({ type: "room", event: message });
    }
  }

  #hear(message: FromViewerKeys): void {
    if (message.type === "to-room") {
      this.#toRoom(message.message);
    } else if (message.type === "watching") {
      this.#isIn = true;
    } else if (message.type === "message") {
      this.#events.heard?.(message.body);
    } else if (message.type === "rotated") {
      this.rotation = message.rotation;
      this.rotatedAt = performance.now();
    }
    this.#changed();
  }

  #toRoom(message: Extract<FromViewerKeys, { type: "to-room" }>["message"]): void {
    if (message.type === "watch") {
      const { door, signature } = message;
      this.#send({ type: "watch", version: PROTOCOL_VERSION, room: this.#room, door, signature, resume: null });
    } else if (this.#isAsking || this.#isIn) this.#send(message);
    else if (this.#answer === null) this.#outgoing[0] = message;
  }

  #send(message: Up): void {
    this.#socket.send(JSON.stringify(message));
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await new Promise<void>((changed) => {
        this.#changed = changed;
      });
    }
  }
}
