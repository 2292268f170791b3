import { type Clock, type Milli, milli, TokenBucket } from "@sealcast/time";
import { type Breach, LINK_BUDGETS } from "./budgets.ts";
import { type FilePart, fileMessage, MAX_FILE_MESSAGE, MAX_WORD } from "./file-messages.ts";
import { SendWindow } from "./send-window.ts";

/** Both ends make the channel under this number, beside that for short messages. */
const ID = 1;
/** Bytes that may wait in this browser. When fewer than the second do, more are asked for. */
const MOST_WAITING = 256 * 1024;
const FEW_WAITING = 64 * 1024;
/** Bytes that wait to be sent, beyond which nothing is said either: who asks and does not read costs no more memory. */
const MOST_UNREAD = 512 * 1024;

export interface FileEvents {
  /** From now on words and parts reach the other end. Nothing that was on its way over an earlier connection is. */
  opened(): void;
  word(body: Uint8Array): void;
  /** A part came. False: it was not asked for, or is not the next one. */
  part(part: FilePart): boolean;
  /** More parts can be sent. */
  ready(): void;
}

/**
 * Files and words about them, straight to the other end of a link: ordered, whole, at a rate that gives way to sound and
 * video. Sealed by DTLS; what is in the parts is sealed before. What must not come costs the other end the link.
 */
export class FileChannel {
  readonly #channel: RTCDataChannel;
  readonly #clock: Clock;
  readonly #window = new SendWindow();
  readonly #words: TokenBucket;
  /** Parts that the other end has not said it has, by the count of bytes at their end. */
  readonly #onTheirWay: { end: number; bytes: number; at: Milli }[] = [];
  #sent = 0;
  #arrived = 0;

  constructor(connection: RTCPeerConnection, events: FileEvents & { breached(breach: Breach): void }, clock: Clock) {
    this.#clock = clock;
    this.#words = new TokenBucket(LINK_BUDGETS.fileWords, clock);
    this.#channel = connection.createDataChannel("sealcast files", { negotiated: true, id: ID, ordered: true });
    this.#channel.binaryType = "arraybuffer";
    this.#channel.bufferedAmountLowThreshold = FEW_WAITING;
    this.#channel.onopen = () => events.opened();
    this.#channel.onbufferedamountlow = () => events.ready();
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      const breach = this.#take(data, events);
      if (breach === null) return;
      this.#channel.onmessage = null;
      events.breached(breach);
    };
  }

  get isOpen(): boolean {
    return this.#channel.readyState === "open";
  }

  /** A part may be sent now. Where not, `ready` says when. */
  get hasRoom(): boolean {
    return this.isOpen && this.#window.hasRoom && this.#channel.bufferedAmount < MOST_WAITING;
  }

  /** False: it cannot be said now, and is not kept. At most 4,096 bytes. */
  say(body: Uint8Array): boolean {
    if (!this.isOpen || body.length > MAX_WORD || this.#channel.bufferedAmount > MOST_UNREAD) return false;
    this.#channel.send(fileMessage.encode({ type: "word", body }));
    return true;
  }

  /** Only while there is room. */
  send(part: FilePart): void {
    const message = fileMessage.encode({ type: "part", part });
    this.#channel.send(message);
    this.#sent += message.length;
    this.#window.sent(message.length);
    this.#onTheirWay.push({ end: this.#sent, bytes: message.length, at: this.#clock.now() });
  }

  /** Why the link has to be closed; null: all is well. */
  #take(data: unknown, events: FileEvents): Breach | null {
    if (!(data instanceof ArrayBuffer) || data.byteLength > MAX_FILE_MESSAGE) return "malformed";
    const message = fileMessage.parse(new Uint8Array(data));
    if (message === null) return "malformed";
    if (message.type === "arrived") return this.#hasArrived(message.bytes, events);
    if (message.type === "part") return this.#takePart(message.part, data.byteLength, events);
    if (this.#words.take() < 0) return "flood";
    events.word(message.body);
    return null;
  }

  #takePart(part: FilePart, bytes: number, events: FileEvents): Breach | null {
    this.#arrived += bytes;
    if (!events.part(part)) return "malformed";
    if (this.isOpen) this.#channel.send(fileMessage.encode({ type: "arrived", bytes: this.#arrived }));
    return null;
  }

  /** Each part can be said to have arrived once. */
  #hasArrived(count: number, events: FileEvents): Breach | null {
    const last = this.#onTheirWay.findIndex(({ end }) => end === count);
    if (last < 0) return "malformed";
    const now = this.#clock.now();
    const arrived = this.#onTheirWay.splice(0, last + 1);
    const bytes = arrived.reduce((sum, part) => sum + part.bytes, 0);
    const latest = arrived.at(-1);
    if (latest !== undefined) this.#window.arrived(bytes, milli(now - latest.at), now);
    events.ready();
    return null;
  }
}
