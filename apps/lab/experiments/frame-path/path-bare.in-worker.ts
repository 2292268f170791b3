import type { PathTrack } from "./frame-path.ts";
import type { PathProduct } from "./path-product.in-worker.ts";

declare const self: DedicatedWorkerGlobalScope;

type Frame = RTCEncodedVideoFrame | RTCEncodedAudioFrame;
type Transform = (frame: Frame) => Promise<ArrayBuffer>;

interface BareOptions {
  side: "seal" | "open";
  track: number;
}

const IV_BYTES = 12;

/**
 * AES-256-GCM over each whole frame with its IV behind it, and nothing else: no clear bytes, no additional data, no replay
 * window, no policy. It is what the browser's streams and Web Crypto alone cost, below which no such worker comes.
 */
export const bare: PathProduct = {
  async prepare() {
    const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
    self.addEventListener("rtctransform", ({ transformer: { readable, writable, options } }) => {
      const { side, track } = options as BareOptions;
      const transform = side === "seal" ? encrypting(key, track) : decrypting(key);
      // Ends with its connection.
      readable
        .pipeThrough(new TransformStream({ transform: (frame, out) => replace(frame, transform, out) }))
        .pipeTo(writable)
        .catch(() => undefined);
    });
  },
  sealing: (track) => bareOptions("seal", track),
  opening: (track) => bareOptions("open", track),
};

function bareOptions(side: BareOptions["side"], { number }: PathTrack): BareOptions {
  return { side, track: number };
}

/** The frame with other data; none where it does not decrypt, which then counts as lost. */
async function replace(
  frame: Frame,
  transform: Transform,
  out: TransformStreamDefaultController<Frame>,
): Promise<void> {
  const data = await transform(frame).catch(() => null);
  if (data === null) return;
  frame.data = data;
  out.enqueue(frame);
}

/** No two frames get the same IV: it is the track's number, then the frame's. */
function encrypting(key: CryptoKey, track: number): Transform {
  const iv = new DataView(new ArrayBuffer(IV_BYTES));
  iv.setUint32(0, track);
  let counter = 0;
  return async ({ data }) => {
    iv.setUint32(8, counter++);
    const ciphertext = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, data));
    const sealed = new Uint8Array(ciphertext.length + IV_BYTES);
    sealed.set(ciphertext);
    sealed.set(new Uint8Array(iv.buffer), ciphertext.length);
    return sealed.buffer;
  };
}

function decrypting(key: CryptoKey): Transform {
  return ({ data }) => {
    const end = Math.max(0, data.byteLength - IV_BYTES);
    const iv = new Uint8Array(data, end);
    return crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, new Uint8Array(data, 0, end));
  };
}
