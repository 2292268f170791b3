import { expect, test } from "vitest";
import { isShown, playbackState } from "./playback-state.ts";

type Circumstances = Parameters<typeof playbackState>[0];

const playing: Circumstances = {
  isRefused: false,
  refusal: null,
  hostIs: "here",
  hasEnded: false,
  isClosed: false,
  isWaiting: false,
  isFull: false,
  connection: { state: "connected", verdict: "signed" },
  isExplained: false,
  hasPlayed: true,
  isSilent: false,
  isSent: true,
};

const forged = { state: "connected", verdict: "forged" } as const;
const unsigned = { state: "connected", verdict: "unsigned" } as const;
const lost = { state: "reconnecting", verdict: "signed" } as const;

test.each<[ReturnType<typeof playbackState>, Partial<Circumstances>]>([
  ["playing", {}],
  ["connecting", { hasPlayed: false }],
  ["playing", { hasPlayed: false, isSent: false }],
  ["reconnecting", { isSilent: true }],
  ["away", { isSilent: true, hostIs: "away" }],
  ["forged", { connection: forged }],
  ["reconnecting", { connection: forged, isExplained: true }],
  ["unsigned", { connection: unsigned }],
  ["reconnecting", { connection: unsigned, isExplained: true }],
  ["reconnecting", { connection: unsigned, isSilent: true }],
  ["reconnecting", { connection: lost }],
  ["away", { connection: lost, hostIs: "away" }],
  ["not-started", { connection: null, hostIs: "absent" }],
  ["waiting", { connection: null, isWaiting: true }],
  ["full", { connection: null, isFull: true }],
  ["closed", { connection: null, isClosed: true }],
  ["ended", { connection: null, hasEnded: true }],
  ["opening", { connection: null, hostIs: null }],
  ["unknown-link", { connection: null, hostIs: null, refusal: "unknown-link" }],
  ["refused", { isRefused: true }],
])("%s: %o", (state, circumstances) => {
  expect(playbackState({ ...playing, ...circumstances })).toBe(state);
});

test("what the server says of the host changes nothing while frames play", () => {
  for (const hostIs of ["absent", "away", "ended"] as const)
    expect(playbackState({ ...playing, hostIs })).toBe("playing");
});

test("of a picture that is not signed, or of a stream that does not play, nothing is on the screen", () => {
  for (const state of ["playing", "reconnecting"] as const) {
    expect(isShown(state, "signed")).toBe(true);
    expect(isShown(state, "unsigned"), "a connection that is silent meanwhile hides no verdict").toBe(false);
    expect(isShown(state, "forged")).toBe(false);
  }
  for (const state of ["connecting", "away", "unsigned", "forged", "ended"] as const)
    expect(isShown(state, "signed")).toBe(false);
});
