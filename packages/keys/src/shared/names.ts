/** Longest name that a leaf can hold, bytes of UTF-8 (PROTOCOL.md section 4.4). */
const MAX_LEAF_NAME_BYTES = 128;
/** Longest name that is shown, in what people count as letters. */
const MAX_SHOWN = 40;

/** What shows as a space, with what Unicode does not call one: fillers of Hangul, and the blanks of Braille, hieroglyphs and music. */
const BLANK = /[\s\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0\u{13441}\u{13442}\u{1d159}]+/gu;
/** What shows as nothing, with what is there for what is no text, and the filler of Khitan. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{NChar}\ufffc\u{16fe4}]/gu;
/** Of what is left, these show only with a letter before them. */
const NOTHING = /^[\p{DI} ]*$/u;

const utf8 = new TextEncoder();

/**
 * A member's name as it is shown: one line in NFC without invisible or control characters, of at most 40 graphemes; more
 * are cut, with an ellipsis. Anything may stand in a leaf: to be called before a name is shown or compared.
 * @returns "" where nothing is left.
 */
export function shownName(raw: string): string {
  return shownLine(raw, MAX_SHOWN);
}

/** What another said, as one line like a name, of at most that many graphemes. */
export function shownLine(raw: string, most: number): string {
  const letters = lettersOf(raw, most + 1);
  return letters.length > most ? `${letters.slice(0, most).join("").trimEnd()}…` : letters.join("");
}

/**
 * The name for one's own leaf, of what a person typed: as shown, at most 40 graphemes and 128 bytes.
 * @returns null where nothing is left.
 */
export function leafName(typed: string): string | null {
  return ownLine(typed, MAX_SHOWN, MAX_LEAF_NAME_BYTES) || null;
}

/** What a person typed as one line for others: as `shownLine`, at most that many graphemes, and that many bytes of UTF-8. */
export function ownLine(typed: string, mostLetters: number, mostBytes: number): string {
  let line = "";
  for (const letter of lettersOf(typed, mostLetters)) {
    if (utf8.encode(line + letter).length > mostBytes) break;
    line += letter;
  }
  // Of what was cut off, something may have been all that shows.
  return NOTHING.test(line) ? "" : line.trimEnd();
}

/** The first graphemes of the line that is shown. */
function lettersOf(raw: string, most: number): string[] {
  const line = raw
    .toWellFormed()
    .replace(BLANK, " ")
    .replace(UNSEEN, "")
    .normalize("NFC")
    // A tower of marks on one letter would reach into what stands above.
    .replace(/(\p{Mn}{4})\p{Mn}+/gu, "$1")
    .replace(/ +/g, " ")
    .trim();
  if (NOTHING.test(line)) return [];
  const letters: string[] = [];
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(line)) {
    if (letters.push(segment) === most) break;
  }
  return letters;
}
