import {
  array,
  concat,
  constant,
  flag,
  type Infer,
  type Layout,
  layout,
  oneOf,
  opaque,
  rest,
  struct,
  u64,
  uint32,
  uint64,
  union,
} from "@sealcast/bytes";
import { type Cancel, type Clock, milli, SerialQueue } from "@sealcast/time";
import { KEY_SIZE, SECRET_SIZE } from "../../shared/sizes.ts";
import { MAX_BODY } from "../plaintext.ts";
import { LIVE_TYPES, RESUME_ID_SIZE } from "./ask.ts";

/** Counter floors in one rotation: one for each size of the picture, whether or not someone gets it, and one for the sound of relays. */
export const FLOORS = 4;
/** Records have few lengths, whatever is said in them. */
const PADDED_TO = 256;
const END_OF_CONTENT = 0x80;
/** Between a message and its acknowledgement: those that come close together share one. */
const ACK_AFTER = milli(50);
/** While something waits to leave, which it would wait behind. */
const ACK_LATER = milli(250);
const FIRST_RESEND = milli(2000);
const LAST_RESEND = milli(16_000);
/** Resends without an answer after which the other end is taken not to know this channel. */
const PATIENCE = 3;
/** Messages that the other end has not acknowledged. */
const MAX_UNACKNOWLEDGED = 64;

/** Compared and no more: one that is rounded does as well. */
const highest: Layout<number> = layout({
  size: 8,
  encode: (counter) => uint64.encode(BigInt(counter)),
  read: (cursor) => Number(uint64.read(cursor)),
});
const recordHead = struct({ type: constant(LIVE_TYPES.record), counter: uint64 });
const record = struct({ head: recordHead, sealed: rest() });
const numbered = union({
  data: [1, { number: uint32, content: rest() }],
  /** The next number that is wanted. */
  ack: [2, { next: uint32 }],
});
const content = union({
  /** Of the page: descriptions, candidates, questions. */
  message: [1, { body: rest(MAX_BODY) }],
  rotation: [
    2,
    {
      rotation: uint32,
      /** Viewers drop the keys before it sooner. */
      removal: flag,
      streamKey: opaque(KEY_SIZE),
      /** Admits this viewer again, until the next removal. */
      resume: struct({ id: opaque(RESUME_ID_SIZE), secret: opaque(SECRET_SIZE) }),
      floors: array(FLOORS, struct({ kid: uint64, highest })),
    },
  ],
  farewell: [3, { why: oneOf({ removed: 0, ended: 1 }) }],
});

/** What goes over a channel. */
export type ChannelContent = Infer<typeof content>;
/** The stream's key from one rotation on. */
export type Rotation = Extract<ChannelContent, { type: "rotation" }>;

interface Numbered {
  readonly number: number;
  readonly content: Uint8Array;
  readonly isUrgent: boolean;
}

export interface ChannelOptions {
  readonly clock: Clock;
  /** 32 bytes each; erased once they are imported. */
  readonly sealKey: Uint8Array<ArrayBuffer>;
  readonly openKey: Uint8Array<ArrayBuffer>;
  /** `isUrgent`: keys, or a farewell. */
  readonly transmit: (body: Uint8Array, isUrgent: boolean) => void;
  /** Something that was to be transmitted has not left yet: nothing is lost, and nothing is said again. */
  readonly isHeldUp?: () => boolean;
  /** In the order in which the other end sent it, each once. */
  readonly deliver: (content: ChannelContent) => void;
  /** The other end has everything that was sent so far. */
  readonly idle?: () => void;
  /** The other end has not answered for long. */
  readonly stalled?: () => void;
}

/**
 * What host and viewer say under the two keys of one answer, as records. A record's
 * counter is the nonce and grows with every record sealed, one that is sent again included; a receiver takes only growing
 * ones. Inside, messages are numbered, acknowledged and sent again, so a lost socket loses nothing.
 */
export class LiveChannel {
  readonly #options: Omit<ChannelOptions, "sealKey" | "openKey">;
  readonly #sealKey: CryptoKey;
  readonly #openKey: CryptoKey;
  #counter = 0n;
  /** The lowest counter that is taken. */
  #floor = 0n;
  #number = 0;
  /** The next number wanted. */
  #wanted = 0;
  #unacknowledged: Numbered[] = [];
  readonly #sending = new SerialQueue();
  readonly #receiving = new SerialQueue();
  #cancelAck: Cancel | null = null;
  #cancelResend: Cancel | null = null;
  #resends = 0;
  #isClosed = false;

  static async open(options: ChannelOptions): Promise<LiveChannel> {
    const { sealKey, openKey, ...rest } = options;
    const importKey = async (bytes: Uint8Array<ArrayBuffer>, use: KeyUsage): Promise<CryptoKey> => {
      const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, [use]);
      bytes.fill(0);
      return key;
    };
    return new LiveChannel(rest, await importKey(sealKey, "encrypt"), await importKey(openKey, "decrypt"));
  }

  private constructor(options: Omit<ChannelOptions, "sealKey" | "openKey">, sealKey: CryptoKey, openKey: CryptoKey) {
    this.#options = options;
    this.#sealKey = sealKey;
    this.#openKey = openKey;
  }

  /** Resolves once it was handed to the server; false: the other end is too far behind, and the channel is of no use. */
  async send(said: ChannelContent): Promise<boolean> {
    if (this.#isClosed || this.#unacknowledged.length >= MAX_UNACKNOWLEDGED) return false;
    const isUrgent = said.type !== "message";
    const message = { number: this.#number++, content: content.encode(said), isUrgent };
    this.#unacknowledged.push(message);
    this.#scheduleResend();
    await this.#transmitData(message);
    return true;
  }

  /** Acknowledges what came so far, now: the first record shows the other end that this one holds the keys. */
  acknowledge(): Promise<void> {
    this.#cancelAck?.();
    this.#cancelAck = null;
    return this.#transmit(numbered.encode({ type: "ack", next: this.#wanted }), false);
  }

  /** Whether the record is from the other end, unaltered and new. */
  receive(body: Uint8Array): Promise<boolean> {
    return this.#receiving.run(() => this.#open(body));
  }

  /** The way is open again: sends what was not acknowledged. */
  resend(): void {
    this.#resends = 0;
    if (this.#unacknowledged.length === 0) return;
    if (this.#options.isHeldUp?.()) this.#rescheduleResend();
    else this.#resendAll();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelAck?.();
    this.#cancelResend?.();
    this.#unacknowledged = [];
  }

  async #open(body: Uint8Array): Promise<boolean> {
    const parsed = this.#isClosed ? null : record.parse(body);
    if (parsed === null) return false;
    const { counter } = parsed.head;
    if (counter < this.#floor) return false;
    const plaintext = await crypto.subtle
      .decrypt(parameters(counter), this.#openKey, new Uint8Array(parsed.sealed))
      .catch(() => null);
    // Of what is closed meanwhile nothing is heard any more.
    if (plaintext === null || this.#isClosed) return false;
    this.#floor = counter + 1n;
    return this.#take(unpadded(new Uint8Array(plaintext)));
  }

  #take(plaintext: Uint8Array): boolean {
    const said = numbered.parse(plaintext);
    if (said?.type === "ack") return this.#acknowledged(said.next);
    const received = said && content.parse(said.content);
    if (said === null || received === null) return false;
    this.#acknowledgeSoon();
    if (said.number !== this.#wanted) return true;
    this.#wanted += 1;
    this.#options.deliver(received);
    return true;
  }

  /** Nothing is added to what waits to leave: who says something again and again is acknowledged as often as that leaves. */
  #acknowledgeSoon(wait = ACK_AFTER): void {
    this.#cancelAck ??= this.#options.clock.after(wait, () => {
      this.#cancelAck = null;
      if (this.#options.isHeldUp?.()) this.#acknowledgeSoon(ACK_LATER);
      else void this.acknowledge();
    });
  }

  #acknowledged(next: number): boolean {
    if (next > this.#number) return false;
    const before = this.#unacknowledged.length;
    this.#unacknowledged = this.#unacknowledged.filter(({ number }) => number >= next);
    if (this.#unacknowledged.length < before) this.#resends = 0;
    if (this.#unacknowledged.length > 0) return true;
    this.#cancelResend?.();
    this.#cancelResend = null;
    if (before > 0) this.#options.idle?.();
    return true;
  }

  #scheduleResend(): void {
    if (this.#cancelResend !== null) return;
    const delay = milli(Math.min(LAST_RESEND, FIRST_RESEND * 2 ** this.#resends));
    this.#cancelResend = this.#options.clock.after(delay, () => this.#overdue());
  }

  #overdue(): void {
    if (this.#options.isHeldUp?.()) return this.#rescheduleResend();
    this.#resends += 1;
    this.#resendAll();
    if (this.#resends === PATIENCE) this.#options.stalled?.();
  }

  #resendAll(): void {
    this.#rescheduleResend();
    for (const message of this.#unacknowledged) void this.#transmitData(message);
  }

  #rescheduleResend(): void {
    this.#cancelResend?.();
    this.#cancelResend = null;
    this.#scheduleResend();
  }

  #transmitData({ number, content, isUrgent }: Numbered): Promise<void> {
    return this.#transmit(numbered.encode({ type: "data", number, content }), isUrgent);
  }

  /** Records leave in the order of their counters. */
  #transmit(plaintext: Uint8Array<ArrayBuffer>, isUrgent: boolean): Promise<void> {
    const counter = this.#counter++;
    const sealed = crypto.subtle.encrypt(parameters(counter), this.#sealKey, padded(plaintext));
    return this.#sending.run(async () => {
      const bytes = new Uint8Array(await sealed);
      if (!this.#isClosed) this.#options.transmit(record.encode({ head: { counter }, sealed: bytes }), isUrgent);
    });
  }
}

function parameters(counter: bigint): AesGcmParams {
  return {
    name: "AES-GCM",
    iv: concat(new Uint8Array(4), u64(counter)),
    additionalData: recordHead.encode({ counter }),
  };
}

/** With `80 00 .. 00` behind it, up to a multiple of 256 bytes. */
function padded(plaintext: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(PADDED_TO * Math.ceil((plaintext.length + 1) / PADDED_TO));
  whole.set(plaintext);
  whole[plaintext.length] = END_OF_CONTENT;
  return whole;
}

/** Empty where nothing ends it. */
function unpadded(whole: Uint8Array): Uint8Array {
  const end = whole.findLastIndex((byte) => byte !== 0);
  return whole[end] === END_OF_CONTENT ? whole.subarray(0, end) : new Uint8Array();
}
