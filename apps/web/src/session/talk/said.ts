import * as v from "valibot";

/** Longest text of a message, UTF-16 code units. */
export const MAX_TEXT = 4_000;

/** Names a leaf of the group for good: hexadecimal. */
export const LeafKey = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/** A whole number that a member counts by. */
export const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Would turn the words around them round, or show where nothing was written. What marks one letter's direction stays. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/gu;
const CONTROL = /[^\P{Cc}\n\t]|[\p{NChar}\ufff9-\ufffb]/gu;

/**
 * A text as it is shown: whatever a member sent, without control characters, turned directions, towers of marks and rows
 * of empty lines. To be called on what comes and on what goes.
 * @returns "" where nothing that can be seen is left.
 */
export function shownText(raw: string): string {
  const text = raw
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, "\n")
    .replace(CONTROL, "")
    .replace(TURNING, "")
    .normalize("NFC")
    // A tower of marks on one letter would reach into what stands above.
    .replace(/(\p{Mn}{4})\p{Mn}+/gu, "$1")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return /^[\p{DI}\s]*$/u.test(text) ? "" : text;
}
