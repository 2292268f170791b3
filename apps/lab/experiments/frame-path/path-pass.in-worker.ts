import type { PathProduct } from "./path-product.in-worker.ts";

declare const self: DedicatedWorkerGlobalScope;

/** A transform that does nothing: what the browser's streams and the timing cost by themselves. */
export const pass: PathProduct = {
  async prepare() {
    self.addEventListener("rtctransform", ({ transformer: { readable, writable } }) => {
      // Ends with its connection.
      readable
        .pipeThrough(new TransformStream())
        .pipeTo(writable)
        .catch(() => undefined);
    });
  },
  sealing: () => ({}),
  opening: () => ({}),
};
