import { fromHex } from "@sealcast/bytes";
import { ManualClock, milli } from "@sealcast/time";
import { expect, it } from "vitest";
import { Holding } from "./holding.ts";

const [ADA, BEN, EVE, GONE] = ["aa".repeat(32), "bb".repeat(32), "ee".repeat(32), "dd".repeat(32)];
const bytes = (identity: string) => fromHex(identity) ?? new Uint8Array();

/** Ben's page; Ada is the host. */
function scene(isHost = false) {
  const clock = new ManualClock();
  const media = new Map<string, boolean>();
  const peer = (identity: string) => ({
    member: { identity, leafKeyId: identity },
    media: { hold: (held: boolean) => void media.set(identity, held) },
    link: { say: () => undefined },
  });
  const present = new Set([ADA, EVE]);
  const state = { isTalkHeld: false };
  const holding = new Holding({
    clock,
    show: () => undefined,
    holdTalk: (isHeld) => {
      state.isTalkHeld = isHeld;
    },
    peers: () => [...present].map(peer) as unknown as ReturnType<ConstructorParameters<typeof Holding>[0]["peers"]>,
  });
  const hosts = isHost ? [ADA, BEN] : [ADA];
  holding.changed({ host: isHost, hosts, mode: "open" }, []);
  const out = (identity: string) => {
    present.delete(identity);
    holding.apply();
  };
  return { clock, media, state, holding, out };
}

it("a host's word holds media to whom they remove and talk to all, until that one is out", () => {
  const { media, state, holding, out } = scene();
  holding.heard(ADA, bytes(EVE));
  expect([media.get(EVE), media.get(ADA), state.isTalkHeld]).toEqual([true, false, true]);
  out(EVE);
  expect(state.isTalkHeld).toBe(false);
});

it("this member's own removal holds talk until it is done, however long the server withholds it", () => {
  const { clock, state, holding } = scene(true);
  holding.removal("ordered", EVE);
  clock.advance(milli(600_000));
  holding.beat();
  expect(state.isTalkHeld).toBe(true);
  holding.removal("done", EVE);
  expect(state.isTalkHeld).toBe(false);
});

it("a host's word that is not repeated for a minute holds nothing any more, with the next heartbeat", () => {
  const { clock, media, state, holding } = scene();
  holding.heard(ADA, bytes(EVE));
  clock.advance(milli(59_000));
  holding.beat();
  expect(state.isTalkHeld).toBe(true);
  clock.advance(milli(1_000));
  holding.beat();
  expect([media.get(EVE), state.isTalkHeld]).toEqual([false, false]);
});

it("nobody's talk waits for the word of who is no host, nor for one about someone who is not here", () => {
  const { media, state, holding } = scene();
  holding.heard(EVE, bytes(ADA));
  holding.heard(ADA, bytes(GONE));
  expect([media.get(ADA), state.isTalkHeld]).toEqual([false, false]);
});
