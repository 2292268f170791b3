import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { commands, userEvent } from "vitest/browser";
import type { LineSource } from "../signal.ts";
import { RelayConnection, type RelayOptions, type RelayState } from "./relay.ts";

declare module "vitest/browser" {
  interface BrowserCommands {
    /** A LiveKit server of this file's own, with a token for each identity; null where there is none on this machine. */
    startLiveKit(identities: string[]): Promise<{ url: string; tokens: string[] } | null>;
    /** It crashes, and comes back at the same address knowing nothing of its rooms. */
    crashLiveKit(): Promise<void>;
    stopLiveKit(): Promise<void>;
  }
}

/** Says of each frame whether it was sealed, and passes on, opened, what was. `side`: what the transform does. */
function transform(): void {
  const seal = [0x5e, 0xa1, 0xca, 0x57];
  addEventListener("rtctransform", (event) => {
    const { readable, writable, options } = (event as RTCTransformEvent).transformer;
    const { side, port } = options as { side: "seal" | "open"; port: MessagePort };
    const passed = new TransformStream<RTCEncodedVideoFrame, RTCEncodedVideoFrame>({
      transform(frame, controller) {
        const bytes = new Uint8Array(frame.data);
        const isSealed = seal.every((byte, at) => bytes.at(at - seal.length) === byte);
        const end = [...bytes.subarray(-64)];
        if (side === "seal") frame.data = new Uint8Array([...bytes, ...seal]).buffer;
        else if (isSealed) frame.data = bytes.slice(0, -seal.length).buffer;
        port.postMessage({ isSealed, end, length: bytes.length });
        if (side === "seal" || isSealed) controller.enqueue(frame);
      },
    });
    void readable.pipeThrough(passed).pipeTo(writable);
  });
}

interface SeenFrame {
  readonly isSealed: boolean;
  /** Its last bytes. */
  readonly end: number[];
  readonly length: number;
}

/** One end, which seals all that it sends and opens all that it gets. */
class Page {
  readonly connection: RelayConnection;
  readonly states: RelayState[] = [];
  readonly sealed: LineSource[] = [];
  /** By identity and source. */
  readonly frames = new Map<string, SeenFrame[]>();
  readonly receivers = new Map<string, RTCRtpReceiver>();
  readonly ended: MediaStreamTrack[] = [];
  readonly marks: Uint8Array[] = [];
  readonly #worker: Worker;
  readonly #tracks: Partial<Record<LineSource, MediaStreamTrack>>;

  constructor(worker: Worker, tracks: Partial<Record<LineSource, MediaStreamTrack>> = {}) {
    this.#worker = worker;
    this.#tracks = tracks;
    this.connection = new RelayConnection({
      seal: (sender, source, silence) => {
        this.sealed.push(source);
        sender.transform = this.#transform("seal", `own ${source}`);
        void sender.replaceTrack(this.#tracks[source] ?? silence);
      },
      open: (receiver, identity, source, mark) => {
        this.marks.push(mark);
        this.receivers.set(`${identity} ${source}`, receiver);
        receiver.transform = this.#transform("open", `${identity} ${source}`);
      },
      ended: (track) => this.ended.push(track),
      state: (state) => this.states.push(state),
    });
  }

  #transform(side: "seal" | "open", name: string): RTCRtpScriptTransform {
    const { port1, port2 } = new MessageChannel();
    const seen: SeenFrame[] = this.frames.get(name) ?? [];
    this.frames.set(name, seen);
    port1.onmessage = ({ data }: MessageEvent<SeenFrame>) => seen.push(data);
    return new RTCRtpScriptTransform(this.#worker, { side, port: port2 }, [port2]);
  }

  count(name: string): number {
    return this.frames.get(name)?.length ?? 0;
  }

  /** Frames that came in clear and were not made up by the relay. */
  clear(name: string): SeenFrame[] {
    const mark = [...(this.marks.at(-1) ?? [])].join();
    const isMadeUp = ({ end }: SeenFrame) => mark !== "" && end.slice(-mark.split(",").length).join() === mark;
    return (this.frames.get(name) ?? []).filter((frame) => !frame.isSealed && !isMadeUp(frame));
  }
}

const SIZE = { width: 320, height: 180 };

/** Moves all the time. */
function camera(): MediaStreamTrack {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: 320, height: 180 });
  const context = canvas.getContext("2d");
  let hue = 0;
  setInterval(() => {
    if (context === null) return;
    context.fillStyle = `hsl(${hue++} 80% 50%)`;
    context.fillRect(0, 0, 320, 180);
  }, 66);
  const [track] = canvas.captureStream(15).getVideoTracks();
  return track as MediaStreamTrack;
}

/** Call once someone has touched the page: before that, nothing sounds in it. */
function microphone(): MediaStreamTrack {
  const context = new AudioContext();
  const oscillator = new OscillatorNode(context);
  const destination = context.createMediaStreamDestination();
  oscillator.connect(destination);
  oscillator.start();
  return destination.stream.getAudioTracks()[0] as MediaStreamTrack;
}

/** Those that are opened from here on: LiveKit's. */
const sockets: WebSocket[] = [];
const Original = WebSocket;
globalThis.WebSocket = class extends Original {
  constructor(url: string | URL, protocols?: string | string[]) {
    super(url, protocols);
    sockets.push(this);
  }
};
function closeSockets(): void {
  for (const socket of sockets.splice(0)) socket.close();
}

let livekit: { url: string; tokens: string[] } | null = null;
const pages: Page[] = [];
const worker = new Worker(URL.createObjectURL(new Blob([`(${transform})()`], { type: "text/javascript" })));

beforeAll(async () => {
  livekit = await commands.startLiveKit(["ada", "ben", "tap"]);
  return () => commands.stopLiveKit();
});
afterEach(() => {
  for (const page of pages.splice(0)) page.connection.close();
});

async function join(page: Page, index: number): Promise<Page> {
  pages.push(page);
  const options: RelayOptions = { url: livekit!.url, token: livekit!.tokens[index]!, iceServers: [] };
  await page.connection.connect(options);
  return page;
}

test("sealed frames pass, and never a clear one, after lost connections either", async ({ skip }) => {
  if (livekit === null) return skip("no livekit-server on this machine");
  await userEvent.click(document.body);
  const ada = await join(new Page(worker, { camera: camera(), microphone: microphone() }), 0);
  const ben = await join(new Page(worker), 1);
  const tap = await join(new Page(worker), 2);
  ada.connection.allow(["ben", "tap"]);
  for (const other of [ben, tap]) other.connection.follow("ada", "all");
  await Promise.all((["camera", "microphone"] as const).map((one) => ada.connection.publish(one, SIZE)));
  for (const name of ["ada camera", "ada microphone"])
    await vi.waitFor(() => expect(ben.count(name), name).toBeGreaterThan(10), { timeout: 20_000, interval: 100 });
  const goesOn = async () => {
    const before = tap.count("ada camera");
    await vi.waitFor(() => expect(tap.count("ada camera")).toBeGreaterThan(before + 10), { timeout: 30_000 });
  };
  closeSockets();
  await goesOn();
  await commands.crashLiveKit();
  await vi.waitFor(() => expect(ada.states.slice(-2)).toEqual(["reconnecting", "connected"]), { timeout: 30_000 });
  await goesOn();
  expect(ada.sealed.length, "after the crash, all senders were others").toBe(4);
  // It comes back later than the other one, or sooner.
  await vi.waitFor(async () => expect(await decodedBy(ben)).toBeGreaterThan(0), { timeout: 30_000 });
  for (const name of ["ada camera", "ada microphone"]) {
    expect(tap.count(name)).toBeGreaterThan(10);
    expect([...tap.clear(name), ...ben.clear(name)], name).toEqual([]);
  }
}, 90_000);

/** Frames of ada's camera. */
async function decodedBy({ receivers }: Page): Promise<number> {
  const report = await receivers.get("ada camera")?.getStats();
  const entries: RTCInboundRtpStreamStats[] = [...(report?.values() ?? [])];
  return entries.find(({ type }) => type === "inbound-rtp")?.framesDecoded ?? 0;
}

test("of sound without a device sealed silence comes", async ({ skip }) => {
  if (livekit === null) return skip("no livekit-server on this machine");
  await userEvent.click(document.body);
  const ada = await join(new Page(worker), 0);
  const ben = await join(new Page(worker), 1);
  ada.connection.allow(["ben"]);
  ben.connection.follow("ada", "all");
  await ada.connection.publish("microphone", SIZE);
  await vi.waitFor(() => expect(ben.count("ada microphone")).toBeGreaterThan(10), { timeout: 20_000, interval: 100 });
  expect(ben.clear("ada microphone")).toEqual([]);
}, 60_000);

test("whom nobody follows sends nothing here, and who is not followed any more stops", async ({ skip }) => {
  if (livekit === null) return skip("no livekit-server on this machine");
  const ada = await join(new Page(worker, { camera: camera() }), 0);
  const ben = await join(new Page(worker), 1);
  const tap = await join(new Page(worker), 2);
  ada.connection.allow(["ben", "tap"]);
  await ada.connection.publish("camera", SIZE);
  ben.connection.follow("ada", "all");
  await vi.waitFor(() => expect(ben.count("ada camera")).toBeGreaterThan(5), { timeout: 20_000 });
  expect(tap.receivers.size).toBe(0);
  ben.connection.follow("ada", null);
  const [receiver] = ben.receivers.values();
  await vi.waitFor(() => expect(ben.ended).toEqual([receiver?.track]), { timeout: 10_000 });
  expect(ada.states).toEqual(["connected"]);
}, 60_000);

test("a picture that is not to be sent does not come, and goes on once it is shown again", async ({ skip }) => {
  if (livekit === null) return skip("no livekit-server on this machine");
  const ada = await join(new Page(worker, { camera: camera() }), 0);
  const ben = await join(new Page(worker), 1);
  ada.connection.allow(["ben"]);
  await ada.connection.publish("camera", SIZE);
  ben.connection.follow("ada", "all");
  await vi.waitFor(async () => expect(await decodedBy(ben)).toBeGreaterThan(5), { timeout: 20_000 });
  ben.connection.show("ada", "camera", null);
  let latest = -1;
  const more = async () => {
    const before = latest;
    latest = ben.count("ada camera") + ada.count("own camera");
    return latest - before;
  };
  const rests = { timeout: 20_000, interval: 1_000 };
  await vi.waitFor(async () => expect(await more(), "nobody else wants it: nor is it encoded").toBe(0), rests);
  const before = await decodedBy(ben);
  ben.connection.show("ada", "camera", SIZE);
  await vi.waitFor(async () => expect(await decodedBy(ben)).toBeGreaterThan(before + 5), { timeout: 20_000 });
  expect(ben.clear("ada camera")).toEqual([]);
}, 60_000);

test("whom a page does not allow gets nothing of it, though it asks, and who is no longer allowed gets no more", async ({
  skip,
}) => {
  if (livekit === null) return skip("no livekit-server on this machine");
  const ada = await join(new Page(worker, { camera: camera() }), 0);
  const ben = await join(new Page(worker), 1);
  const tap = await join(new Page(worker), 2);
  for (const other of [ben, tap]) other.connection.follow("ada", "all");
  ada.connection.allow(["ben"]);
  await ada.connection.publish("camera", SIZE);
  await vi.waitFor(() => expect(ben.count("ada camera")).toBeGreaterThan(5), { timeout: 20_000 });
  expect(tap.count("ada camera")).toBe(0);
  ada.connection.allow(["tap"]);
  await vi.waitFor(() => expect(tap.count("ada camera")).toBeGreaterThan(5), { timeout: 20_000 });
  const before = ben.count("ada camera");
  const since = tap.count("ada camera");
  await vi.waitFor(() => expect(tap.count("ada camera")).toBeGreaterThan(since + 20), { timeout: 20_000 });
  expect(ben.count("ada camera")).toBe(before);
}, 60_000);

test("a microphone stays as its person has it, whatever the relay says", async ({ skip }) => {
  if (livekit === null) return skip("no livekit-server on this machine");
  await userEvent.click(document.body);
  const [muted, heard] = [microphone(), microphone()];
  muted.enabled = false;
  const switched = vi.spyOn(MediaStreamTrack.prototype, "enabled", "set");
  const ada = await join(new Page(worker, { microphone: muted, "screen-sound": heard }), 0);
  await ada.connection.publish("microphone", SIZE);
  await ada.connection.publish("screen-sound", SIZE);
  let sids: string[] = [];
  // It lists a track some time after it has taken it.
  await vi.waitFor(async () => {
    const { participants } = await ask("ListParticipants", { room: "test" });
    sids = participants.flatMap(({ tracks }) => tracks.map(({ sid }) => sid));
    expect(sids.length).toBe(2);
  }, 10_000);
  for (const sid of sids)
    await ask("MutePublishedTrack", { room: "test", identity: "ada", track_sid: sid, muted: true });
  const off = () => switched.mock.calls.filter(([on]) => !on).length;
  await vi.waitFor(() => expect(off(), "LiveKit's client did as it was told").toBeGreaterThanOrEqual(2));
  for (const own of [muted, heard]) expect(switched.mock.contexts).not.toContain(own);
  expect([muted.enabled, heard.enabled]).toEqual([false, true]);
});

interface Answer {
  participants: { tracks: { sid: string }[] }[];
}

/** Has LiveKit do something as one who rules its room. */
async function ask(method: string, body: object): Promise<Answer> {
  const address = `${livekit!.url.replace(/^ws/, "http")}/twirp/livekit.RoomService/${method}`;
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${livekit!.tokens[0]}` };
  const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(body) });
  expect(answer.status, method).toBe(200);
  return answer.json();
}
