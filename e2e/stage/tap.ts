import type { BrowserContext } from "@playwright/test";

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
  /** What was written: each frame's SFrame header, hex, and a print of all its bytes; only where frames leave sealed. */
  frames: { header: string; print: number }[];
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
  await context.route(/media[^/]*\.worker[^/]*\.js$/, async (route) => {
    const response = await route.fetch();
    const before = `(${sabotage})();\n(${tap})(${JSON.stringify(CHANNEL)}, ${JSON.stringify(receiving)});`;
    const body = `${before}\n${await response.text()}`;
    await route.fulfill({ response, body });
  });
  await context.addInitScript(listen, CHANNEL);
}

/** Runs in the page: adds up what the taps tell. */
function listen(name: string): void {
  const tapped = new Map<string, Tapped>();
  Object.assign(globalThis, { tapped });
  new BroadcastChannel(name).onmessage = ({ data: { id, frame, ...transform } }) => {
    const seen = tapped.get(id) ?? { ...transform, written: 0, frames: [] };
    tapped.set(id, seen);
    seen.written++;
    if (frame !== null) seen.frames.push(frame);
  };
}

/** Runs in the worker, before its own script. */
function tap(name: string, receiving: string): void {
  const channel = new BroadcastChannel(name);
  const toHex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const headerOf = (data: ArrayBuffer) => {
    const bytes = new Uint8Array(data);
    const end = bytes.length - 1;
    return toHex(bytes.subarray(end - (bytes[end] ?? 0), end));
  };
  /** FNV-1a, 32 bits: that two frames with one header are the same by chance is not to be feared. */
  const printOf = (data: ArrayBuffer) =>
    new Uint8Array(data).reduce((print, byte) => Math.imul(print ^ byte, 0x01000193) >>> 0, 0x811c9dc5);
  globalThis.addEventListener("rtctransform", (event) => {
    const { transformer } = event as Event & { transformer: RTCRtpScriptTransformer };
    const { side, kind, source } = transformer.options;
    const id = Math.random();
    const watch = new TransformStream<RTCEncodedVideoFrame, RTCEncodedVideoFrame>({
      transform(frame, controller) {
        const { data } = frame;
        const seen = side === "seal" ? { header: headerOf(data), print: printOf(data) } : null;
        channel.postMessage({ id, side, kind, source, frame: seen });
        controller.enqueue(frame);
      },
    });
    const writable = transformer.writable;
    void watch.readable.pipeTo(writable).catch(() => undefined);
    Object.defineProperty(transformer, "writable", { value: watch.writable });
    if (side === "open" && receiving === "without-opening") {
      event.stopImmediatePropagation();
      void transformer.readable.pipeTo(watch.writable).catch(() => undefined);
    }
  });
}
