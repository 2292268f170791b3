// dependency-cruiser finds no entry for Vite's `?worker&url` in a package's "exports": these names lead it to the files.
import { join } from "node:path";

const file = (path) => join(import.meta.dirname, path);

export default {
  resolve: {
    alias: {
      "onnxruntime-web/ort-wasm-simd-threaded.wasm": file(
        "node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm",
      ),
      "@sealcast/captions/worker": file("packages/captions/src/worker/captions.worker.ts"),
      "@sapphi-red/web-noise-suppressor/gtcrn.wasm": file(
        "node_modules/@sapphi-red/web-noise-suppressor/dist/gtcrn.wasm",
      ),
      "@sealcast/effects/background-worker": file("packages/effects/src/worker/background/background.worker.ts"),
      "@sealcast/effects/noise-worker": file("packages/effects/src/worker/noise/noise.worker.ts"),
      "@sealcast/keys/live-host-worker": file("packages/keys/src/worker/live-host.worker.ts"),
      "@sealcast/keys/live-viewer-worker": file("packages/keys/src/worker/live-viewer.worker.ts"),
      "@sealcast/keys/worker": file("packages/keys/src/worker/keys.worker.ts"),
      "@sealcast/media/chunk-worker": file("packages/media/src/worker/chunk/chunk.worker.ts"),
      "@sealcast/media/composer-worker": file("packages/media/src/worker/composer/composer.worker.ts"),
      "@sealcast/media/eavesdropper-worker": file("packages/media/src/worker/eavesdropper/eavesdropper.worker.ts"),
      "@sealcast/media/file-worker": file("packages/media/src/worker/file/file.worker.ts"),
      "@sealcast/media/two-layers-worker": file("packages/media/src/worker/media-two-layers.worker.ts"),
      "@sealcast/media/worker": file("packages/media/src/worker/media.worker.ts"),
      "@sealcast/network/live-relay-worker": file("packages/network/src/live-relay/live-relay.worker.ts"),
      "@sealcast/player/worker": file("packages/player/src/worker/player.worker.ts"),
      "@sealcast/recording/preview-worker": file("packages/recording/src/worker/preview.worker.ts"),
      "@sealcast/recording/worker": file("packages/recording/src/worker/recorder.worker.ts"),
      "@sealcast/vault/chunk-worker": file("packages/vault/src/worker/chunk.worker.ts"),
      "@sealcast/vault/ranges-worker": file("packages/vault/src/worker/ranges.worker.ts"),
      "@sealcast/vault/worker": file("packages/vault/src/worker/vault.worker.ts"),
    },
  },
};
