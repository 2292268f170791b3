/** Small preferences of this browser. Where storage is blocked they last as long as the page. */

export function recall(key: string): string {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

const shortcutsKey = "sealcast.shortcuts";

/** Whether single keys do something; some people need them for speech input and the like. */
export function usesShortcuts(): boolean {
  return recall(shortcutsKey) !== "off";
}

export function rememberShortcuts(on: boolean): void {
  remember(shortcutsKey, on ? "on" : "off");
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Blocked or full: the preference is not worth a word.
  }
}
