/** Remembers a vault that was set up and whose recovery was not tried yet. Nothing of it is secret. */
const KEY = "sealcast-vault-untried";

export function isTried(): boolean {
  return localStorage.getItem(KEY) === null;
}

export function setTried(tried: boolean): void {
  if (tried) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, "1");
}
