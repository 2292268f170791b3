import type { PageProbe, PageTerms, WorkerSeen } from "./membership.ts";

/** Runs in a page of the product before its own scripts, as text. Leaves a `PageProbe` as `globalThis.probe`. */
export function watchPage({ camera, microphone, hostile }: PageTerms): void {
  // The empty page that comes first is no secure one and has no devices.
  if (!globalThis.isSecureContext) return;

  const original = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = (constraints) => {
    const { video, audio } = constraints ?? {};
    const isMissing = (video && !camera) || (audio && !microphone);
    if (isMissing) return Promise.reject(new DOMException("there is none", "NotFoundError"));
    if (typeof video !== "object") return original(constraints);
    return original({ ...constraints, video: { ...video, width: 320, height: 180, frameRate: 5 } }).then(ownCamera);
  };

  // All pages of a browser share one camera, which has three places for frames in Chromium: three pages that each hold one
  // while they are busy stop it for seconds. On computers of their own they would not, so each gets copies.
  type Breakout = {
    MediaStreamTrackGenerator: new (init: {
      kind: "video";
    }) => MediaStreamTrack & { writable: WritableStream<VideoFrame> };
    MediaStreamTrackProcessor: new (init: { track: MediaStreamTrack }) => { readable: ReadableStream<VideoFrame> };
  };
  const breakout = globalThis as unknown as Breakout;
  const ownCamera = (stream: MediaStream): MediaStream => {
    const [shared] = stream.getVideoTracks();
    if (shared === undefined) return stream;
    const copy = new TransformStream<VideoFrame, VideoFrame>({
      async transform(frame, controller) {
        const { displayWidth, displayHeight, timestamp, visibleRect } = frame;
        const data = new Uint8Array(frame.allocationSize());
        const layout = await frame.copyTo(data);
        const format = frame.format ?? "I420";
        frame.close();
        const [codedWidth, codedHeight] = [visibleRect?.width ?? displayWidth, visibleRect?.height ?? displayHeight];
        controller.enqueue(
          new VideoFrame(data, { format, layout, codedWidth, codedHeight, displayWidth, displayHeight, timestamp }),
        );
      },
    });
    const written = new breakout.MediaStreamTrackGenerator({ kind: "video" });
    const { readable } = new breakout.MediaStreamTrackProcessor({ track: shared });
    void readable.pipeThrough(copy).pipeTo(written.writable);
    const own = written.clone();
    own.getSettings = () => shared.getSettings();
    return new MediaStream([own, ...stream.getAudioTracks()]);
  };

  const close = RTCPeerConnection.prototype.close;
  const closed: RTCPeerConnection[] = [];
  RTCPeerConnection.prototype.close = function (this: RTCPeerConnection) {
    closed.push(this);
  };

  if (hostile) {
    const { set } = Object.getOwnPropertyDescriptor(Worker.prototype, "onmessage") ?? {};
    Object.defineProperty(Worker.prototype, "onmessage", {
      set(this: Worker, heard: (event: MessageEvent) => void) {
        set?.call(this, (event: MessageEvent) => event.data.type === "refused" || heard(event));
      },
    });
  }

  const clicks = new Map<string, number>();
  const click = ({ target }: Event) => {
    const words = target instanceof Element ? target.closest("button")?.textContent : null;
    if (words) clicks.set(words, performance.timeOrigin + performance.now());
  };
  addEventListener("click", click, { capture: true });

  let copied = "";
  navigator.clipboard.writeText = (text) => {
    copied = text;
    return Promise.resolve();
  };

  const channel = new BroadcastChannel("probe");
  const answers = new Map<number, WorkerSeen[]>();
  let workers = 0;
  let asked = 0;
  let lastOpenedAt = 0;
  type FromWorker = { hello: true } | { openedAt: number } | { answer: number; seen: WorkerSeen };
  channel.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if ("hello" in data) workers++;
    else if ("openedAt" in data) lastOpenedAt = Math.max(lastOpenedAt, data.openedAt);
    else answers.get(data.answer)?.push(data.seen);
  };
  const probe: PageProbe = {
    clickedAt: (words) => clicks.get(words) ?? 0,
    copied: () => copied,
    lastOpenedAt: () => lastOpenedAt,
    async seen(withFrames) {
      const ask = asked++;
      const answer: WorkerSeen[] = [];
      answers.set(ask, answer);
      channel.postMessage({ ask, withFrames });
      // A worker that the page has replaced meanwhile does not answer.
      const end = performance.now() + 5_000;
      while (answer.length < workers && performance.now() < end) await new Promise((next) => setTimeout(next, 10));
      answers.delete(ask);
      return answer;
    },
    forget: () => channel.postMessage({ forget: true }),
    hangUp: () => {
      for (const connection of closed.splice(0)) close.call(connection);
    },
  };
  Object.assign(globalThis, { probe });
}
