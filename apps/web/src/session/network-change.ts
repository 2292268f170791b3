import { atMostEvery, milli } from "@sealcast/time";
import type { Lifetime } from "./lifetime.ts";

/** Looks at the wall clock so often. */
const LOOK = milli(1_000);
/** Timers stand still while a computer sleeps: a look that is late by more than this comes after one. */
const SLEPT = 10_000;
/** Several signs of one change come together. */
const ONCE_IN = milli(2_000);

/** What the types of the platform do not know; only phones' browsers tell the type (Network Information API). */
interface Connection extends EventTarget {
  readonly type?: string;
}

/**
 * Calls `changed` when this computer is online again, is on another network or has woken up: connections and sockets that
 * seem to work may be dead by then. `wallClock`: milliseconds, as `Date.now` gives.
 */
export function onNetworkChange(life: Lifetime, changed: () => void, wallClock: () => number = Date.now): void {
  const act = atMostEvery(life.clock, ONCE_IN, () => !life.isOver && changed());
  life.on(globalThis, "online", act);
  const { connection }: Navigator & { connection?: Connection } = navigator;
  let type = connection?.type;
  life.on(connection, "change", () => {
    const isOther = connection?.type !== type && connection?.type !== "none";
    type = connection?.type;
    if (isOther) act();
  });
  let looked = wallClock();
  life.every(LOOK, () => {
    const now = wallClock();
    if (now - looked > LOOK + SLEPT) act();
    looked = now;
  });
}
