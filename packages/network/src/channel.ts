import { concat } from "@sealcast/bytes";
import { systemClock, TokenBucket } from "@sealcast/time";
import { type Breach, LINK_BUDGETS } from "./budgets.ts";

/** What members say to each other beside media, by the first byte of a message. A new kind takes the next number. */
const KINDS = {
  ...{ heartbeat: 1, signatures: 2, timing: 3, shown: 4, goodbye: 5, commit: 6, removing: 7 },
  recording: 8,
  video: 9,
  relayed: 10,
} as const;
export type ChannelKind = keyof typeof KINDS;

/** Both ends make the channel under this number, so nothing has to be said about it. */
const ID = 0;
/** Bytes of a body. Every browser sends and takes messages of 16 KiB whole. */
export const MAX_BODY = 16 * 1024 - 1;
/** Bytes that may wait for the network. What comes on top is old by the time that it arrives. */
const MAX_WAITING = 64 * 1024;

/**
 * Short messages straight to the other end of a link: ordered, sealed by DTLS, and as trustworthy as the member at the
 * other end. On the wire `kind (1) | body`.
 */
export class Channel {
  readonly #channel: RTCDataChannel;
  readonly #messages = new TokenBucket(LINK_BUDGETS.channelMessages, systemClock);
  readonly #bytes = new TokenBucket(LINK_BUDGETS.channelBytes, systemClock);

  /**
   * `heard` gets each message. The body is the caller's. `opened`: from now on something can be sent. `breached`: the other
   * end sent too much, or what is no message; nothing more is heard.
   */
  constructor(
    connection: RTCPeerConnection,
    events: { heard(kind: ChannelKind, body: Uint8Array): void; opened(): void; breached(breach: Breach): void },
  ) {
    this.#channel = connection.createDataChannel("sealcast", { negotiated: true, id: ID, ordered: true });
    this.#channel.binaryType = "arraybuffer";
    this.#channel.onopen = events.opened;
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      const message = this.#isWithin(data) ? parse(data) : "flood";
      if (typeof message !== "string") return events.heard(message.kind, message.body);
      this.#channel.onmessage = null;
      events.breached(message);
    };
  }

  /** False, and nothing is sent: the channel is not open, too much waits already, or the body is over 16,383 bytes. */
  send(kind: ChannelKind, body: Uint8Array): boolean {
    const { readyState, bufferedAmount } = this.#channel;
    if (readyState !== "open" || bufferedAmount > MAX_WAITING || body.length > MAX_BODY) return false;
    this.#channel.send(concat(Uint8Array.of(KINDS[kind]), body));
    return true;
  }
  #isWithin(data: unknown): boolean {
    const bytes = data instanceof ArrayBuffer ? data.byteLength : 0;
    return this.#messages.take() >= 0 && this.#bytes.take(bytes) >= 0;
  }
}

function parse(data: unknown): { kind: ChannelKind; body: Uint8Array } | "malformed" {
  if (!(data instanceof ArrayBuffer) || data.byteLength > 1 + MAX_BODY) return "malformed";
  const bytes = new Uint8Array(data);
  const kind = (Object.keys(KINDS) as ChannelKind[]).find((name) => KINDS[name] === bytes[0]);
  return kind === undefined ? "malformed" : { kind, body: bytes.subarray(1) };
}
