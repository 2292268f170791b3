import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";

const HOST = "127.0.0.1";
const ROOM_MS = 300;

/** What a relay does to packets, each way. */
export interface Trouble {
  readonly delayMs: number;
  readonly lossPercent: number;
  /** More waits, and is lost where it would wait for longer than a router has room. Without, all is carried at once. */
  readonly bytesPerSecond?: number;
}

/** One side: a sender of packets here gets what comes in at the other one. */
interface Side {
  readonly socket: Socket;
  /** Where packets come from; null before one has come. */
  from: { address: string; port: number } | null;
}

/**
 * Carries the UDP of a call between two ends on this computer, late and with losses. Each end needs a description that says that the other
 * one is here: `describe`, or `portFor`.
 */
export class Relay {
  /** May be changed at any time, for packets that come from then on. */
  trouble: Trouble;
  /** Is shown every packet that comes, whatever becomes of it. */
  watch: (packet: Uint8Array) => void = () => undefined;
  readonly #near: Side;
  readonly #far: Side;

  private constructor(near: Side, far: Side, trouble: Trouble) {
    this.trouble = trouble;
    this.#near = near;
    this.#far = far;
    this.#carry(near, far);
    this.#carry(far, near);
  }

  static async open(trouble: Trouble): Promise<Relay> {
    return new Relay(await side(), await side(), trouble);
  }

  /** The description of one end, as it is passed to the other: its only address is the relay's. */
  describe(sdp: string, of: "near" | "far"): string {
    const port = this.portFor(of === "near" ? "far" : "near");
    const candidate = `a=candidate:1 1 udp 2130706431 ${HOST} ${port} typ host\r\n`;
    return sdp
      .replace(/^a=candidate:.*\r\n/gm, "")
      .split(/(?=^m=)/m)
      .map((section) => (section.startsWith("m=") ? section + candidate : section))
      .join("");
  }

  /** Where that end has to send to, on this computer, for its packets to come to the other one. */
  portFor(end: "near" | "far"): number {
    return (end === "near" ? this.#near : this.#far).socket.address().port;
  }

  close(): void {
    this.#near.socket.close();
    this.#far.socket.close();
  }

  #carry(one: Side, other: Side): void {
    let isOpen = true;
    let freeAt = 0;
    other.socket.on("close", () => {
      isOpen = false;
    });
    one.socket.on("message", (packet, from) => {
      one.from = from;
      this.watch(packet);
      const { delayMs, lossPercent, bytesPerSecond = Number.POSITIVE_INFINITY } = this.trouble;
      const now = performance.now();
      if (100 * Math.random() < lossPercent || freeAt - now > ROOM_MS) return;
      freeAt = Math.max(freeAt, now) + (1_000 * packet.length) / bytesPerSecond;
      const carry = () => {
        if (isOpen && other.from !== null) other.socket.send(packet, other.from.port, other.from.address);
      };
      setTimeout(carry, delayMs + freeAt - now);
    });
  }
}

async function side(): Promise<Side> {
  const socket = createSocket("udp4");
  socket.bind(0, HOST);
  await once(socket, "listening");
  return { socket, from: null };
}
