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
/** One speaker's lines that are kept, some hours of speech: who says more loses their own first ones, nobody else's. */
const MOST_OF_ONE = 2_000;

/** All captions since they are shown, for who wants to save them. Nothing of it is written anywhere. */
export class Transcript {
  #lines: CaptionLine[] = [];
  #count = 0;

  get lines(): readonly CaptionLine[] {
    return this.#lines;
  }

  get latest(): CaptionLine[] {
    return this.#lines.slice(-SHOWN);
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
