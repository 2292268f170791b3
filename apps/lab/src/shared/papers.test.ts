import { expect, test } from "vitest";
import { catalogue } from "./catalogue.ts";
import { figureKey, isFigure, paperFigure, paperList } from "./papers.ts";

test("every row of every table has a value, or none, for each column, and each column a unit", () => {
  for (const [, { tables }] of paperList)
    for (const { rows, columns, units, name } of tables) {
      expect(units, name).toHaveLength(columns.length);
      for (const row of rows) expect(row.values, `${name}, ${row.name}`).toHaveLength(columns.length);
    }
});

test("a table's name is that of no other table and of no experiment: both name plots", () => {
  const tables: string[] = paperList.flatMap(([, { tables }]) => tables.map(({ name }) => name));
  const names = [...tables, ...catalogue.map(({ name }) => name)];
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test("the broken ciphers of the papers are called so wherever they stand", () => {
  const rows = paperList.flatMap(([, { tables }]) => tables.flatMap(({ rows }) => rows.map(({ name }) => name)));
  const arms = catalogue.flatMap(({ arms }) => arms);
  const broken = [...rows, ...arms].filter((name) => /DES|RC4|Blowfish|ECB/.test(name));
  expect(broken.length).toBeGreaterThan(8);
  for (const name of broken) expect(name).toContain("(broken)");
});

test("a figure that no table has is refused, and one that a paper does not give is null", () => {
  expect(paperFigure("chunks", "2 threads", "speed-up")).toBe(1.67);
  expect(isFigure(figureKey("chunks", "3 threads", "speed-up"))).toBe(false);
  expect(() => paperFigure("chunks", "3 threads", "speed-up")).toThrow("3 threads");
});
