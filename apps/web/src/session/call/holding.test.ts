import { fromHex } from "@sealcast/bytes";
import type { Departed } from "@sealcast/keys";
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
  const state = { isTalkHeld: false, isEveHeldElsewhere: false };
  const holding = new Holding({
    clock,
    show: () => undefined,
    applied: () => {
      state.isEveHeldElsewhere = media.get(EVE) === true;
    },
    holdTalk: (isHeld) => {
      state.isTalkHeld = isHeld;
    },
    peers: () => [...present].map(peer) as unknown as ReturnType<ConstructorParameters<typeof Holding>[0]["peers"]>,
  });
  const rules = { host: isHost, hosts: isHost ? [ADA, BEN] : [ADA], mode: "open" } as const;
  const changed = (departed: readonly Departed[] = []) => {
    holding.changed({ rules, members: [...present].map((identity) => ({ identity })), departed });
    holding.apply();
  };
  changed();
  const out = (identity: string, by: Departed["by"] = "removal") => {
    present.delete(identity);
    changed([departure(identity, by)]);
  };
  const back = (identity: string) => {
    present.add(identity);
    changed();
  };
  return { clock, media, state, holding, changed, out, back };
}

function departure(identity: string, by: Departed["by"]): Departed {
  return { by, member: { leaf: 0, identity, seat: "", leafKeyId: identity, name: "", me: false } };
}

it("a host's word holds media to whom they remove and talk to all, until that one is out", () => {
  const { media, state, holding, out } = scene();
  holding.heard(ADA, bytes(EVE));
  expect([media.get(EVE), media.get(ADA), state.isTalkHeld]).toEqual([true, false, true]);
  expect(state.isEveHeldElsewhere, "who sends another way hears of it").toBe(true);
  out(EVE);
  expect(state.isTalkHeld).toBe(false);
});

it("a host's word on who was removed does not hold them when they are let in again, and a word after that does", () => {
  const { media, state, holding, out, back } = scene();
  holding.heard(ADA, bytes(EVE));
  out(EVE);
  holding.heard(ADA, bytes(EVE));
  back(EVE);
  expect([media.get(EVE), state.isTalkHeld], "its removal was done, and a word on it came late").toEqual([
    false,
    false,
  ]);
  holding.heard(ADA, bytes(EVE));
  expect([media.get(EVE), state.isTalkHeld]).toEqual([true, true]);
});

it("who leaves before their removal is done, and comes back, is still held; so is who has another leaf in the group", () => {
  const { media, state, holding, changed, out, back } = scene();
  holding.heard(ADA, bytes(EVE));
  out(EVE, "leave");
  back(EVE);
  expect([media.get(EVE), state.isTalkHeld]).toEqual([true, true]);
  changed([departure(EVE, "removal")]);
  expect([media.get(EVE), state.isTalkHeld]).toEqual([true, true]);
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
