import type { tapFrames } from "@sealcast/testbed/worker";
import type { FrameSeen, KeysSeen, TrackSeen } from "./membership.ts";

type TapFrames = typeof tapFrames;

/**
 * Runs in a media worker of the product before its own script, as text: watches frames come and leave, and keys. Asked
 * over a BroadcastChannel named `probe`.
 */
export function watchMedia(hostile: boolean, tapFrames: TapFrames): void {
  const channel = new BroadcastChannel("probe");
  const now = () => performance.timeOrigin + performance.now();
  const tracks: TrackSeen[] = [];
  const keys: KeysSeen[] = [];

  /** The trailer is the SFrame header and its length (RFC 9605 section 4.3, PROTOCOL.md 6.3). */
  const read = (data: ArrayBuffer): FrameSeen => {
    const bytes = new Uint8Array(data);
    let at = bytes.length - 1 - (bytes.at(-1) ?? 0);
    const config = bytes[at++] ?? 0;
    const number = (half: number): bigint => {
      if (half < 8) return BigInt(half);
      const value = bytes.subarray(at, at + half - 7).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
      at += half - 7;
      return value;
    };
    const kid = number(config >> 4);
    const counter = Number(number(config & 15));
    return { stream: String(kid >> 4n), epoch: Number(kid & 15n), counter, openedAt: null };
  };

  const { set } = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage") ?? {};
  Object.defineProperty(MessagePort.prototype, "onmessage", {
    set(this: MessagePort, heard: (event: MessageEvent) => void) {
      set?.call(this, (event: MessageEvent) => {
        const { type, epoch } = event.data;
        if (type === "epoch" || type === "send") keys.push({ type, epoch, at: now() });
        if (type !== "drop" || !hostile) heard(event);
      });
    },
  });

  globalThis.addEventListener("rtctransform", (event) => {
    const { transformer } = event as Event & { transformer: RTCRtpScriptTransformer };
    const { id, side, kind } = transformer.options;
    if (side !== "open") return;
    const track: TrackSeen = { id, kind, opened: 0, came: {}, frames: [], refused: 0 };
    tracks.push(track);
    const seen = new WeakMap<object, FrameSeen>();
    const came = (frame: RTCEncodedVideoFrame) => {
      const sealed = read(frame.data);
      seen.set(frame, sealed);
      track.frames.push(sealed);
      track.came[sealed.epoch] = (track.came[sealed.epoch] ?? 0) + 1;
    };
    const opened = (frame: RTCEncodedVideoFrame) => {
      const sealed = seen.get(frame);
      track.opened++;
      if (sealed !== undefined) sealed.openedAt = now();
      // The page outlives a worker that it replaces on a busy machine.
      if (hostile) channel.postMessage({ openedAt: now() });
    };
    tapFrames(transformer, came, opened);
  });

  const post = globalThis.postMessage.bind(globalThis);
  globalThis.postMessage = (message: unknown) => {
    const { type, tracks: reports } = message as { type: string; tracks: Report[] };
    for (const { id, refused } of type === "report" ? reports : []) {
      const count = refused.reduce((sum, { count }) => sum + count, 0);
      for (const track of tracks) if (track.id === id) track.refused = count;
    }
    post(message);
  };
  interface Report {
    id: string;
    refused: { count: number }[];
  }

  type FromPage = { ask: number; withFrames: boolean } | { forget: true };
  // The page's other workers hear each other's answers, too.
  channel.onmessage = ({ data }: MessageEvent<FromPage | object>) => {
    if ("ask" in data) {
      const asked = data.withFrames ? tracks : tracks.map((track) => ({ ...track, frames: [] }));
      return channel.postMessage({ answer: data.ask, seen: { tracks: asked, keys } });
    }
    if (!("forget" in data)) return;
    for (const track of tracks) Object.assign(track, { opened: 0, came: {}, frames: [] });
    keys.length = 0;
  };
  channel.postMessage({ hello: true });
}
