import { piecesOf } from "./links.ts";

/** What a person wrote. Links open in another tab that learns nothing of this one; none is fetched before it is clicked. */
export function Text({ text }: { text: string }) {
  return piecesOf(text).map(({ text: piece, href }, at) =>
    href === null ? (
      piece
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text that never changes
      <a key={at} href={href} target="_blank" rel="noopener noreferrer" referrerPolicy="no-referrer" dir="ltr">
        {piece}
      </a>
    ),
  );
}
