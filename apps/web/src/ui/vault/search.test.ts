import { expect, test } from "vitest";
import { matching } from "./search.ts";

const entries = [
  { title: "Réunion du lundi", people: ["Zoë", "Ben"] },
  { title: "Holiday", people: [] },
];

test.each([
  ["", ["Réunion du lundi", "Holiday"]],
  ["  ", ["Réunion du lundi", "Holiday"]],
  ["reunion", ["Réunion du lundi"]],
  ["HOLI", ["Holiday"]],
  ["zoe lundi", ["Réunion du lundi"]],
  ["ben holiday", []],
])("%j finds %j", (query, titles) => {
  expect(matching(entries, query).map(({ title }) => title)).toEqual(titles);
});
