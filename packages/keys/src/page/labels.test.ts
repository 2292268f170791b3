import fc from "fast-check";
import { expect, test } from "vitest";
import { type Label, labelled, labelText } from "./labels.ts";
import { areNamesakes } from "./namesakes.ts";

function texts(labels: ReadonlyMap<string, Label>): string[] {
  return [...labels].map(([id, label]) => `${id}: ${labelText(label)}`).sort();
}

test("people of one name are told apart, and none takes another's label", () => {
  const first = labelled([{ id: "a", name: "Ann" }], new Map());
  const second = labelled(
    [
      { id: "b", name: "ann" },
      { id: "a", name: "Ann" },
    ],
    first,
  );
  expect(texts(second)).toEqual(["a: Ann", "b: ann (2)"]);
  const third = labelled(
    [
      { id: "c", name: "Ann (2)" },
      { id: "b", name: "ann" },
      { id: "a", name: "Ann" },
    ],
    second,
  );
  expect(texts(third)).toEqual(["a: Ann", "b: ann (2)", "c: Ann (2) (2)"]);
});

test("a person keeps their label when the other of that name goes, and gets one for a new name", () => {
  const two = labelled(
    [
      { id: "a", name: "Ann" },
      { id: "b", name: "Ann" },
    ],
    new Map(),
  );
  expect(texts(labelled([{ id: "b", name: "Ann" }], two))).toEqual(["b: Ann (2)"]);
  expect(texts(labelled([{ id: "b", name: "Bea" }], two))).toEqual(["b: Bea"]);
});

test("no two labels can be taken for each other, no matter who comes and goes under whatever name", () => {
  const names = fc.constantFrom("Ann", "ann", "A\u200bnn", "Ann (2)", "Ann (3)", "Ann (2) (2)", "\u0410nn", "Ben");
  const calls = fc.array(
    fc.uniqueArray(fc.record({ id: fc.constantFrom(..."abcdef"), name: names }), { selector: ({ id }) => id }),
  );
  fc.assert(
    fc.property(calls, (calls) => {
      let labels = new Map<string, Label>();
      for (const people of calls) {
        labels = labelled(people, labels);
        expect([...labels.keys()].sort()).toEqual(people.map(({ id }) => id).sort());
        const all = [...labels.values()].map(labelText);
        for (const [at, one] of all.entries())
          for (const other of all.slice(at + 1)) expect(areNamesakes(one, other), `${one} and ${other}`).toBe(false);
      }
    }),
  );
});
