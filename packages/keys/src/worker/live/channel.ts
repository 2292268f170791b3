import { Cursor, concat, u32, u64 } from "@sealcast/bytes";
import { type Cancel, type Clock, milli, SerialQueue } from "@sealcast/time";
import type { CounterFloor } from "../../shared/messages.ts";
import { MAX_BODY } from "../plaintext.ts";
import { LIVE_TYPES, RESUME_ID_SIZE } from "./ask.ts";

const HEAD = 1 + 8;
const KEY_SIZE = 32;
/** Counter floors in one rotation: one for each size of the picture, whether or not somebody gets it. */
export const FLOORS = 3;
const ROTATION_SIZE = 4 + 1 + KEY_SIZE + RESUME_ID_SIZE + KEY_SIZE + FLOORS * 16;
/** Records have few lengths, whatever is said in them. */
const PADDED_TO = 256;
const END_OF_CONTENT = 0x80;
const KINDS = { data: 1, ack: 2 } as const;
const WHAT = { message: 1, rotation: 2, farewell: 3 } as const;
const FAREWELLS = ["removed", "ended"] as const;
/** Between a message and its acknowledgement: those that come close together share one. */
const ACK_AFTER = milli(50);
const FIRST_RESEND = milli(2000);
const LAST_RESEND = milli(16_000);
/** Resends without an answer after which the other end is taken not to know this channel. */
const PATIENCE = 3;
/** Messages that the other end has not acknowledged. */
const MAX_UNACKNOWLEDGED = 64;

/** What goes over a channel. */
export type ChannelContent =
  /** Of the page: descriptions, candidates, questions. */
  { type: "message"; body: Uint8Array } | Rotation | { type: "farewell"; why: (typeof FAREWELLS)[number] };

/** The stream's key from one rotation on. */
export interface Rotation {
  type: "rotation";
  rotation: number;
  /** Viewers drop the keys before it sooner. */
  removal: boolean;
  streamKey: Uint8Array;
  /** Admits this viewer again, until the next removal. */
  resume: { id: Uint8Array; secret: Uint8Array };
  /** As many as FLOORS. */
  floors: readonly CounterFloor[];
}

export interface ChannelOptions {
  readonly clock: Clock;
  /** 32 bytes each; erased once they are imported. */
  readonly sealKey: Uint8Array<ArrayBuffer>;
  readonly openKey: Uint8Array<ArrayBuffer>;
  readonly transmit: (body: Uint8Array) => void;
  /** In the order in which the other end sent it, each once. */
  readonly deliver: (content: ChannelContent) => void;
  /** The other end has everything that was sent so far. */
  readonly idle?: () => void;
  /** The other end has not answered for long. */
  readonly stalled?: () => void;
}

/**
 * What host and viewer say under the two keys of one answer, as records `3 (1) | counter (8) | ciphertext and tag`. The
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
  #unacknowledged: { number: number; content: Uint8Array }[] = [];
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
  async send(content: ChannelContent): Promise<boolean> {
    if (this.#isClosed || this.#unacknowledged.length >= MAX_UNACKNOWLEDGED) return false;
    const message = { number: this.#number++, content: encodeContent(content) };
    this.#unacknowledged.push(message);
    this.#scheduleResend();
    await this.#transmitData(message);
    return true;
  }

  /** Acknowledges what came so far, now: the first record shows the other end that this one holds the keys. */
  acknowledge(): Promise<void> {
    this.#cancelAck?.();
    this.#cancelAck = null;
    return this.#transmit(concat(Uint8Array.of(KINDS.ack), u32(this.#wanted)));
  }

  /** Whether the record is from the other end, unaltered and new. */
  receive(body: Uint8Array): Promise<boolean> {
    return this.#receiving.run(() => this.#open(body));
  }

  /** The way is open again: sends what was not acknowledged. */
  resend(): void {
    this.#resends = 0;
    if (this.#unacknowledged.length > 0) this.#resendAll();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelAck?.();
    this.#cancelResend?.();
    this.#unacknowledged = [];
  }

  async #open(body: Uint8Array): Promise<boolean> {
    if (this.#isClosed || body.length < HEAD || body[0] !== LIVE_TYPES.record) return false;
    const cursor = new Cursor(body.subarray(1, HEAD));
    const counter = cursor.u64();
    if (counter < this.#floor) return false;
    const plaintext = await crypto.subtle
      .decrypt(parameters(counter), this.#openKey, new Uint8Array(body.subarray(HEAD)))
      .catch(() => null);
    if (plaintext === null) return false;
    this.#floor = counter + 1n;
    return this.#take(unpadded(new Uint8Array(plaintext)));
  }

  #take(plaintext: Uint8Array): boolean {
    if (plaintext.length < 5) return false;
    const cursor = new Cursor(plaintext);
    const [kind, number] = [cursor.u8(), cursor.u32()];
    if (kind === KINDS.ack && cursor.left === 0) return this.#acknowledged(number);
    const content = kind === KINDS.data ? parseContent(cursor.rest()) : null;
    if (content === null) return false;
    this.#cancelAck ??= this.#options.clock.after(ACK_AFTER, () => void this.acknowledge());
    if (number !== this.#wanted) return true;
    this.#wanted += 1;
    this.#options.deliver(content);
    return true;
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
    this.#resends += 1;
    this.#resendAll();
    if (this.#resends === PATIENCE) this.#options.stalled?.();
  }

  #resendAll(): void {
    this.#cancelResend?.();
    this.#cancelResend = null;
    for (const message of this.#unacknowledged) void this.#transmitData(message);
    this.#scheduleResend();
  }

  #transmitData({ number, content }: { number: number; content: Uint8Array }): Promise<void> {
    return this.#transmit(concat(Uint8Array.of(KINDS.data), u32(number), content));
  }

  /** Records leave in the order of their counters. */
  #transmit(plaintext: Uint8Array<ArrayBuffer>): Promise<void> {
    const counter = this.#counter++;
    const sealed = crypto.subtle.encrypt(parameters(counter), this.#sealKey, padded(plaintext));
    return this.#sending.run(async () => {
      const bytes = new Uint8Array(await sealed);
      if (!this.#isClosed) this.#options.transmit(concat(head(counter), bytes));
    });
  }
}

function head(counter: bigint): Uint8Array<ArrayBuffer> {
  return concat(Uint8Array.of(LIVE_TYPES.record), u64(counter));
}

function parameters(counter: bigint): AesGcmParams {
  return { name: "AES-GCM", iv: concat(new Uint8Array(4), u64(counter)), additionalData: head(counter) };
}

function encodeContent(content: ChannelContent): Uint8Array {
  const what = Uint8Array.of(WHAT[content.type]);
  switch (content.type) {
    case "message":
      return concat(what, content.body);
    case "rotation":
      return concat(what, encodeRotation(content));
    case "farewell":
      return concat(what, Uint8Array.of(FAREWELLS.indexOf(content.why)));
  }
}

function parseContent(bytes: Uint8Array): ChannelContent | null {
  const [what, content] = [bytes[0], bytes.slice(1)];
  if (what === WHAT.message && content.length <= MAX_BODY) return { type: "message", body: content };
  if (what === WHAT.rotation && content.length === ROTATION_SIZE && (content[4] ?? 2) <= 1)
    return parseRotation(content);
  const why = what === WHAT.farewell && content.length === 1 ? FAREWELLS[content[0] ?? -1] : undefined;
  return why === undefined ? null : { type: "farewell", why };
}

/** `rotation (4) | removal (1) | stream key (32) | resume id (16) | resume secret (32) | 3 floors (KID (8) | counter (8))` */
function encodeRotation({ rotation, removal, streamKey, resume, floors }: Rotation): Uint8Array {
  if (floors.length !== FLOORS) throw new RangeError(`a rotation with ${floors.length} floors: always ${FLOORS}`);
  const listed = floors.flatMap(({ kid, highest }) => [u64(kid), u64(BigInt(highest))]);
  return concat(u32(rotation), Uint8Array.of(removal ? 1 : 0), streamKey, resume.id, resume.secret, ...listed);
}

function parseRotation(content: Uint8Array): Rotation {
  const cursor = new Cursor(content);
  const [rotation, removal, streamKey] = [cursor.u32(), cursor.u8() === 1, cursor.bytes(KEY_SIZE).slice()];
  const resume = { id: cursor.bytes(RESUME_ID_SIZE).slice(), secret: cursor.bytes(KEY_SIZE).slice() };
  const floors = Array.from({ length: FLOORS }, () => ({ kid: cursor.u64(), highest: Number(cursor.u64()) }));
  return { type: "rotation", rotation, removal, streamKey, resume, floors };
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
