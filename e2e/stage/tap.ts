import type { BrowserContext } from "@playwright/test";
import { beforeMediaWorkers } from "@sealcast/testbed";
import { tapFrames } from "@sealcast/testbed/worker";

/**
 * A tap on the media workers, from outside the product: its code runs in front of the worker's own script and stands
 * between the worker and the browser's writable streams. It believes nothing that the product counts.
 */

/** What the tap saw one transform write. */
export interface Tapped {
  side: "seal" | "open";
  kind: "audio" | "video";
  source: string;
  written: number;
  /** What was written: each frame's SFrame header, hex, a print of all its bytes and their number; only where frames leave sealed. */
  frames: { header: string; print: number; bytes: number }[];
  /** Where frames are opened: how many came and how many were opened, by the epoch (mod 16) that they were sealed in. */
  came: Record<number, number>;
  opened: Record<number, number>;
  /** Where frames are opened: of those that a hostile relay changed or made, how many came, and how many went to the decoder. */
  hostile: { came: number; written: number };
}

/** The epoch (mod 16) in an SFrame header: the last four bits of its KID. */
export function epochIn(header: string): number {
  const byte = (at: number) => Number.parseInt(header.slice(2 * at, 2 * at + 2), 16);
  const long = (byte(0) >> 4) - 8;
  return long < 0 ? byte(0) >> 4 : byte(1 + long) & 15;
}

/** What to do with frames that come in: open them as the product does, or hand them on as they came. */
export type Receiving = "as-is" | "without-opening";

const CHANNEL = "tap";

/** `sabotage` runs in every media worker before anything else: what a test does to it. */
export async function tapMediaWorkers(
  context: BrowserContext,
  receiving: Receiving,
  sabotage: () => void,
): Promise<void> {
  const [channel, how] = [CHANNEL, receiving].map((text) => JSON.stringify(text));
  await beforeMediaWorkers(context, `(${sabotage})();\n(${tap})(${channel}, ${how}, ${tapFrames});`);
  await context.addInitScript(`${epochIn}; (${listen})(${JSON.stringify(CHANNEL)}, epochIn)`);
}

/** What a tap tells of one frame. */
interface Told extends Pick<Tapped, "side" | "kind" | "source"> {
  id: number;
  event: "came" | "written";
  header: string | undefined;
  print: number | undefined;
  isHostile: boolean;
  bytes: number | undefined;
}

/** Runs in the page: adds up what the taps tell. */
function listen(name: string, epochOf: (header: string) => number): void {
  const tapped = new Map<number, Tapped>();
  Object.assign(globalThis, { tapped });
  const count = (counts: Record<number, number>, header: string) => {
    const epoch = epochOf(header);
    counts[epoch] = (counts[epoch] ?? 0) + 1;
  };
  const hear = ({ id, header, print, event, bytes, isHostile, ...transform }: Told) => {
    const hostile = { came: 0, written: 0 };
    const seen = tapped.get(id) ?? { ...transform, written: 0, frames: [], came: {}, opened: {}, hostile };
    tapped.set(id, seen);
    if (isHostile) seen.hostile[event]++;
    if (event === "came") return count(seen.came, header ?? "");
    seen.written++;
    if (seen.side === "seal") seen.frames.push({ header: header ?? "", print: print ?? 0, bytes: bytes ?? 0 });
    else if (header !== undefined) count(seen.opened, header);
  };
  new BroadcastChannel(name).onmessage = ({ data }: MessageEvent<Told[]>) => data.forEach(hear);
}

type TapFrames = typeof tapFrames;

/** Runs in the worker, before its own script. */
function tap(name: string, receiving: string, tapFrames: TapFrames): void {
  const channel = new BroadcastChannel(name);
  const untold: Told[] = [];
  /** What leaves is reported at once, even by a worker that dies next. A message for each frame that comes would cost the page more than its call does. */
  const tellPage = (told: Told) => {
    if (told.side === "seal") return channel.postMessage([told]);
    if (untold.push(told) === 1) setTimeout(() => channel.postMessage(untold.splice(0)), 50);
  };
  const toHex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const headerOf = (data: ArrayBuffer) => {
    const bytes = new Uint8Array(data);
    const end = bytes.length - 1;
    return toHex(bytes.subarray(end - (bytes[end] ?? 0), end));
  };
  /** FNV-1a, 32 bits: that two frames with one header are the same by chance is not to be feared. */
  const printOf = (data: ArrayBuffer) =>
    new Uint8Array(data).reduce((print, byte) => Math.imul(print ^ byte, 0x01000193) >>> 0, 0x811c9dc5);
  /** The browser's own pipe would pass the tap by. */
  const handOn = async ({ readable, writable }: RTCRtpScriptTransformer) => {
    const [reader, writer] = [readable.getReader(), writable.getWriter()];
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      await writer.write(value);
    }
  };
  globalThis.addEventListener("rtctransform", (event) => {
    const { transformer } = event as Event & { transformer: RTCRtpScriptTransformer };
    const { side, kind, source } = transformer.options;
    const id = Math.random();
    const { hostile } = globalThis as { hostile?: WeakSet<object> };
    const tell = (
      event: Told["event"],
      frame: RTCEncodedVideoFrame,
      header: string | undefined,
      print?: number,
      bytes?: number,
    ) => tellPage({ id, side, kind, source, event, header, print, bytes, isHostile: hostile?.has(frame) === true });
    const headers = new WeakMap<RTCEncodedVideoFrame, string>();
    const came = (frame: RTCEncodedVideoFrame) => {
      headers.set(frame, headerOf(frame.data));
      tell("came", frame, headers.get(frame));
    };
    const written = (frame: RTCEncodedVideoFrame) => {
      const { data } = frame;
      if (side === "seal") tell("written", frame, headerOf(data), printOf(data), data.byteLength);
      else tell("written", frame, headers.get(frame));
    };
    tapFrames(transformer, side === "open" ? came : null, written);
    if (side === "open" && receiving === "without-opening") {
      event.stopImmediatePropagation();
      void handOn(transformer).catch(() => undefined);
    }
  });
}
