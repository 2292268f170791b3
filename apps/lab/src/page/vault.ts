import chunkUrl from "@sealcast/vault/chunk-worker?worker&url";
import type { FromVaultWorker, ToVaultWorker, VaultPage, VaultPass, VaultPassed } from "../shared/vault.ts";

/** Each pass has workers of its own, as each file of the product has. */
export function vault(): VaultPage {
  return {
    async vaultPass(pass) {
      const chunks = Array.from({ length: pass.arm.type === "sealed" ? pass.arm.workers : 0 }, startChunks);
      const worker = new Worker(new URL("../worker/vault.worker.ts", import.meta.url), { type: "module" });
      try {
        return await passed(worker, pass, chunks.map(portTo));
      } finally {
        for (const each of [worker, ...chunks]) each.terminate();
      }
    },
  };
}

function startChunks(): Worker {
  return new Worker(chunkUrl, { type: "module" });
}

function portTo(worker: Worker): MessagePort {
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(port2, [port2]);
  return port1;
}

function passed(worker: Worker, pass: VaultPass, ports: MessagePort[]): Promise<VaultPassed> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<FromVaultWorker>) => {
      if ("error" in data) reject(new Error(data.error));
      else resolve(data);
    };
    worker.onerror = ({ message }) => reject(new Error(message));
    const ask: ToVaultWorker = { ...pass, ports };
    worker.postMessage(ask, ports);
  });
}
