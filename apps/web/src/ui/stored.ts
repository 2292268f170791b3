/** Small preferences of this browser. Where storage is blocked they last as long as the page. */

export function recall(key: string): string {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Blocked or full: the preference is not worth a word.
  }
}
