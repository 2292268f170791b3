import { dropAllExpired } from "@sealcast/keys";
import { registerShell } from "./workers.ts";

/** Has the browser keep the page, to open it without a connection. For a page on which nobody waits for anything. */
export function keepShell(): void {
  const isOffered = "serviceWorker" in navigator && import.meta.env.PROD;
  // Private windows may refuse: then nothing is kept.
  if (isOffered) requestIdleCallback(() => void registerShell().catch(() => undefined));
}

/** Where the server does not say. */
const MESH_PEOPLE = 8;

/** Deletes what this browser has kept past its time, as the title of a stream. For a page on which nobody waits for anything. */
export function dropOldEntries(): void {
  // Where storage is blocked there is nothing.
  requestIdleCallback(() => void dropAllExpired().catch(() => undefined));
}

/** Whether the server has the lab, which it says with the page. */
export const hasLab = (): boolean => isOffered("lab");

/** Whether the server has a TURN server, which it says with the page. A page that the browser kept may know less. */
export const offersTurn = (): boolean => isOffered("turn");

/** How many people of a call its direct connections carry, where the server has a media relay for larger ones. */
export const meshPeople = (): number =>
  Math.max(offers().find(({ name }) => name === "mesh")?.duration ?? MESH_PEOPLE, 1);

/** How many viewers of a stream get a connection at most, where the server says so. */
export const meshViewers = (most: number): number =>
  Math.min(Math.max(offers().find(({ name }) => name === "viewers")?.duration ?? most, 1), most);

const isOffered = (what: string): boolean => offers().some(({ name }) => name === what);

function offers(): readonly PerformanceServerTiming[] {
  const [navigation] = performance.getEntriesByType("navigation");
  return navigation instanceof PerformanceNavigationTiming ? navigation.serverTiming : [];
}
