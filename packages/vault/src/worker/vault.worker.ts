import { indexedDbIdentityStore, openIdentity } from "@sealcast/keys/identity";
import { VaultError } from "../shared/error.ts";
import type { FromVault, VaultCall } from "../shared/messages.ts";
import { Vault } from "./vault.ts";

const DIRECTORY = "vault";

const vault = open();

addEventListener("message", ({ data }: MessageEvent<VaultCall>) => void answer(data));

async function open(): Promise<Vault> {
  const root = await navigator.storage.getDirectory();
  const directory = await root.getDirectoryHandle(DIRECTORY, { create: true });
  const signer = await openIdentity(indexedDbIdentityStore());
  return new Vault(directory, signer, (id, done, total) => tell({ type: "progress", id, done, total }));
}

async function answer({ number, name, args }: VaultCall): Promise<void> {
  try {
    // The page's side of this package is the only one that calls, and its types hold the arguments to the names.
    const value = await ((await vault)[name] as (...args: unknown[]) => Promise<unknown>).apply(await vault, [...args]);
    tell({ type: "done", number, value }, value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : []);
  } catch (error) {
    const [code, message] =
      error instanceof VaultError ? [error.code, error.message] : (["internal", String(error)] as const);
    tell({ type: "failed", number, code, message });
  }
}

function tell(message: FromVault, transfer: Transferable[] = []): void {
  postMessage(message, transfer);
}
