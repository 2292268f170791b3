import { Recorder } from "@sealcast/recording";
import { VaultClient } from "@sealcast/vault";
import { freeBytes } from "../vault/free-bytes.ts";
import { spawnRecorder, spawnVault } from "../workers.ts";
import type { RecordingParts, VaultPort } from "./recording.ts";

const NO_PICTURE = new Uint8Array();

export const isSupported: RecordingParts["isSupported"] = () => Recorder.isSupported();

/** What a recording takes of the vault, which may be locked: its keys are asked for where recordings are watched. */
export const openVault: RecordingParts["openVault"] = async (): Promise<VaultPort> => {
  const vault = new VaultClient(spawnVault);
  return {
    async state() {
      const state = await vault.call("state");
      // Nothing is written to one that was not set up.
      if (state === "empty") vault.end();
      return state;
    },
    async create(details) {
      const writing = await vault.create(details);
      return {
        append: (bytes) => writing.append(bytes),
        async finish({ seconds, mimeType, thumbnail }, people) {
          await writing.finish({ seconds, kind: mimeType, people, thumbnail: thumbnail ?? NO_PICTURE });
          vault.end();
        },
        async cancel() {
          await writing.cancel();
          vault.end();
        },
      };
    },
    free: freeBytes,
  };
};

export const makeRecorder: RecordingParts["makeRecorder"] = (sink, onStatus) =>
  new Recorder(spawnRecorder, sink, onStatus);
