export interface CaptionLine {
  /** Of this transcript. */
  key: number;
  /** Of who spoke, the member's id; null: this person. */
  speaker: string | null;
  /** How they were called then. */
  name: string;
  text: string;
  /** When it was there, in Unix time. */
  at: number;
}

/** What a call shows at once. */
const SHOWN = 3;
/** More lines than one who says the most that is taken of them says in that time, of several. */
const RECENT = 200;
/** For so long, others push nobody's newest line out: long enough to read it. In Unix time. */
const READ_FOR = 10_000;
/** One speaker's lines that are kept, some hours of speech: who says more loses their own first ones, nobody else's. */
const MOST_OF_ONE = 2_000;

/** All captions since they are shown, for who wants to save them. Nothing of it is written anywhere. */
export class Transcript {
  #lines: CaptionLine[] = [];
  #count = 0;

  get lines(): readonly CaptionLine[] {
    return this.#lines;
  }

  /** The newest line of each of the latest speakers, and beside these the newest of all; in the order in which they were said. */
  get latest(): CaptionLine[] {
    const recent = this.#lines.slice(-RECENT).reverse();
    const now = recent[0]?.at ?? 0;
    const newest = new Map<string | null, CaptionLine>();
    for (const line of recent)
      if (now - line.at < READ_FOR && !newest.has(line.speaker)) newest.set(line.speaker, line);
    const shown = [...new Set([...newest.values(), ...recent])].slice(0, SHOWN);
    return shown.sort((one, other) => one.key - other.key);
  }

  add(line: Omit<CaptionLine, "key">): void {
    this.#lines.push({ ...line, key: this.#count++ });
    const theirs = this.#lines.filter(({ speaker }) => speaker === line.speaker);
    if (theirs.length > MOST_OF_ONE) this.#lines = this.#lines.filter((each) => each !== theirs[0]);
  }

  clear(): void {
    this.#lines = [];
  }
}
