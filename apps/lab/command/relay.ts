import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";

const HOST = "127.0.0.1";

/** What a relay does to packets, each way. */
export interface Trouble {
  readonly delayMs: number;
  readonly lossPercent: number;
}

/** One side: whoever sends packets here gets what comes in at the other one. */
interface Side {
  readonly socket: Socket;
  /** Where packets come from; null before one has come. */
  from: { address: string; port: number } | null;
}

/**
 * Carries the UDP of a call between two ends on this computer, late and with losses. Each end has to be told that the other
 * one is here: `describe`.
 */
export class Relay {
  readonly #near: Side;
  readonly #far: Side;

  private constructor(near: Side, far: Side, trouble: Trouble) {
    this.#near = near;
    this.#far = far;
    carry(near, far, trouble);
    carry(far, near, trouble);
  }

  static async open(trouble: Trouble): Promise<Relay> {
    return new Relay(await side(), await side(), trouble);
  }

  /** The description of one end, as it is to be told to the other: its only address is the relay's. */
  describe(sdp: string, of: "near" | "far"): string {
    const { port } = (of === "near" ? this.#far : this.#near).socket.address();
    const candidate = `a=candidate:1 1 udp 2130706431 ${HOST} ${port} typ host\r\n`;
    return sdp
      .replace(/^a=candidate:.*\r\n/gm, "")
      .split(/(?=^m=)/m)
      .map((section) => (section.startsWith("m=") ? section + candidate : section))
      .join("");
  }

  close(): void {
    this.#near.socket.close();
    this.#far.socket.close();
  }
}

async function side(): Promise<Side> {
  const socket = createSocket("udp4");
  socket.bind(0, HOST);
  await once(socket, "listening");
  return { socket, from: null };
}

function carry(one: Side, other: Side, { delayMs, lossPercent }: Trouble): void {
  let isOpen = true;
  other.socket.on("close", () => {
    isOpen = false;
  });
  one.socket.on("message", (packet, from) => {
    one.from = from;
    if (100 * Math.random() < lossPercent) return;
    setTimeout(() => {
      if (isOpen && other.from !== null) other.socket.send(packet, other.from.port, other.from.address);
    }, delayMs);
  });
}
