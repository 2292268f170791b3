import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, describe, expect, it } from "vitest";
import { HAND_GAP, PAGE_BUDGETS } from "../budgets.ts";
import { type Hand, type HandLowered, Hands, type HandsView } from "./hands.ts";

const leaf = (digit: string) => digit.repeat(64);
const [ADA, BEN, CLEO, EVE] = [leaf("a"), leaf("b"), leaf("c"), leaf("e")];

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
});

interface Page {
  hands: Hands;
  view: HandsView["hands"];
  told: { to: string; message: Hand | HandLowered }[];
}

/** The hands as the page of that leaf shows them. The host's identity is "host". */
function pageOf(me: string): Page {
  const page: Page = { view: { order: [], isLowered: false }, told: [], hands: undefined as unknown as Hands };
  page.hands = new Hands({
    clock,
    me: () => me,
    isHost: (identity) => identity === "host",
    tell: (to, message) => page.told.push({ to, message }),
    show: ({ hands }) => {
      page.view = hands;
    },
  });
  return page;
}

/** What is heard of a leaf, each of another person. */
const sender = (id: string) => ({ id, identity: id });
const up = (version: number, place: number): Hand => ({ type: "hand", version, place });
const down = (version: number): Hand => ({ type: "hand", version, place: null });
const settle = () => clock.advance(milli(10_000));

describe("raised hands", () => {
  it("stand in the order in which they were raised", () => {
    const page = pageOf(ADA);
    page.hands.heard(sender(CLEO), up(1, 1));
    page.hands.heard(sender(BEN), up(1, 2));
    page.hands.actions.raiseHand(true);
    expect(page.told).toEqual([{ to: "all", message: up(1, 3) }]);
    expect(page.view.order).toEqual([CLEO, BEN, null]);
    page.hands.heard(sender(CLEO), down(2));
    expect(page.view.order).toEqual([BEN, null]);
    clock.advance(HAND_GAP);
    page.hands.actions.raiseHand(false);
    expect(page.told.at(-1)).toEqual({ to: "all", message: down(2) });
    expect(page.view.order).toEqual([BEN]);
    page.hands.actions.raiseHand(false);
    expect(page.told.length, "down already").toBe(2);
  });

  it("raised at the same time have one order on every page, however their messages cross", () => {
    const [ada, ben, cleo] = [pageOf(ADA), pageOf(BEN), pageOf(CLEO)];
    for (const page of [ada, ben]) page.hands.actions.raiseHand(true);
    ada.hands.heard(sender(BEN), up(1, 1));
    ben.hands.heard(sender(ADA), up(1, 1));
    cleo.hands.heard(sender(BEN), up(1, 1));
    cleo.hands.heard(sender(ADA), up(1, 1));
    expect([ada.view.order, ben.view.order, cleo.view.order]).toEqual([
      [null, BEN],
      [ADA, null],
      [ADA, BEN],
    ]);
  });

  it("are told to who comes later, and have the same order there", () => {
    const ben = pageOf(BEN);
    ben.hands.heard(sender(ADA), up(1, 1));
    ben.hands.actions.raiseHand(true);
    settle();
    ben.hands.met(CLEO);
    expect(ben.told.at(-1)).toEqual({ to: CLEO, message: up(1, 2) });
    const cleo = pageOf(CLEO);
    cleo.hands.heard(sender(BEN), up(1, 2));
    cleo.hands.heard(sender(ADA), up(1, 1));
    expect(cleo.view.order).toEqual([ADA, BEN]);
    const nothingUp = pageOf(ADA);
    nothingUp.hands.met(CLEO);
    expect(nothingUp.told).toEqual([]);
  });

  it("are as was said last, though direct messages and those to all cross", () => {
    const page = pageOf(ADA);
    page.hands.heard(sender(BEN), down(2));
    page.hands.heard(sender(BEN), up(1, 1));
    expect(page.view.order).toEqual([]);
  });

  it("are down with who leaves, and where this page is another member", () => {
    const page = pageOf(ADA);
    page.hands.heard(sender(BEN), up(1, 1));
    page.hands.actions.raiseHand(true);
    page.hands.forget(BEN);
    expect(page.view.order).toEqual([null]);
    page.hands.rejoined();
    expect(page.view.order).toEqual([]);
    page.hands.met(CLEO);
    expect(page.told.filter(({ to }) => to === CLEO)).toEqual([]);
  });

  it("that change often are told once a second, as they are then", () => {
    const page = pageOf(ADA);
    for (let times = 0; times < 7; times++) page.hands.actions.raiseHand(times % 2 === 0);
    expect(page.told).toEqual([{ to: "all", message: up(1, 1) }]);
    clock.advance(HAND_GAP);
    expect(page.told.at(-1)?.message).toEqual(up(7, 1));
    expect(page.told.length).toBe(2);
  });
});

describe("a host", () => {
  it("lowers the hand that they saw, for all", () => {
    const host = pageOf(CLEO);
    host.hands.heard(sender(BEN), up(1, 1));
    host.hands.actions.lowerHand(BEN);
    const message: HandLowered = { type: "hand-lowered", leaf: BEN, version: 1 };
    expect([host.told, host.view.order]).toEqual([[{ to: "all", message }], []]);
    const [ada, ben] = [pageOf(ADA), pageOf(BEN)];
    ada.hands.heard(sender(BEN), up(1, 1));
    ada.hands.heardLowered("host", message);
    expect(ada.view.order).toEqual([]);
    ben.hands.actions.raiseHand(true);
    clock.advance(HAND_GAP);
    ben.hands.heardLowered("host", message);
    expect(ben.view).toEqual({ order: [], isLowered: true });
    expect(ben.told.at(-1)).toEqual({ to: "all", message: down(2) });
    ben.hands.actions.raiseHand(true);
    expect(ben.view).toEqual({ order: [null], isLowered: false });
    ben.hands.heardLowered("host", message);
    expect(ben.view.order, "of a hand before").toEqual([null]);
  });

  it("is who the group says: nobody else lowers a hand", () => {
    const [ada, ben] = [pageOf(ADA), pageOf(BEN)];
    ada.hands.heard(sender(BEN), up(1, 1));
    ben.hands.actions.raiseHand(true);
    for (const { hands } of [ada, ben]) hands.heardLowered("eve", { type: "hand-lowered", leaf: BEN, version: 1 });
    expect([ada.view.order, ben.view.order]).toEqual([[BEN], [null]]);
  });
});

describe("a hostile member", () => {
  it("comes in front of nobody whose hand has been up for a while", () => {
    const page = pageOf(ADA);
    page.hands.heard(sender(BEN), up(1, 1));
    page.hands.actions.raiseHand(true);
    settle();
    page.hands.heard(sender(EVE), up(1, 0));
    expect(page.view.order).toEqual([BEN, null, EVE]);
    page.hands.heard(sender(EVE), up(2, 0));
    expect(page.view.order).toEqual([BEN, null, EVE]);
  });

  it("leaves room behind them, whatever place they claim", () => {
    const page = pageOf(ADA);
    page.hands.heard(sender(EVE), up(1, Number.MAX_SAFE_INTEGER));
    page.hands.actions.raiseHand(true);
    expect(page.view.order).toEqual([EVE, null]);
    const place = page.told[0]?.message.type === "hand" ? page.told[0].message.place : null;
    expect(place).toBeLessThan(100);
  });

  it("who waves too much is not followed, and others are", () => {
    const page = pageOf(ADA);
    let changes = 0;
    let before = page.view;
    for (let version = 1; version < 500; version++) {
      page.hands.heard(sender(EVE), version % 2 === 0 ? down(version) : up(version, 1));
      if (page.view !== before) changes++;
      before = page.view;
    }
    expect(changes).toBe(PAGE_BUDGETS.hands.burst);
    page.hands.heard(sender(BEN), up(1, 1));
    expect(page.view.order).toContain(BEN);
  });

  it("who waved too much is shown as they said last, once they may be heard again", () => {
    const page = pageOf(ADA);
    const waves = PAGE_BUDGETS.hands.burst + 6;
    for (let version = 1; version <= waves; version++)
      page.hands.heard(sender(EVE), version % 2 === 0 ? down(version) : up(version, 1));
    page.hands.heard(sender(EVE), up(waves + 1, 1));
    page.hands.heard(sender(EVE), down(waves));
    expect(page.view.order).toEqual([]);
    clock.advance(milli(1_000));
    expect(page.view.order).toEqual([EVE]);
    page.hands.heard(sender(EVE), down(waves + 2));
    expect(page.view.order, "nothing is left to them").toEqual([EVE]);
    clock.advance(milli(1_000));
    expect(page.view.order).toEqual([]);
  });

  it("who waves on and on changes what is shown once a second", () => {
    const page = pageOf(ADA);
    let changes = 0;
    let before = page.view;
    for (let version = 1; version <= 1_000; version++) {
      page.hands.heard(sender(EVE), version % 2 === 0 ? down(version) : up(version, 1));
      clock.advance(milli(10));
      if (page.view !== before) changes++;
      before = page.view;
    }
    expect(changes).toBeLessThanOrEqual(PAGE_BUDGETS.hands.burst + 11);
  });

  it("whose last word waits, and whom a host lowers or who leaves, comes up no more", () => {
    const page = pageOf(ADA);
    const exhaust = (): number => {
      let version = 1;
      for (; version <= PAGE_BUDGETS.hands.burst; version++) page.hands.heard(sender(EVE), down(version));
      page.hands.heard(sender(EVE), up(version, 1));
      return version;
    };
    const version = exhaust();
    page.hands.heardLowered("host", { type: "hand-lowered", leaf: EVE, version });
    settle();
    expect(page.view.order).toEqual([]);
    page.hands.forget(EVE);
    exhaust();
    page.hands.forget(EVE);
    settle();
    expect(page.view.order).toEqual([]);
  });

  it("gets no fresh budget by coming back as another leaf", () => {
    const page = pageOf(ADA);
    let shown = 0;
    for (let come = 0; come < 100; come++) {
      const id = `${come}`;
      page.hands.heard({ id, identity: "eve" }, up(1, 1));
      shown += page.view.order.length;
      page.hands.forget(id);
    }
    expect(shown).toBe(PAGE_BUDGETS.hands.burst);
  });
});
