export {};

declare const self: DedicatedWorkerGlobalScope;

self.addEventListener("rtctransform", ({ transformer }) => {
  // Rejects when the connection closes.
  transformer.readable.pipeTo(transformer.writable).catch(() => undefined);
});
