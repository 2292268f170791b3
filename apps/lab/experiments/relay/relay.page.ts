import { readVideo, type Sighting, stamped } from "@sealcast/latency";
import type { PictureSize, RelayPage, RelaySeen, RelayTerms } from "./relay.ts";
import { endOf, type RelayEnd } from "./relay-connections.page.ts";

const SMALL = { width: 320, height: 180 };
/** A size of the picture comes as it is asked for, or never; a busy machine takes long to find that it may send it. */
const SWITCHED_WITHIN_MS = 60_000;

/** A call of people who each show one other person large, and the rest small. */
export function relay(): RelayPage {
  let call: Call | null = null;
  const joined = (): Call => {
    if (call === null) throw new Error("nobody has joined");
    return call;
  };
  return {
    async relayJoin(terms) {
      const [camera] = (await navigator.mediaDevices.getUserMedia({ video: videoOf(terms) })).getTracks();
      if (camera === undefined) throw new Error("there is no camera");
      call = new Call(stamped(camera), terms);
      const { tiles } = call;
      call.end = endOf(terms, (leaf, receiver) => tiles.add(leaf, receiver));
      await call.end.join(terms, call.camera);
    },
    relayShown: async () => joined().tiles.shown(),
    relayWatch: (ms) => joined().tiles.watch(ms),
    relaySwitch: () => joined().switch(),
    async relayEnd() {
      await call?.close();
      call = null;
    },
  };
}

function videoOf({ picture: { width, height, frameRate } }: RelayTerms): MediaTrackConstraints {
  return { width, height, frameRate };
}

class Call {
  readonly camera: MediaStreamTrack;
  readonly tiles: Tiles;
  end: RelayEnd | null = null;

  constructor(camera: MediaStreamTrack, { leaf, picture }: RelayTerms) {
    this.camera = camera;
    this.tiles = new Tiles(leaf === 0 ? 1 : 0, picture, (of, size) => this.end?.show(of, size));
  }

  async switch(): Promise<number> {
    const still = this.tiles.longestStill();
    for (const size of [SMALL, this.tiles.size]) {
      this.end?.show(this.tiles.large, size);
      await this.tiles.reach(size.height);
    }
    return still();
  }

  async close(): Promise<void> {
    this.tiles.close();
    this.camera.stop();
    await this.end?.close();
  }
}

interface Tile {
  readonly video: HTMLVideoElement;
  readonly receiver: RTCRtpReceiver;
}

/** The others' pictures, one of them large. */
class Tiles {
  readonly large: number;
  /** Of the large one. */
  readonly size: PictureSize;
  readonly #ask: (leaf: number, size: PictureSize) => void;
  readonly #tiles = new Map<number, Tile>();
  #seen: Sighting[] = [];
  #unread = () => {};

  constructor(large: number, size: PictureSize, ask: (leaf: number, size: PictureSize) => void) {
    this.large = large;
    this.size = size;
    this.#ask = ask;
  }

  add(leaf: number, receiver: RTCRtpReceiver): void {
    const video = document.createElement("video");
    video.srcObject = new MediaStream([receiver.track]);
    video.muted = true;
    const size = leaf === this.large ? this.size : SMALL;
    video.width = size.width;
    document.body.append(video);
    // Rejects when it is removed before there was a picture.
    video.play().catch(() => undefined);
    this.#tiles.get(leaf)?.video.remove();
    this.#tiles.set(leaf, { video, receiver });
    this.#ask(leaf, size);
    if (leaf === this.large) this.#unread = readVideo(video, (sighting) => this.#seen.push(sighting));
  }

  shown(): { others: number; height: number } {
    const others = [...this.#tiles.values()].filter(({ video }) => video.videoHeight > 0).length;
    return { others, height: this.#large().video.videoHeight };
  }

  async watch(ms: number): Promise<RelaySeen> {
    const before = await this.#records();
    this.#seen = [];
    await new Promise((resolve) => setTimeout(resolve, ms));
    const after = await this.#records();
    const more = (leaf: number, field: "framesDecoded" | "freezeCount") =>
      (after.get(leaf)?.[field] ?? 0) - (before.get(leaf)?.[field] ?? 0);
    const rates = [...after.keys()].map((leaf) => (1_000 * more(leaf, "framesDecoded")) / ms);
    return {
      pictures: this.#seen,
      freezes: more(this.large, "freezeCount"),
      fpsLeast: Math.min(...rates),
      height: after.get(this.large)?.frameHeight ?? 0,
    };
  }

  /** From now on; the function that it returns says for how long the large picture stood still at most, until its call. */
  longestStill(): () => number {
    const { video } = this.#large();
    let [longest, at, isOver] = [0, performance.now(), false];
    const note = (now: number) => {
      longest = Math.max(longest, now - at);
      at = now;
    };
    const next = () =>
      video.requestVideoFrameCallback((now) => {
        if (isOver) return;
        note(now);
        next();
      });
    next();
    return () => {
      isOver = true;
      note(performance.now());
      return longest;
    };
  }

  /** Done when the large picture is so high. */
  async reach(height: number): Promise<void> {
    const { video } = this.#large();
    const until = performance.now() + SWITCHED_WITHIN_MS;
    while (video.videoHeight !== height) {
      if (performance.now() > until) throw new Error(`the picture stayed ${video.videoHeight} high, not ${height}`);
      await new Promise(requestAnimationFrame);
    }
  }

  close(): void {
    this.#unread();
    for (const { video } of this.#tiles.values()) video.remove();
  }

  #large(): Tile {
    const tile = this.#tiles.get(this.large);
    if (tile === undefined) throw new Error("the large picture has not come");
    return tile;
  }

  async #records(): Promise<Map<number, Partial<RTCInboundRtpStreamStats>>> {
    const read = async ([leaf, { receiver }]: [number, Tile]) => {
      // The browser's own records: their types are those of the standard.
      const records = [...(await receiver.getStats()).values()] as RTCInboundRtpStreamStats[];
      return [leaf, records.find(({ type }) => type === "inbound-rtp") ?? {}] as const;
    };
    return new Map(await Promise.all([...this.#tiles].map(read)));
  }
}
