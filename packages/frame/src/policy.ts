/**
 * How many frames of a video a sender seals. A frame that is left out goes readable to anyone on the network, and is
 * authenticated all the same: it cannot be altered, forged or replayed.
 */
export type Policy =
  | { readonly mode: "everything" }
  /** Each frame by a draw, as in Batinga et al., `percent` in 0..100; with `keyFrames` every key frame besides. */
  | { readonly mode: "rate"; readonly percent: number; readonly keyFrames: boolean }
  | { readonly mode: "key-frames" };

export const EVERYTHING: Policy = { mode: "everything" };

/** Whether a frame is sealed. `draw` gives a random number, uniform in [0, 1). */
export function selects(policy: Policy, isKey: boolean, draw: () => number): boolean {
  return !allowsClear(policy, isKey) || (policy.mode === "rate" && draw() * 100 < policy.percent);
}

/** Whether a sender under this policy may leave such a frame readable. */
export function allowsClear(policy: Policy, isKey: boolean): boolean {
  switch (policy.mode) {
    case "everything":
      return false;
    case "rate":
      return policy.percent < 100 && !(isKey && policy.keyFrames);
    case "key-frames":
      return !isKey;
  }
}
