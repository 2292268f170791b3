import { readVideo, type Sighting, stampCameras } from "@sealcast/latency";
import { keepConnections } from "@sealcast/testbed/page";
import {
  aheadOfSound,
  decoded,
  type HostProbe,
  ownEncoders,
  type StreamRecord,
  type ViewerProbe,
  type Watched,
  type Way,
} from "./live-fanout.ts";

const STREAM = "Live stream";
const SAMPLE_MS = 500;

/** In a live host's page: its camera's pictures get stamps. Leaves a `HostProbe` as `globalThis.probe`. */
export function host(way: Way): void {
  // The empty page that comes first is no secure one and has no devices.
  if (!globalThis.isSecureContext) return;
  // The page then finds that it cannot encode once; stamps are drawn with what else this would need.
  if (way === "each") Reflect.deleteProperty(globalThis, "VideoEncoder");
  const connections = keepConnections();
  stampCameras();
  holdSize();
  const copied = new Promise<string>((resolve) => {
    navigator.clipboard.writeText = async (text) => resolve(text);
  });
  const probe: HostProbe = {
    copied: () => copied,
    ownEncoders: async () => ownEncoders(await records(connections)),
  };
  Object.assign(globalThis, { probe });
}

/** In a viewer's page. Leaves a `ViewerProbe` as `globalThis.probe`. */
export function viewer(): void {
  const connections = keepConnections();
  const shown = new ShownStream();
  const probe: ViewerProbe = {
    firstPicture: () => shown.first,
    height: async () => (shown.isDrawn ? shown.height : (decoded(await records(connections))?.height ?? 0)),
    stopDrawing: () => shown.stop(),
    async watch(ms) {
      const seen = shown.isDrawn ? shown.begin() : await decoding(connections);
      const ahead: number[] = [];
      for (const end = performance.now() + ms; performance.now() < end; ) {
        await new Promise((next) => setTimeout(next, SAMPLE_MS));
        // Who draws nothing is muted: reading the browser's records would only cost.
        if (shown.isDrawn) ahead.push(...aheadOfSound(await records(connections)));
      }
      return { ...(await seen()), ahead };
    },
  };
  Object.assign(globalThis, { probe });
}

/** From now on; the function that it returns says what was decoded until its call. */
async function decoding(connections: readonly RTCPeerConnection[]): Promise<() => Promise<Omit<Watched, "ahead">>> {
  const [before, since] = [decoded(await records(connections)), performance.now()];
  return async () => {
    const now = decoded(await records(connections));
    const frames = (now?.frames ?? 0) - (before?.frames ?? 0);
    return { pictures: [], fps: (1_000 * frames) / (performance.now() - since), height: now?.height ?? 0 };
  };
}

/** Every picture of the page's stream, from the first on, in whatever element it is shown. */
class ShownStream {
  readonly first: Promise<number>;
  #resolve: (at: number) => void = () => undefined;
  readonly #watched = new WeakSet<HTMLVideoElement>();
  #pictures: Sighting[] = [];
  #count = 0;
  #video: HTMLVideoElement | null = null;
  #isDrawn = true;
  #unread = () => {};

  constructor() {
    this.first = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    new MutationObserver(() => this.#find()).observe(document, { childList: true, subtree: true });
  }

  get height(): number {
    return this.#video?.videoHeight ?? 0;
  }

  get isDrawn(): boolean {
    return this.#isDrawn;
  }

  stop(): void {
    this.#isDrawn = false;
    this.#unread();
    if (this.#video !== null) this.#video.style.visibility = "hidden";
  }

  /** From now on; the function that it returns says what was shown until its call. */
  begin(): () => Omit<Watched, "ahead"> {
    const [count, since] = [this.#count, performance.now()];
    this.#pictures = [];
    return () => {
      const fps = (1_000 * (this.#count - count)) / (performance.now() - since);
      return { pictures: this.#pictures, fps, height: this.height };
    };
  }

  #find(): void {
    for (const video of document.querySelectorAll("video")) {
      if (video.ariaLabel !== STREAM || this.#watched.has(video)) continue;
      this.#watched.add(video);
      this.#watch(video, 0);
      this.#unread = readVideo(video, (sighting) => this.#pictures.push(sighting));
    }
  }

  #watch(video: HTMLVideoElement, before: number): void {
    video.requestVideoFrameCallback((_, { presentationTime, presentedFrames }) => {
      if (!this.#isDrawn) return;
      this.#watch(video, presentedFrames);
      this.#video = video;
      // Pictures that came and went between two callbacks were shown as well.
      this.#count += presentedFrames - before;
      if (video.checkVisibility()) this.#resolve(presentationTime);
    });
  }
}

/** A link's own encoder keeps the camera's size, as the one for all does: it would make smaller pictures on a busy machine. */
function holdSize(): void {
  const { setParameters } = RTCRtpSender.prototype;
  RTCRtpSender.prototype.setParameters = function (this: RTCRtpSender, parameters, ...options) {
    return setParameters.call(this, { ...parameters, degradationPreference: "maintain-resolution" }, ...options);
  };
}

async function records(connections: readonly RTCPeerConnection[]): Promise<StreamRecord[]> {
  const live = connections.filter(({ connectionState }) => connectionState === "connected");
  const reports = await Promise.all(live.map((connection) => connection.getStats()));
  // The browser's own: its types are those of the standard.
  return reports.flatMap((report) => [...report.values()] as StreamRecord[]);
}
