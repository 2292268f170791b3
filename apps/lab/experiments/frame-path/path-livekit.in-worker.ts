import { importBaseKey, random } from "@sealcast/crypto";
import { deliver } from "../capacity/replay.in-worker.ts";
import type { PathTrack } from "./frame-path.ts";
import type { PathProduct } from "./path-product.in-worker.ts";

const ADA = "ada";

/** As livekit-client's ExternalE2EEKeyProvider has them. */
const keyProviderOptions = {
  sharedKey: true,
  ratchetSalt: "LKFrameEncryptionKey",
  ratchetWindowSize: 0,
  failureTolerance: -1,
  keyringSize: 16,
  keySize: 128,
};

export const livekit: PathProduct = {
  // The messages of livekit-client's E2EEManager, in its order.
  async prepare() {
    await import("livekit-client/e2ee-worker");
    deliver({ kind: "init", data: { keyProviderOptions, loglevel: "warn" } });
    const key = await importBaseKey(random(32));
    deliver({ kind: "setKey", data: { isPublisher: false, key, keyIndex: 0, updateCurrentKeyIndex: true } });
    deliver({ kind: "enable", data: { enabled: true, participantIdentity: ADA } });
  },
  sealing: (track) => options("encode", `s${track.number}`, track),
  opening: (track) => options("decode", `o${track.number}`, track),
};

/** It names a codec for video only. */
function options(kind: "encode" | "decode", trackId: string, { codec }: PathTrack): object {
  const named = codec === "opus" ? undefined : codec;
  return { kind, participantIdentity: ADA, trackId, codec: named, hasPacketTrailer: false };
}
