/** Characters of the shortest passphrase that is taken. */
export const LEAST_PASSPHRASE = 12;

export type Strength = "short" | "weak" | "fair" | "strong";

/** Bits that one character is worth: of digits, of words, of a mixture of kinds. */
const BITS = { digits: 3.3, letters: 2.5, mixed: 3.5 };
const FAIR_BITS = 30;
const STRONG_BITS = 50;

/**
 * About how hard a passphrase is to guess, for a word beside the field. What repeats or counts up is worth one character.
 * It knows no list of common ones: "fair" and "strong" are no promise.
 */
export function strengthOf(passphrase: string): Strength {
  const characters = [...passphrase.normalize("NFKC")];
  if (characters.length < LEAST_PASSPHRASE) return "short";
  const bits = withoutPatterns(characters) * bitsOf(passphrase);
  return bits < FAIR_BITS ? "weak" : bits < STRONG_BITS ? "fair" : "strong";
}

function bitsOf(passphrase: string): number {
  if (/^\d+$/.test(passphrase)) return BITS.digits;
  return /^[\p{L}\s]+$/u.test(passphrase) ? BITS.letters : BITS.mixed;
}

/** How many characters are left where a block that repeats counts once, and "aaaa", "4567" or "dcba" as one. */
function withoutPatterns(characters: readonly string[]): number {
  const codes = unrepeated(characters).map((character) => character.codePointAt(0) ?? 0);
  const steps = codes.map((code, at) => code - (codes[at - 1] ?? Number.NaN));
  return steps.filter((step, at) => !(Math.abs(step) <= 1 && step === steps[at - 1])).length;
}

function unrepeated(characters: readonly string[]): readonly string[] {
  for (let length = 1; length <= characters.length / 2; length++)
    if (characters.every((character, at) => character === characters[at % length])) return characters.slice(0, length);
  return characters;
}
