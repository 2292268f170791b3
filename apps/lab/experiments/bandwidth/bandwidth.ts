import { median } from "../../src/shared/statistics.ts";

/** What the bandwidth experiment asks of a worker of the page, or of a Node process, and what both do with packets. */

export type PageCipher = "Blank" | "AES-256-GCM" | "AES-128-GCM" | "XChaCha20-Poly1305" | "Sealer and Opener";
/** DES and RC4 are the paper's, and broken: they exist in a Node process of the lab only. */
export type NodeCipher = "Blank" | "AES-256-GCM" | "AES-128-GCM" | "DES-CBC (broken)" | "RC4 (broken)";

/** Bytes of each packet, all alike, or the frames that were recorded before. */
export type PacketLoad = number | "frames";

/** A number of packets as fast as they go: all are sealed, then all are opened. */
export interface Burst<Cipher> {
  type: "burst";
  cipher: Cipher;
  load: PacketLoad;
  packets: number;
  /** Times that this is done, and once more before it counts. */
  rounds: number;
}

/** Of all packets of a burst, the median of its rounds, in milliseconds. */
export interface BurstTimes {
  sealMs: number;
  openMs: number;
  bytes: number;
}

/** Packets that come at a bandwidth, for this many milliseconds, whether or not the sealing keeps up. */
export interface Point<Cipher> {
  type: "point";
  cipher: Cipher;
  load: PacketLoad;
  mbitPerS: number;
  ms: number;
}

export interface PointRun {
  /** That were sealed: fewer than were due where the run was given up. */
  packets: number;
  /** When the last one that was sealed had come. */
  dueMs: number;
  /** When it was sealed. */
  tookMs: number;
}

export type BandwidthRequest<Cipher> = Burst<Cipher> | Point<Cipher>;

/** What the command asks of the page in this experiment. One request at a time. */
export interface BandwidthPage {
  /** In a worker, which stays from burst to burst and has the frames that were recorded before the first. */
  packetBurst(burst: Burst<PageCipher>): Promise<BurstTimes>;
  /** In the same worker. */
  packetPoint(point: Point<PageCipher>): Promise<PointRun>;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Both ends of a stream of packets. */
export interface PacketCipher {
  /** A number is used once. */
  seal(number: number, packet: Uint8Array): Bytes | Promise<Bytes>;
  /** Null: it is not what was sealed under that number, where the cipher can tell. */
  open(number: number, sealed: Bytes): Uint8Array | null | Promise<Uint8Array | null>;
}

const MAX_RANDOM = 65_536;

/** One packet of this many bytes, at most 64 KiB, that no cipher can profit from. */
export function packetsOf(bytes: number): Uint8Array[] {
  return [crypto.getRandomValues(new Uint8Array(Math.min(bytes, MAX_RANDOM)))];
}

/** Rejects unless every packet comes back. `make` gives a cipher with fresh keys; `packets` are taken in turn. */
export async function burst<Cipher>(
  { packets: count, rounds }: Burst<Cipher>,
  packets: readonly Uint8Array[],
  make: () => Promise<PacketCipher>,
): Promise<BurstTimes> {
  const sealMs: number[] = [];
  const openMs: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const took = await sealAndOpen(inTurn(packets, count), await make());
    if (round > 0) sealMs.push(took.sealMs);
    if (round > 0) openMs.push(took.openMs);
  }
  const bytes = inTurn(packets, count).reduce((sum, { length }) => sum + length, 0);
  return { sealMs: median(sealMs), openMs: median(openMs), bytes };
}

async function sealAndOpen(packets: readonly Uint8Array[], cipher: PacketCipher) {
  const sealed: Bytes[] = [];
  const begin = performance.now();
  for (const [number, packet] of packets.entries()) sealed.push(await cipher.seal(number, packet));
  const between = performance.now();
  let last: Uint8Array | null = null;
  for (const [number, packet] of sealed.entries()) {
    last = await cipher.open(number, packet);
    if (last?.length !== packets[number]?.length) throw new Error("a packet did not come back");
  }
  const end = performance.now();
  if (last?.some((byte, i) => byte !== packets.at(-1)?.[i])) throw new Error("a packet came back changed");
  return { sealMs: between - begin, openMs: end - between };
}

/**
 * An open loop: each packet is sealed when it has come, or as soon as the one before it is sealed where that is later.
 * It is given up when it lags by as much as the point is long. `now` is a clock in milliseconds, and `seal` may take its
 * time on it. At least one packet comes, however long it takes.
 */
export async function paced<Cipher>(
  { mbitPerS, ms }: Pick<Point<Cipher>, "mbitPerS" | "ms">,
  packets: readonly Uint8Array[],
  seal: (number: number, packet: Uint8Array) => unknown,
  now: () => number = () => performance.now(),
): Promise<PointRun> {
  const begin = now();
  let at = 0;
  let dueMs = 0;
  let number = 0;
  for (; ; number++) {
    const packet = packets[number % packets.length];
    if (packet === undefined) throw new Error("there are no packets");
    const due = dueMs + arrivalMs(packet.length, mbitPerS);
    if (number > 0 && (due > ms || at - dueMs > ms)) break;
    dueMs = due;
    while (at < due) at = now() - begin;
    await seal(number, packet);
    at = now() - begin;
  }
  return { packets: number, dueMs, tookMs: at };
}

/** How long this many bytes take to come. */
export function arrivalMs(bytes: number, mbitPerS: number): number {
  return (8 * bytes) / (1000 * mbitPerS);
}

/** How late the last packet was sealed, in percent of the time in which the packets came. */
export function lagPercent({ dueMs, tookMs }: PointRun): number {
  return (100 * (tookMs - dueMs)) / dueMs;
}

function inTurn<T>(things: readonly T[], count: number): T[] {
  return Array.from({ length: count }, (_, i) => things[i % things.length] as T);
}
