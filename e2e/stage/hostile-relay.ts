import type { ChromiumPerson } from "./person.ts";

/** What a relay between sender and receiver can do to sealed frames without a key. */
export type RelayAttack =
  /** The same frame a second time, or an old one. */
  | "replay"
  /** A frame of another source or sender. */
  | "splice"
  /** A frame that nobody sealed, as an encoder made it. */
  | "clear"
  /** Another sender, epoch, sealing transform, or "only authenticated" in the KID. */
  | "kid"
  | "counter"
  /** One bit, anywhere. */
  | "flip"
  | "truncate"
  /** Every two frames change places. */
  | "reorder"
  /** Nothing leaves for anybody any more. */
  | "drop"
  /** Every third frame does not leave. */
  | "drop-some";

/** Whether its frames come with the sender's, or in their place. */
export type AttackedShare = "beside" | "instead";

interface Order {
  attack: RelayAttack | null;
  share: AttackedShare;
  /** Only of what comes over the media relay; what comes over links is left as it is. */
  isMediaRelay: boolean;
}

interface Attacked {
  share?: AttackedShare;
  isMediaRelay?: boolean;
}

/** From now on the relay before that person's page does this to every track; null: it carries what it gets. */
export function attack(
  { page }: ChromiumPerson,
  attack: RelayAttack | null,
  { share = "instead", isMediaRelay = false }: Attacked = {},
): Promise<void> {
  return page.evaluate(
    (order) => {
      const page = globalThis as { relay?: BroadcastChannel; repeating?: ReturnType<typeof setInterval> };
      page.relay ??= new BroadcastChannel("hostile-relay");
      clearInterval(page.repeating);
      // A worker that takes another's place hears it too.
      page.repeating = setInterval(() => page.relay?.postMessage(order), 100);
    },
    { attack, share, isMediaRelay } satisfies Order,
  );
}

/**
 * Runs in a media worker before its own script, and stands where a relay would: behind the transforms that seal, and before
 * those that open. It holds no key. Frames that it changed or made are in `hostile`, for the tap to count.
 */
export function hostileRelay(): void {
  const hostile = new WeakSet<object>();
  Object.assign(globalThis, { hostile });
  let order: Order = { attack: null, share: "instead", isMediaRelay: false };
  new BroadcastChannel("hostile-relay").onmessage = ({ data }: MessageEvent<Order>) => {
    order = data;
    if (order.attack === "clear" && !isEncoding) void encode();
  };
  /** The latest sealed frame of every track of the page, in whichever worker. */
  const latest = new Map<number, Uint8Array>();
  const others = new BroadcastChannel("hostile-relay-frames");
  others.onmessage = ({ data: { id, bytes } }) => latest.set(id, bytes);

  /** A picture as an encoder makes it: green, and to be seen if it ever were. */
  let picture: Uint8Array | null = null;
  let isEncoding = false;
  const encode = async () => {
    isEncoding = true;
    const encoder = new VideoEncoder({
      output: (chunk) => {
        picture = new Uint8Array(chunk.byteLength);
        chunk.copyTo(picture);
      },
      error: (error) => {
        throw error;
      },
    });
    encoder.configure({ codec: "avc1.42001f", width: 640, height: 360, avc: { format: "annexb" } });
    const canvas = new OffscreenCanvas(640, 360);
    const context = canvas.getContext("2d");
    if (context === null) throw new Error("This browser gives no canvas.");
    context.fillStyle = "lime";
    context.fillRect(0, 0, 640, 360);
    const frame = new VideoFrame(canvas, { timestamp: 0 });
    encoder.encode(frame, { keyFrame: true });
    frame.close();
    await encoder.flush();
  };

  /** A frame's header (PROTOCOL.md section 6) with other numbers in it. */
  const withNumbers = (frame: Uint8Array, change: (kid: bigint, counter: bigint) => [bigint, bigint]) => {
    const end = frame.length - 1;
    const start = end - (frame[end] ?? 0);
    const config = frame[start] ?? 0;
    let at = start + 1;
    const read = (nibble: number) => {
      if (nibble < 8) return BigInt(nibble);
      let value = 0n;
      for (const stop = at + nibble - 7; at < stop; at++) value = (value << 8n) | BigInt(frame[at] ?? 0);
      return value;
    };
    const bytesOf = (value: bigint) => {
      const bytes: number[] = [];
      for (let rest = value; rest > 0n; rest >>= 8n) bytes.unshift(Number(rest & 255n));
      return bytes;
    };
    const numbers = change(read(config >> 4), read(config & 15));
    const nibbles = numbers.map((value) => (value < 8n ? Number(value) : 7 + bytesOf(value).length));
    const [kid = 0, counter = 0] = nibbles;
    const header = [(kid << 4) | counter, ...numbers.flatMap((value) => (value < 8n ? [] : bytesOf(value)))];
    return new Uint8Array([...frame.subarray(0, start), ...header, header.length]);
  };

  let turn = 0;
  /** The leaf, the epoch, the instance, and the bit that says "sealed". */
  const kids = [1n << 4n, 1n, 1n << 13n, 1n << 10n];
  /** What the relay makes of a frame, never the bytes that it keeps: who opens a frame frees them. Null where it has nothing to make. */
  const make = (id: number, kind: "audio" | "video", frame: Uint8Array, older: Uint8Array[]): Uint8Array | null => {
    turn++;
    const bytes = frame.slice();
    switch (order.attack) {
      case "replay":
        return order.share === "beside" ? bytes : (older[0]?.slice() ?? null);
      case "splice": {
        const foreign = [...latest].filter(([other]) => other !== id);
        return foreign[turn % foreign.length]?.[1].slice() ?? null;
      }
      case "clear":
        // Of sound, a silent packet of Opus.
        return kind === "audio" ? new Uint8Array([0xf8, 0xff, 0xfe]) : picture;
      case "kid":
        return withNumbers(bytes, (kid, counter) => [kid ^ (kids[turn % kids.length] ?? 0n), counter]);
      case "counter":
        return withNumbers(bytes, (kid, counter) => [kid, counter + 500n]);
      case "flip": {
        // Half of them where H.264 has its clear bytes: behind the first start code, the headers of a NAL unit and its slice.
        const early = Math.min(4 + ((turn >> 1) % 2), bytes.length - 1);
        const at = turn % 2 === 0 ? early : (turn * 7919) % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ (1 << ((turn >> 2) % 8));
        return bytes;
      }
      case "truncate":
        return bytes.slice(0, Math.floor((bytes.length * (turn % 10)) / 10));
      default:
        return null;
    }
  };

  type Frame = RTCEncodedVideoFrame;
  const before = (id: number, kind: "audio" | "video", isMediaRelay: boolean) => {
    const older: Uint8Array[] = [];
    let held: Frame | null = null;
    return new TransformStream<Frame, Frame>({
      transform(frame, controller) {
        if (order.isMediaRelay && !isMediaRelay) return controller.enqueue(frame);
        const bytes = new Uint8Array(frame.data.slice(0));
        if (order.attack === "splice") others.postMessage({ id, bytes });
        if (order.attack === "splice") latest.set(id, bytes);
        // Of what came while old frames took its place, nothing was shown yet.
        if (order.attack !== "replay" && older.push(bytes) > 20) older.shift();
        const made = make(id, kind, bytes, older);
        if (made !== null && order.share === "instead") {
          frame.data = made.buffer as ArrayBuffer;
          hostile.add(frame);
        }
        if (order.attack === "reorder" && held === null) {
          held = frame;
          return;
        }
        controller.enqueue(frame);
        if (held !== null) controller.enqueue(held);
        held = null;
        if (made === null || order.share === "instead") return;
        const copy = structuredClone(frame);
        copy.data = made.buffer as ArrayBuffer;
        hostile.add(copy);
        controller.enqueue(copy);
      },
    });
  };
  const behind = () =>
    new TransformStream<Frame, Frame>({
      transform(frame, controller) {
        turn++;
        const isDropped = order.attack === "drop" || (order.attack === "drop-some" && turn % 3 === 0);
        if (!isDropped) controller.enqueue(frame);
      },
    });

  globalThis.addEventListener("rtctransform", (event) => {
    const { transformer } = event as Event & { transformer: RTCRtpScriptTransformer };
    const { side, kind, relay = null } = transformer.options;
    if (side === "open") {
      const readable = transformer.readable.pipeThrough(before(Math.random(), kind, relay !== null));
      Object.defineProperty(transformer, "readable", { value: readable, configurable: true });
    } else {
      const way = behind();
      void way.readable.pipeTo(transformer.writable).catch(() => undefined);
      Object.defineProperty(transformer, "writable", { value: way.writable, configurable: true });
    }
  });
}
