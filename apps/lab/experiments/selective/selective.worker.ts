import { AES_128_GCM_SHA256_128, frameCipher } from "@sealcast/crypto";
import { type Layers, ONE_LAYER, type Sealer } from "@sealcast/media/sealing";
import { ends } from "../../src/worker/ends.ts";
import {
  atRate,
  type Pace,
  type PacketRequest,
  type PacketSession,
  type PacketTimes,
  type Pictures,
  type SelectiveKey,
} from "./selective.ts";

declare const self: DedicatedWorkerGlobalScope;

/** Every packet of the paper's is as long as this; a picture is cut, or padded with zeros. */
const PACKET_BYTES = 95_000;
/** A codec that is sealed whole, as the paper's packets are. */
const MIME_TYPE = "video/VP9";

const layers: Record<SelectiveKey, Layers> = {
  "AES-128": { tag: 16, cipher: ({ baseKey }, kid) => frameCipher(AES_128_GCM_SHA256_128, baseKey, kid) },
  "AES-256": ONE_LAYER,
};

self.addEventListener("message", ({ data: { pictures } }: MessageEvent<Pictures>) => listen(pictures), { once: true });

function listen(pictures: readonly Uint8Array[]): void {
  const answer = async (request: PacketRequest) => {
    if (request.type === "session") self.postMessage(await session(pictures, request));
    else await pace(pictures, request);
  };
  self.addEventListener("message", ({ data }: MessageEvent<PacketRequest>) => void answer(data).catch(reportError));
}

/** As many packets as the job says, as fast as they go: each is made, sealed and opened before the next. */
async function session(pictures: readonly Uint8Array[], job: PacketSession): Promise<PacketTimes> {
  const { sealer, opener } = await ends(layers[job.key], atRate(job.percent));
  let encMs = 0;
  let decMs = 0;
  for (let number = 0; number < job.packets; number++) {
    const made = performance.now();
    const sealed = await seal(sealer, packet(pictures, number));
    const arrived = performance.now();
    const opened = await opener.open(sealed, MIME_TYPE, false);
    decMs += performance.now() - arrived;
    encMs += arrived - made;
    if (!opened.ok || opened.data.byteLength !== PACKET_BYTES) throw new Error("a packet did not come back");
    spend(sealed);
    spend(opened.data);
  }
  return { encMs: encMs / job.packets, decMs: decMs / job.packets };
}

/** A sender, for as long as this worker lives. */
async function pace(pictures: readonly Uint8Array[], job: Pace): Promise<void> {
  const { sealer } = await ends(layers[job.key], atRate(job.percent));
  const begin = performance.now();
  for (let number = 0; ; number++) {
    const due = begin + (1000 * number) / job.perSecond;
    await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
    spend(await seal(sealer, packet(pictures, number)));
  }
}

/** What the paper's capturing module does: a picture's bytes become a packet. */
function packet(pictures: readonly Uint8Array[], number: number): ArrayBuffer {
  const made = new Uint8Array(PACKET_BYTES);
  made.set(pictures[number % pictures.length]?.subarray(0, PACKET_BYTES) ?? []);
  return made.buffer;
}

async function seal(sealer: Sealer, made: ArrayBuffer): Promise<ArrayBuffer> {
  const sealed = await sealer.seal(made, MIME_TYPE, false);
  if (!sealed.ok) throw new Error(`a packet was not sealed: ${sealed.drop}`);
  spend(made);
  return sealed.data;
}

/** Its memory is given back at once, as the product does: collecting it would stall a later packet. */
function spend(buffer: ArrayBuffer): void {
  buffer.transfer(0);
}
