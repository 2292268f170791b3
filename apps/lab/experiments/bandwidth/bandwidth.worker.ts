import { AES_128_GCM_SHA256_128, AES_256_GCM_SHA512_128, frameCipher, importBaseKey, random } from "@sealcast/crypto";
import { secondLayer } from "@sealcast/crypto/second-layer";
import { EVERYTHING } from "@sealcast/frame";
import { ONE_LAYER } from "@sealcast/media/sealing";
import { ends } from "../../src/worker/ends.ts";
import {
  type BandwidthRequest,
  type BurstTimes,
  burst,
  type PacketCipher,
  type PageCipher,
  type PointRun,
  paced,
  packetsOf,
} from "./bandwidth.ts";

declare const self: DedicatedWorkerGlobalScope;

type FrameCipher = Awaited<ReturnType<typeof frameCipher>>;
type Suite = Parameters<typeof frameCipher>[0];

const KID = 1n;
const NOTHING = new Uint8Array();

/** No cipher: what is left is the packet's copy and the loop around it. */
const blank: FrameCipher = {
  seal: async (_counter, _aad, packet) => packet.slice(),
  open: async (_counter, _aad, sealed) => sealed.slice(),
};

/** Each with fresh keys. */
const make: Record<PageCipher, () => Promise<PacketCipher>> = {
  Blank: async () => packetCipher(blank),
  "AES-256-GCM": () => sframe(AES_256_GCM_SHA512_128),
  "AES-128-GCM": () => sframe(AES_128_GCM_SHA256_128),
  "XChaCha20-Poly1305": async () => packetCipher(await secondLayer(blank, random(32), KID)),
  "Sealer and Opener": product,
};

/** The first message has the recorded frames; each one after it is answered. */
self.addEventListener("message", ({ data: frames }: MessageEvent<Uint8Array[]>) => listen(frames), { once: true });

function listen(frames: readonly Uint8Array[]): void {
  const answer = async (request: BandwidthRequest<PageCipher>) => self.postMessage(await run(request, frames));
  self.addEventListener("message", ({ data }) => void answer(data).catch(reportError));
}

async function run(
  request: BandwidthRequest<PageCipher>,
  frames: readonly Uint8Array[],
): Promise<BurstTimes | PointRun> {
  const packets = request.load === "frames" ? frames : packetsOf(request.load);
  if (request.type === "burst") return burst(request, packets, make[request.cipher]);
  const cipher = await make[request.cipher]();
  // Nobody opens them, so they are freed at once (see [Note: Frame memory]).
  return paced(request, packets, async (number, packet) => {
    (await cipher.seal(number, packet)).buffer.transfer(0);
  });
}

/** As the product derives its keys and calls Web Crypto, without the frame around it. */
async function sframe(suite: Suite): Promise<PacketCipher> {
  return packetCipher(await frameCipher(suite, await importBaseKey(random(32)), KID));
}

function packetCipher(cipher: FrameCipher): PacketCipher {
  return {
    seal: (number, packet) => cipher.seal(number, NOTHING, packet),
    open: (number, sealed) => cipher.open(number, NOTHING, sealed),
  };
}

/** The product's whole frames, VP8. */
async function product(): Promise<PacketCipher> {
  const { sealer, opener } = await ends(ONE_LAYER, EVERYTHING);
  return {
    async seal(_number, { buffer }) {
      const sealed = await sealer.seal(buffer as ArrayBuffer, "video/VP8", false);
      if (!sealed.ok) throw new Error(`a frame was not sealed: ${sealed.drop}`);
      sealed.spent.transfer(0);
      return new Uint8Array(sealed.data);
    },
    async open(_number, { buffer }) {
      const opened = await opener.open(buffer as ArrayBuffer, "video/VP8", false);
      if (!opened.ok) return null;
      opened.spent?.transfer(0);
      return new Uint8Array(opened.data);
    },
  };
}
