import type { ShownEntry } from "../../session/vault/view.ts";

/** Those whose title or people have every word of `query` in them, whatever its case and accents. */
export function matching<Entry extends Pick<ShownEntry, "title" | "people">>(
  entries: readonly Entry[],
  query: string,
): Entry[] {
  const words = folded(query).split(/\s+/);
  return entries.filter(({ title, people }) => {
    const text = folded([title, ...people].join(" "));
    return words.every((word) => text.includes(word));
  });
}

function folded(text: string): string {
  return text.trim().normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
