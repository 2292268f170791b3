/** What is read aloud in `media.reading`, in small letters without marks. */
const READ =
  `and mister john dashwood had then leisure to consider how much there might be prudently in his power to do for
  them he was not an ill disposed young man unless to be rather cold hearted and rather selfish is to be ill disposed had he
  married a more amiable woman he might have been made still more respectable than he was he might even have been made amiable
  himself`.split(/\s+/);
/** A microphone plays it over and over: what it hears may go from its end to its beginning. */
const TIMES = 2;

/** Words that were heard, without marks and capitals. */
export function wordsOf(heard: string): string[] {
  const spelt = heard.toLowerCase().replace(/\bmr\b\.?/g, "mister");
  return spelt
    .replace(/[^a-z' ]+/g, " ")
    .split(" ")
    .filter(Boolean);
}

/** How many words differ from what is read, wherever in it they begin and end: wrong, left out or too many. */
export function wordsWrong(heard: readonly string[]): number {
  const read = Array.from({ length: TIMES }, () => READ).flat();
  let row = new Array<number>(read.length + 1).fill(0);
  for (const [i, word] of heard.entries()) {
    const next = [i + 1];
    for (const [j, right] of read.entries())
      next.push(Math.min((row[j] ?? 0) + Number(word !== right), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    row = next;
  }
  return Math.min(...row);
}
