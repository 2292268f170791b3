import { importBaseKey, newSigningKeys } from "@sealcast/crypto";
import type { KeyUpdate } from "@sealcast/keys/messages";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Verdict } from "../shared/messages.ts";
import { type Attachment, MediaPool } from "./pool.ts";

/** A picture from a host to a viewer over a real connection, through real workers. */

const EPOCH = 3;
const CONTEXT = "a stream";
/** As many batches as come in 3 s: what is not signed was found out by then. */
const BATCHES = 6;
const WITHIN = { timeout: 25_000, interval: 50 };

interface SealedConfiguration extends RTCConfiguration {
  encodedInsertableStreams: true;
}
const CONFIGURATION: SealedConfiguration = { encodedInsertableStreams: true };

class End {
  readonly connection = new RTCPeerConnection(CONFIGURATION);
  readonly workers: Worker[] = [];
  readonly pool: MediaPool;
  replaced = 0;

  constructor(news: readonly KeyUpdate[]) {
    const spawn = () => {
      const worker = new Worker(new URL("../worker/media.worker.ts", import.meta.url), { type: "module" });
      this.workers.push(worker);
      return worker;
    };
    const keys = (port: MessagePort) => {
      for (const item of news) port.postMessage(item);
    };
    this.pool = new MediaPool(spawn, keys, { replaced: () => this.replaced++, fanOutFailed: () => undefined }, 1);
  }

  async replace(): Promise<void> {
    const before = this.replaced;
    this.workers.at(-1)?.terminate();
    await vi.waitUntil(() => this.replaced > before, WITHIN);
  }

  close(): void {
    this.connection.close();
    this.pool.close();
  }
}

let host: End;
let viewer: End;
let sender: RTCRtpSender;
let picture: MediaStreamTrack;
let sent: Attachment;
let received: Attachment;
let batches: number;
/** Whether the host's batches reach the viewer. */
let isSigned: boolean;
let verdicts: Verdict[];
let drawing: ReturnType<typeof setInterval>;

beforeEach(async () => {
  const baseKey = await importBaseKey(new Uint8Array(32).fill(7));
  const { privateKey, publicKey } = await newSigningKeys();
  const epoch = { type: "epoch", id: EPOCH, epoch: EPOCH, leaves: [0, 1], baseKey, outerKey: null } as const;
  host = new End([
    { ...epoch, leaf: 0 },
    { type: "send", epoch: EPOCH },
    { type: "signing", key: privateKey, context: CONTEXT },
  ]);
  viewer = new End([
    { ...epoch, leaf: 1 },
    { type: "signer", leaf: 0, key: publicKey, context: CONTEXT },
  ]);
  batches = 0;
  isSigned = true;
  verdicts = [];
  await connect();
});

afterEach(() => {
  clearInterval(drawing);
  host.close();
  viewer.close();
});

async function connect(): Promise<void> {
  sender = host.connection.addTransceiver("video", { direction: "sendonly" }).sender;
  sent = host.pool.seal(sender, "video", "camera", carryBatch);
  viewer.connection.addEventListener("track", ({ receiver }) => {
    received = viewer.pool.open(receiver, "video", "camera", 0, (verdict) => verdicts.push(verdict));
  });
  host.connection.addEventListener("icecandidate", ({ candidate }) => viewer.connection.addIceCandidate(candidate));
  viewer.connection.addEventListener("icecandidate", ({ candidate }) => host.connection.addIceCandidate(candidate));
  await host.connection.setLocalDescription();
  await viewer.connection.setRemoteDescription(host.connection.localDescription ?? { type: "offer" });
  await viewer.connection.setLocalDescription();
  await host.connection.setRemoteDescription(viewer.connection.localDescription ?? { type: "answer" });
  await sent.ready;
  picture = movingPicture();
  await sender.replaceTrack(picture);
}

/** As the host's page does, which has a connection to the viewer. */
function carryBatch(batch: Uint8Array): void {
  batches++;
  if (isSigned) viewer.pool.verify(batch, 0);
}

function movingPicture(): MediaStreamTrack {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  let at = 0;
  drawing = setInterval(() => {
    at = (at + 8) % 300;
    context?.clearRect(0, 0, 300, 150);
    context?.fillRect(at, 20, 40, 40);
  }, 33);
  const [track] = canvas.captureStream().getTracks();
  if (track === undefined) throw new Error("a canvas has a picture");
  return track;
}

async function report() {
  return (await viewer.pool.report()).tracks.get(received.id) ?? null;
}

async function counts(): Promise<{ opened: number; forged: number }> {
  const now = await report();
  const refused = now?.refused.find(({ why }) => why === "forged");
  return { opened: now?.frames ?? 0, forged: refused?.count ?? 0 };
}

async function untilOpened(frames: number): Promise<void> {
  await vi.waitFor(async () => expect((await counts()).opened).toBeGreaterThan(frames), WITHIN);
}

async function untilBatches(more: number): Promise<void> {
  const wanted = batches + more;
  await vi.waitUntil(() => batches >= wanted, WITHIN);
}

it("a signed picture opens and stays open", async () => {
  await untilOpened(0);
  await untilBatches(BATCHES);
  const { opened } = await counts();
  await untilOpened(opened);
  expect(verdicts).toEqual([]);
}, 60_000);

it("what is sealed just before and after a track is released is signed, too", async () => {
  await untilOpened(10);
  await untilBatches(1);
  sent.release();
  await untilBatches(1);
}, 60_000);

it("workers that die on either side leave nobody accused", async () => {
  await untilOpened(10);
  await host.replace();
  await untilBatches(BATCHES);
  await viewer.replace();
  await untilOpened(0);
  await untilBatches(BATCHES);
  const { opened } = await counts();
  await untilOpened(opened);
  expect(verdicts).toEqual([]);
}, 60_000);

it("a worker that takes another's place hears how long ago each batch of signatures came", async () => {
  await untilOpened(0);
  await untilBatches(2);
  const told = vi.spyOn(Worker.prototype, "postMessage");
  const ages = () => told.mock.calls.flatMap(([message]) => (message.type === "signatures" ? [message.age] : []));
  await untilBatches(1);
  expect(new Set(ages()), "of what comes now").toEqual(new Set([0]));
  await viewer.replace();
  expect(Math.max(...ages())).toBeGreaterThan(100);
  told.mockRestore();
}, 60_000);

it("a picture that is sealed once for several links is signed too, and so it is after its worker died", async () => {
  const fanOut = host.pool.fanOuts.camera;
  fanOut.sign(carryBatch);
  fanOut.show(picture);
  fanOut.encodeAs("video/vp8");
  fanOut.carry(sent.id, sender, null);
  const carried = async () => (await host.pool.report()).tracks.get(sent.id)?.carried ?? 0;
  await vi.waitFor(async () => expect(await carried()).toBeGreaterThan(10), WITHIN);
  await untilBatches(BATCHES);
  await host.replace();
  await vi.waitFor(async () => expect(await carried()).toBeGreaterThan(10), WITHIN);
  await untilBatches(BATCHES);
  const { opened } = await counts();
  await untilOpened(opened);
  expect(verdicts).toEqual([]);
}, 60_000);

it("a picture that is not signed is shut: a fresh transform or another worker does not open it again", async () => {
  await untilOpened(10);
  isSigned = false;
  await vi.waitUntil(() => verdicts.includes("forged"), WITHIN);
  const shut = async () => expect((await counts()).forged).toBeGreaterThan(10);
  await vi.waitFor(shut, WITHIN);
  const { opened } = await counts();
  isSigned = true;
  received.renew();
  await vi.waitFor(shut, WITHIN);
  expect((await counts()).opened).toBe(0);
  expect(opened).toBeGreaterThan(0);
  await viewer.replace();
  await vi.waitFor(shut, WITHIN);
  expect((await counts()).opened).toBe(0);
  expect(verdicts).toEqual(["unsigned", "forged"]);
}, 60_000);
