import type { RecordingParts } from "./recording.ts";

/** Nothing records here yet: every browser counts as one that cannot. */
export const isSupported: RecordingParts["isSupported"] = async () => false;

export const openVault: RecordingParts["openVault"] = () => Promise.reject(new Error("There is no vault."));

export const makeRecorder: RecordingParts["makeRecorder"] = () => {
  throw new Error("There is no recorder.");
};
