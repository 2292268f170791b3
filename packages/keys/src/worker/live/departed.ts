/** Once more than this number have left, there is another key early: nobody is forgotten because others come and go. */
const MOST_DEPARTED = 512;

/** Who left with the stream's key, by the resume id with which they come back. They can be removed until there is another key. */
export class LiveDeparted {
  /** Of each resume id, in hex, the session that left last. */
  readonly #sessions = new Map<string, string>();

  /** @param here sessions that are: each may have come back as another */
  isFull(here: number): boolean {
    return this.#sessions.size >= here + MOST_DEPARTED;
  }

  /** @returns the session that it takes the place of, or null */
  add(session: string, resumeId: string): string | null {
    const earlier = this.sessionOf(resumeId);
    this.#sessions.set(resumeId, session);
    return earlier;
  }

  sessionOf(resumeId: string): string | null {
    return this.#sessions.get(resumeId) ?? null;
  }

  resumeIdOf(session: string): string | null {
    return [...this.#sessions].find(([, its]) => its === session)?.[0] ?? null;
  }

  forget(resumeId: string): void {
    this.#sessions.delete(resumeId);
  }

  /** There is another key. @returns those who do not have it, since nobody is here by their resume id; they are forgotten. */
  outlive(here: ReadonlySet<string>): string[] {
    const outlived = [...this.#sessions].filter(([resumeId]) => !here.has(resumeId));
    for (const [resumeId] of outlived) this.forget(resumeId);
    return outlived.map(([, session]) => session);
  }
}
