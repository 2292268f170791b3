import { areNamesakes } from "./namesakes.ts";

/** How a person is called on this page: no other's label can be taken for it. */
export interface Label {
  name: string;
  /** Tells people of one name apart; null for the first of them. */
  mark: number | null;
}

/** A label as it is read. */
export function labelText({ name, mark }: Label): string {
  return mark === null ? name : `${name} (${mark})`;
}

/**
 * A label for everybody, by id. A person keeps theirs for as long as their name is the same; of those who are new the first
 * in the order given has the plain name. So no newcomer takes the label of a person who is here.
 */
export function labelled(
  people: readonly { id: string; name: string }[],
  before: ReadonlyMap<string, Label>,
): Map<string, Label> {
  const kept = people.flatMap(({ id, name }): [string, Label][] => {
    const label = before.get(id);
    return label?.name === name ? [[id, label]] : [];
  });
  const labels = new Map(kept);
  for (const { id, name } of people) {
    if (!labels.has(id)) labels.set(id, freeLabel(name, [...labels.values()].map(labelText)));
  }
  return labels;
}

function freeLabel(name: string, taken: readonly string[]): Label {
  const label: Label = { name, mark: null };
  while (taken.some((text) => areNamesakes(text, labelText(label)))) label.mark = (label.mark ?? 1) + 1;
  return label;
}
