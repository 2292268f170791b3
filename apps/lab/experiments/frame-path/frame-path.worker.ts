import type { Passages, PathArm, PathOptions, PathRequest, PathStart } from "./frame-path.ts";
import { bare } from "./path-bare.in-worker.ts";
import { livekit } from "./path-livekit.in-worker.ts";
import { pass } from "./path-pass.in-worker.ts";
import type { PathProduct } from "./path-product.in-worker.ts";
import { sealcast } from "./path-sealcast.in-worker.ts";
import { TimedPipe } from "./timed.in-worker.ts";

declare const self: DedicatedWorkerGlobalScope;

const products: Record<PathArm, PathProduct> = { sealcast, livekit, bare, pass };

self.addEventListener("message", (event: MessageEvent<PathStart>) => void run(event.data).catch(reportError), {
  once: true,
});

async function run({ arm, port }: PathStart): Promise<void> {
  const product = products[arm];
  const transforms: { options: PathOptions; timed: TimedPipe }[] = [];
  // Before the product's own listener, which gets a transformer with timed streams in the place of the browser's.
  self.addEventListener("rtctransform", (event) => {
    if (!event.isTrusted) return;
    event.stopImmediatePropagation();
    const options = event.transformer.options as PathOptions;
    const timed = new TimedPipe(event.transformer);
    transforms.push({ options, timed });
    const own = options.side === "seal" ? product.sealing(options.track) : product.opening(options.track);
    offer(timed, own, () => event.transformer.sendKeyFrameRequest());
  });
  await product.prepare();
  port.onmessage = ({ data: asked }: MessageEvent<PathRequest>) => {
    const taken = transforms.map(({ options, timed }): Passages => ({ ...options, ...timed.take() }));
    if (asked === "end") transforms.length = 0;
    port.postMessage(taken);
  };
  port.postMessage([]);
}

function offer({ readable, writable }: TimedPipe, options: object, sendKeyFrameRequest: () => Promise<void>): void {
  const transformer = { readable, writable, options, sendKeyFrameRequest };
  self.dispatchEvent(Object.assign(new Event("rtctransform"), { transformer }));
}
