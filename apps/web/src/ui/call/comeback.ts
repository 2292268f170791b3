import type { DevicesOn } from "../../session/devices/devices.ts";

/** What a person comes back with. */
export interface AsTheyWere {
  devicesOn: DevicesOn;
  /** Something stood behind them: they are not shown in their room, whatever is chosen in other tabs. */
  hidesRoom: boolean;
}

/** How a person comes back to a call without the lobby: under their name, as they were. */
export interface Comeback extends AsTheyWere {
  name: string;
}

const KEY = "sealcast.in-call";

/** For a reload of this tab: this person is in that room's call, like this. */
export function keepInCall(room: string, { devicesOn, hidesRoom }: AsTheyWere): void {
  const { camera, microphone } = devicesOn;
  const kept = [room, camera ? "camera" : "", microphone ? "microphone" : "", hidesRoom ? "hidden" : ""];
  try {
    sessionStorage.setItem(KEY, kept.join());
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

/** How it was before this tab was loaded again in this room's call; null where the page was opened in any other way. */
export function reloadedIn(room: string): AsTheyWere | null {
  const [navigation] = performance.getEntriesByType("navigation");
  if (!(navigation instanceof PerformanceNavigationTiming) || navigation.type !== "reload") return null;
  // Who pasted a link is asked first.
  if (location.hash !== "") return null;
  const [kept, camera, microphone, hidden] = recalled().split(",");
  if (kept !== room) return null;
  return { devicesOn: { camera: camera !== "", microphone: microphone !== "" }, hidesRoom: hidden !== "" };
}

function recalled(): string {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}
