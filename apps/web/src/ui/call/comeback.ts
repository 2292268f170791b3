import type { DevicesOn } from "../../session/devices/devices.ts";

/** How a person comes back to a call without the lobby: under their name, with what was on. */
export interface Comeback {
  name: string;
  devicesOn: DevicesOn;
}

const KEY = "sealcast.in-call";

/** For a reload of this tab: this person is in that room's call, with these devices on. */
export function keepInCall(room: string, { camera, microphone }: DevicesOn): void {
  try {
    sessionStorage.setItem(KEY, [room, camera ? "camera" : "", microphone ? "microphone" : ""].join());
  } catch {
    // Blocked: a reload leads to the lobby.
  }
}

/** They are in none any more. */
export function forgetInCall(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Blocked: nothing was kept.
  }
}

/** What was on before this tab was loaded again in this room's call; null where the page was opened in any other way. */
export function reloadedIn(room: string): DevicesOn | null {
  const [navigation] = performance.getEntriesByType("navigation");
  if (!(navigation instanceof PerformanceNavigationTiming) || navigation.type !== "reload") return null;
  // Who pasted a link is asked first.
  if (location.hash !== "") return null;
  const [kept, camera, microphone] = recalled().split(",");
  return kept === room ? { camera: camera !== "", microphone: microphone !== "" } : null;
}

function recalled(): string {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}
