import { newSigningKeys, sign, verify } from "@sealcast/crypto";
import { parseSignedBatch, type SignedBatch, signedMessage } from "@sealcast/frame";
import { Keyring, ONE_LAYER, Opener, Policies, Sealer, Signer, Verifier } from "@sealcast/media/sealing";
import { ManualClock, milli } from "@sealcast/time";
import { beginEpoch, LEAF } from "../../src/worker/epoch.ts";
import type { SignaturesJob, SignaturesPassed } from "./signatures.ts";

declare const self: DedicatedWorkerGlobalScope;

const CONTEXT = "the lab";
const MIME_TYPE = "video/VP8";
const FRAMES_PER_SECOND = 30;
const TIMES = 200;

self.addEventListener("message", ({ data }: MessageEvent<SignaturesJob>) => {
  const answer = async () => self.postMessage(await pass(data));
  void answer().catch(reportError);
});

async function pass({ frames, signed }: SignaturesJob): Promise<SignaturesPassed> {
  const ends = await open(signed);
  const sealed = await sealAll(ends, frames);
  const opened = await openAll(ends, sealed.frames);
  const seconds = frames.length / FRAMES_PER_SECOND;
  const bytes = ends.batches.reduce((sum, { body, signature }) => sum + body.length + signature.length, 0);
  const [batch] = ends.batches;
  return {
    frames: frames.length,
    sealUs: sealed.us,
    openUs: opened.us,
    sealP50Us: sealed.p50,
    openP50Us: opened.p50,
    bytesPerSecond: bytes / seconds,
    ...(batch === undefined ? { signUs: null, verifyUs: null } : await signatures(ends.keys, batch)),
  };
}

/** Both ends of a stream, with fresh keys. */
async function open(signed: boolean) {
  const keyring = new Keyring(ONE_LAYER);
  const policies = new Policies();
  const keys = await newSigningKeys();
  await beginEpoch((update) => keyring.apply(update));
  keyring.apply({ type: "signing", key: keys.privateKey, context: CONTEXT });
  keyring.apply({ type: "signer", leaf: LEAF, key: keys.publicKey, context: CONTEXT });
  const batches: SignedBatch[] = [];
  // Frames come as fast as they go, and their batches as they would in a call.
  const clock = new ManualClock();
  const signer = new Signer(keyring, clock, (bytes) => {
    const batch = parseSignedBatch(bytes);
    if (batch !== null) batches.push(batch);
  });
  const from = { leaf: LEAF, source: "camera" } as const;
  const judged = () => reportError(new Error("an honest stream was not taken for signed"));
  // Stands still: what the host signs is there as soon as it is looked for.
  const verifier = new Verifier(keyring, from, new ManualClock(), judged);
  const sealer = new Sealer(keyring, policies, "video", { ...from, instance: 0 }, signed ? signer : null);
  const opener = new Opener(keyring, policies, "video", from, signed ? verifier : null);
  return { sealer, opener, verifier, clock, batches, keys };
}

type Ends = Awaited<ReturnType<typeof open>>;

async function sealAll({ sealer, clock, batches }: Ends, frames: SignaturesJob["frames"]) {
  const sealed: ArrayBuffer[] = [];
  const copies = frames.map(({ data }) => data.slice());
  const timed = await timedAll(copies, async (data, number) => {
    clock.advance(milli(1000 / FRAMES_PER_SECOND));
    const result = await sealer.seal(data, MIME_TYPE, frames[number]?.type === "key");
    if (!result.ok) throw new Error(`a frame was not sealed: ${result.drop}`);
    sealed.push(result.data);
    spend(result.spent);
  });
  // What is under way of the last batches belongs to the next pass: a call never ends here.
  clock.advance(milli(1000));
  await waitFor(() => batches.length === 0 || covered(batches) === frames.length);
  return { ...timed, frames: sealed };
}

async function openAll({ opener, verifier, batches }: Ends, frames: ArrayBuffer[]) {
  const waiting = batches.toSorted((a, b) => a.batch.first - b.batch.first);
  const checks: Promise<void>[] = [];
  const timed = await timedAll(frames, async (data, number) => {
    const opened = await opener.open(data, MIME_TYPE, false);
    if (!opened.ok) throw new Error(`a frame did not open: ${opened.drop}`);
    spend(opened.data);
    const [next] = waiting;
    if (next === undefined || number + 1 < next.batch.first + next.batch.digests.length) return;
    checks.push(verifier.take(next));
    waiting.shift();
  });
  await Promise.all(checks);
  return timed;
}

/** Works on each frame, one after the other; its memory is given back at once, as the product does. */
async function timedAll(frames: ArrayBuffer[], work: (data: ArrayBuffer, number: number) => Promise<void>) {
  const each: number[] = [];
  const since = performance.now();
  for (const [number, data] of frames.entries()) {
    const begun = performance.now();
    await work(data, number);
    each.push((performance.now() - begun) * 1000);
    spend(data);
  }
  const us = ((performance.now() - since) * 1000) / frames.length;
  const p50 = each.sort((a, b) => a - b)[each.length >> 1] ?? 0;
  return { us, p50 };
}

async function signatures({ privateKey, publicKey }: CryptoKeyPair, { body, signature }: SignedBatch) {
  const message = signedMessage(CONTEXT, body);
  const signUs = await meanUs(() => sign(privateKey, message));
  const verifyUs = await meanUs(async () => {
    if (!(await verify(publicKey, message, signature))) throw new Error("a batch does not verify");
  });
  return { signUs, verifyUs };
}

async function meanUs(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  for (let i = 0; i < TIMES; i++) await work();
  return ((performance.now() - since) * 1000) / TIMES;
}

function covered(batches: readonly SignedBatch[]): number {
  return batches.reduce((sum, { batch }) => sum + batch.digests.length, 0);
}

async function waitFor(isSo: () => boolean): Promise<void> {
  while (!isSo()) await self.scheduler.postTask(() => undefined, { delay: 1 });
}

function spend(buffer: ArrayBuffer): void {
  buffer.transfer(0);
}
