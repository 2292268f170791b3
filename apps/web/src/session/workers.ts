import captionsUrl from "@sealcast/captions/worker?worker&url";
import backgroundUrl from "@sealcast/effects/background-worker?worker&url";
import noiseUrl from "@sealcast/effects/noise-worker?worker&url";
import type { LayerCount } from "@sealcast/keys";
import hostKeysUrl from "@sealcast/keys/live-host-worker?worker&url";
import viewerKeysUrl from "@sealcast/keys/live-viewer-worker?worker&url";
import keysUrl from "@sealcast/keys/worker?worker&url";
import composerUrl from "@sealcast/media/composer-worker?worker&url";
import eavesdropperUrl from "@sealcast/media/eavesdropper-worker?worker&url";
import fileUrl from "@sealcast/media/file-worker?worker&url";
import twoLayersUrl from "@sealcast/media/two-layers-worker?worker&url";
import mediaUrl from "@sealcast/media/worker?worker&url";
import liveRelayUrl from "@sealcast/network/live-relay-worker?worker&url";
import playerUrl from "@sealcast/player/worker?worker&url";
import previewUrl from "@sealcast/recording/preview-worker?worker&url";
import recorderUrl from "@sealcast/recording/worker?worker&url";
import chunkUrl from "@sealcast/vault/chunk-worker?worker&url";
import rangesUrl from "@sealcast/vault/ranges-worker?worker&url";
import vaultUrl from "@sealcast/vault/worker?worker&url";

/** Built beside the page (build/shell.ts). */
const shellUrl = "/service-worker.js";

const scripts = [
  shellUrl,
  keysUrl,
  hostKeysUrl,
  viewerKeysUrl,
  mediaUrl,
  twoLayersUrl,
  composerUrl,
  eavesdropperUrl,
  fileUrl,
  liveRelayUrl,
  playerUrl,
  recorderUrl,
  previewUrl,
  backgroundUrl,
  noiseUrl,
  vaultUrl,
  chunkUrl,
  rangesUrl,
  captionsUrl,
];

/** The one place where this app makes a script URL: Trusted Types allows no other policy. */
const policy = window.trustedTypes?.createPolicy("sealcast-workers", {
  createScriptURL: (url) => {
    if (!scripts.includes(url)) throw new TypeError("Not one of this app's workers.");
    return url;
  },
});

export function spawnKeys(): Worker {
  return spawn(keysUrl);
}

export function spawnHostKeys(): Worker {
  return spawn(hostKeysUrl);
}

export function spawnViewerKeys(): Worker {
  return spawn(viewerKeysUrl);
}

/** The second layer's library is in a script of its own, which no other call loads. */
export function spawnMedia(layers: LayerCount): Worker {
  return spawn(layers === 2 ? twoLayersUrl : mediaUrl);
}

export function spawnComposer(): Worker {
  return spawn(composerUrl);
}

export function spawnEavesdropper(): Worker {
  return spawn(eavesdropperUrl);
}

export function spawnFileWorker(): Worker {
  return spawn(fileUrl);
}

/** The only script that may reach relays of live streams. It has no key. */
export function spawnLiveRelay(): Worker {
  return spawn(liveRelayUrl);
}

export function spawnPlayer(): Worker {
  return spawn(playerUrl);
}

export function spawnRecorder(): Worker {
  return spawn(recorderUrl);
}

export function spawnPreview(): Worker {
  return spawn(previewUrl);
}

export function spawnCaptions(): Worker {
  return spawn(captionsUrl);
}

export function spawnBackground(): Worker {
  return spawn(backgroundUrl);
}

export function spawnNoise(): Worker {
  return spawn(noiseUrl);
}

/** For VaultClient: its own worker, those that seal over all cores, and the service worker of the vault's page. */
export const spawnVault = {
  vault: () => spawn(vaultUrl),
  chunks: () => spawn(chunkUrl),
  ranges: async () => navigator.serviceWorker.register(trusted(rangesUrl), { scope: "/vault" }),
};

/** The service worker of all pages but the vault's. */
export function registerShell(): Promise<ServiceWorkerRegistration> {
  return navigator.serviceWorker.register(trusted(shellUrl), { updateViaCache: "none" });
}

function spawn(url: string): Worker {
  return new Worker(trusted(url), { type: "module" });
}

/** The types of the platform do not know yet that workers take a trusted URL. */
function trusted(url: string): string {
  return (policy?.createScriptURL(url) ?? url) as unknown as string;
}
