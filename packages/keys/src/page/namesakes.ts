import { CONFUSABLES } from "./confusables.ts";

const prototypes = new Map(
  CONFUSABLES.split("\n").flatMap((line) => {
    const [prototype = "", sources = ""] = line.split(" ");
    return [...sources].map((source): [string, string] => [source, prototype]);
  }),
);

/** Names come again with every look at who is here, and hundreds are remembered. */
const MAX_REMEMBERED = 4_000;
const remembered = new Map<string, readonly string[]>();

/** Whether two names could be taken for one: equal, or look alike, in capitals or not. An empty name is like no other. */
export function areNamesakes(one: string, other: string): boolean {
  const [ones, others] = [skeletons(one), skeletons(other)];
  return ones.some((skeleton, at) => skeleton !== "" && skeleton === others[at]);
}

function skeletons(name: string): readonly string[] {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const made = skeletonsOf(name);
  remembered.set(name, made);
  return made;
}

/**
 * Skeletons of a name (UTS 39 section 4) in which neither case nor spaces count: of it as it is written, since a capital I
 * looks like a small l, and of it in small letters, since only these are one for capitals and small ones of every script.
 */
function skeletonsOf(name: string): [asWritten: string, small: string] {
  const letters = name.normalize("NFKC").replace(/[\s\p{Cc}\p{Cf}\p{DI}]/gu, "");
  return [folded(prototypeOf(letters)), folded(prototypeOf(letters.toLowerCase()))];
}

/** The string that looks like it of which all strings that look alike have the same. */
function prototypeOf(text: string): string {
  return [...text.normalize("NFD")]
    .map((letter) => prototypes.get(letter) ?? letter)
    .join("")
    .normalize("NFD");
}

/** A capital I is in l's class, and a small i is its own small letter: both are one here. */
function folded(text: string): string {
  return text.toLowerCase().replaceAll("i", "l");
}
