import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";

const HERE = import.meta.dirname;
/** What holds the name of a person, wherever it stands as text. */
const NAMES = /^(name|names|who|theirs|me|pinnedName|current|before|joined|flood|malformed)$/;
/** Elements that isolate what is in them: an option is a line of its own. `Name` and `PersonNames` are of our own. */
const ISOLATING = new Set(["bdi", "option"]);
/** Names of devices, and figures' names, which `useWho` has isolated. */
const NOBODYS = [/^devices\/toggle\.tsx: name$/, /^dashboard\/.*: (name\(\w+\)|names?)$/];

/** Names of people that stand as text of a page without being isolated: file, and expression. */
function unisolated(file: string, source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node, isIsolated: boolean): void => {
    const isOwn = ts.isJsxElement(node) && ISOLATING.has(node.openingElement.tagName.getText());
    const isText = ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent);
    if (isText && !isIsolated && node.expression !== undefined && isNameOf(node.expression))
      found.push(`${file}: ${node.expression.getText()}`);
    ts.forEachChild(node, (child) => visit(child, isIsolated || isOwn));
  };
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  visit(parsed, false);
  return found;
}

/** Whether the expression's own text is a name: what it makes elements of is looked at where it stands. */
function isNameOf(expression: ts.Expression): boolean {
  if (ts.isIdentifier(expression)) return NAMES.test(expression.text);
  if (ts.isPropertyAccessExpression(expression)) return NAMES.test(expression.name.text);
  if (ts.isCallExpression(expression)) return isNameOf(expression.expression);
  if (ts.isConditionalExpression(expression)) return isNameOf(expression.whenTrue) || isNameOf(expression.whenFalse);
  if (ts.isBinaryExpression(expression)) return isNameOf(expression.right);
  return ts.isTemplateExpression(expression) && expression.templateSpans.some((span) => isNameOf(span.expression));
}

it("everywhere in the screens, a person's name is isolated from the text around it", () => {
  const files = readdirSync(HERE, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".tsx"));
  const found = files.flatMap((file) => unisolated(file, readFileSync(join(HERE, file), "utf8")));
  expect(files.length).toBeGreaterThan(40);
  expect(found.filter((place) => !NOBODYS.some((pattern) => pattern.test(place)))).toEqual([]);
});

it.each([
  ["<p>{name}</p>", ["x: name"]],
  ["<Trans>Only {person.name} knows</Trans>", ["x: person.name"]],
  ["<p>{isKnown ? who : null}</p>", ["x: isKnown ? who : null"]],
  ["<p>{isKnown && who}</p>", ["x: isKnown && who"]],
  ["<p><bdi>{name}</bdi> came, <PersonNames names={names} />, {count}</p>", []],
  ["<p>{names.map((name) => <li>{name}</li>)}</p>", ["x: name"]],
  ["<img alt={name} />", []],
])("finds in %s: %j", (source, places) => {
  expect(unisolated("x", source)).toEqual(places);
});
