import { milli } from "@sealcast/time";
import type { Lifetime } from "./lifetime.ts";

/** Looks so often whether the screen is still to be kept on, and whether it is. */
const LOOK = milli(5_000);

/** Keeps the screen on while `isNeeded`. Browsers let it go when the page is hidden, and it is taken again when it shows. */
export function keepAwake(life: Lifetime, isNeeded: () => boolean): void {
  if (!("wakeLock" in navigator)) return;
  let lock: WakeLockSentinel | null = null;
  let isAsking = false;
  const look = async () => {
    const isWanted = isNeeded() && !life.isOver && document.visibilityState === "visible";
    if (!isWanted) return letGo();
    if (isAsking || lock?.released === false) return;
    isAsking = true;
    // Rejects where the system refuses, with a low battery say: the next look asks again.
    lock = await navigator.wakeLock.request("screen").catch(() => null);
    isAsking = false;
    if (life.isOver) letGo();
  };
  const letGo = () => {
    void lock?.release();
    lock = null;
  };
  life.on(document, "visibilitychange", () => void look());
  life.every(LOOK, () => void look());
  life.bind(letGo);
  void look();
}
