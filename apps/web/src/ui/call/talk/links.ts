/** A piece of a text: `href` is where it leads, null where it is no link. */
export interface TextPiece {
  text: string;
  href: string | null;
}

const LINK = /https?:\/\/[^\s<>"]+/gi;
/** What stands behind a link in a sentence is no part of it. */
const BEHIND = /[.,;:!?'’”»)\]}]+$/;
/** Letters that read as what they are. */
const PLAIN = /^[\x21-\x7e]+$/;

/**
 * The text in pieces, links apart. A link leads where it reads: one with other letters than ASCII shows as the address that
 * browsers make of it, and one that names a person before its host is none.
 */
export function piecesOf(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(LINK)) {
    const written = trimmed(found);
    const href = addressOf(written);
    if (href === null) continue;
    if (index > from) pieces.push({ text: text.slice(from, index), href: null });
    pieces.push({ text: PLAIN.test(written) ? written : href, href });
    from = index + written.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), href: null });
  return pieces;
}

/** A closing bracket stays where the link opens one. */
function trimmed(link: string): string {
  const without = link.replace(BEHIND, "");
  return link.startsWith(`${without})`) && without.includes("(") ? `${without})` : without;
}

function addressOf(link: string): string | null {
  const url = URL.parse(link);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  return isPlain ? url.href : null;
}
