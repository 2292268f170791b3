import { toHex } from "@sealcast/bytes";

interface Admitted {
  readonly resumeId: Uint8Array;
  readonly hasKeys: boolean;
}

/** Viewers who were answered, by session, and their sessions by resume id: thousands may leave at once. */
export class LiveWatchers<Watcher extends Admitted> extends Map<string, Watcher> {
  /** By resume id, in hex. */
  readonly #sessions = new Map<string, Set<string>>();

  override set(session: string, watcher: Watcher): this {
    this.#unlist(session);
    const id = toHex(watcher.resumeId);
    const sessions = this.#sessions.get(id) ?? new Set();
    this.#sessions.set(id, sessions.add(session));
    return super.set(session, watcher);
  }

  override delete(session: string): boolean {
    this.#unlist(session);
    return super.delete(session);
  }

  /** Whether who has this resume id has the key in another session too. */
  isElsewhere(session: string, resumeId: Uint8Array): boolean {
    for (const other of this.#sessions.get(toHex(resumeId)) ?? []) {
      if (other !== session && this.get(other)?.hasKeys) return true;
    }
    return false;
  }

  #unlist(session: string): void {
    const watcher = this.get(session);
    if (watcher === undefined) return;
    const id = toHex(watcher.resumeId);
    const sessions = this.#sessions.get(id);
    sessions?.delete(session);
    if (sessions?.size === 0) this.#sessions.delete(id);
  }
}
