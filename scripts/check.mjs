// The gates: format and lint, types, the dependency rule, unused code, names of types, the tests that SECURITY.md names, fixed waits, measured figures. Exits with the number of gates that failed.
// A gate that passes without having looked at every source file has failed.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { runnerImport } from "vite";
import { folders, root, run, setUp, sources, tool } from "./setup.mjs";
import { readBudget } from "./test-report.mjs";

await setUp();
const files = sources();
mkdirSync(join(root, ".tsbuild"), { recursive: true });
const gates = { biome, tsc, "dependency-cruiser": dependencies, knip, names, proofs, waits, results };

/** Folders in which names and comments are held to the words below. */
const PLAIN = /^(server|e2e|apps|packages)\//;
const OLD_NAME =
  /(?<![a-z])(outlet|tally|crew|ailment|occupancy|acquaintance|beaten)|(Outlet|Tally|Crew|Ailment|Occupancy|Acquaintance|Beaten)/g;
const RIDDLE = /\b(somebody|whoever|anew)\b/gi;
const COMMENT = /\/\*.*?\*\/|(?<=^|\s)\/\/[^\n]*/gs;
const QUOTED = /"(?:[^"\\\n]|\\.)*"/g;
const FIXED_WAIT = /waitForTimeout\(|(?<!test\.)\bsetTimeout\(/g;

let failed = 0;
// Most of them keep one core busy.
const found = await Promise.all(Object.entries(gates).map(async ([name, gate]) => [name, await gate()]));
for (const [name, problems] of found) {
  if (problems) failed += 1;
  console.log(`${problems ? "FAIL" : "ok  "}  ${name}${problems ? `\n${problems}` : ""}`);
}
process.exitCode = failed;

/** Format, lint, import cycles. */
async function biome() {
  const { code, output } = await run(tool("biome"), ["check", "--error-on-warnings", "--max-diagnostics=100"], {
    quiet: true,
  });
  if (code !== 0) return output;
  const checked = Number(/Checked (\d+) files?/.exec(output)?.[1] ?? 0);
  return checked < files.length
    ? `Biome looked at ${checked} files of ${files.length}: see "files" in biome.json.`
    : "";
}

/** Types, one project per thread. */
async function tsc() {
  const { code, output } = await run(tool("tsc"), ["-b"], { quiet: true });
  const projects = compiled();
  return [code === 0 ? "" : output, unseen(projects.flatMap(({ files }) => files)), leaks(projects)].join("");
}

/** What each project's last build compiled, as its build information says. */
function compiled() {
  const folder = join(root, ".tsbuild");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".tsbuildinfo"))
    .map((file) => ({
      project: file.split(/[\\/]/)[0],
      files: JSON.parse(readFileSync(join(folder, file), "utf8")).fileNames.map((name) =>
        relative(root, resolve(folder, file, "..", name)).replaceAll("\\", "/"),
      ),
    }));
}

/** A package's own types can bring the DOM into workers or Node into the page; then `document` there is no error. */
function leaks(projects) {
  const foreign = { worker: /lib\.dom\.d\.ts$|@types\/node\//, page: /@types\/node\//, node: /lib\.dom\.d\.ts$/ };
  return projects
    .flatMap(({ project, files }) => {
      const leak = files.find((file) => foreign[project]?.test(file));
      return leak ? [`The ${project} project includes ${leak}, which its thread does not have.\n`] : [];
    })
    .join("");
}

/** The dependency rule and cycles. */
async function dependencies() {
  const report = join(root, ".tsbuild/dependencies.json");
  rmSync(report, { force: true });
  const { code, output } = await run(tool("depcruise"), ["--output-type", "json", "--output-to", report, ...folders], {
    quiet: true,
  });
  if (code !== 0) return output;
  const { modules, summary } = JSON.parse(readFileSync(report, "utf8"));
  const found = summary.violations.map(({ rule, from, to, cycle }) => {
    const path = cycle ? cycle.map(({ name }) => name).join(" -> ") : to;
    return `${from} -> ${path}\n  ${rule.name}`;
  });
  return found.join("\n") || unseen(modules.map(({ source }) => source));
}

/** Unused files, exports and dependencies. */
async function knip() {
  const { code, output } = await run(tool("knip"), ["--no-progress"], { quiet: true });
  return code !== 0 ? output : "";
}

/** The name of an exported type stands for one thing in the whole project. Identifiers and comments use no word that has a better one. */
function names() {
  return doubles() + words();
}

function doubles() {
  const places = new Map();
  for (const file of files.filter((each) => !/\.(test|cases)\.tsx?$/.test(each))) {
    const source = readFileSync(join(root, file), "utf8");
    for (const [, name] of source.matchAll(/^export (?:abstract )?(?:interface|type|class) (\w+)/gm))
      places.set(name, [...(places.get(name) ?? []), file]);
  }
  if (places.size === 0) return "There are no exported types.";
  return [...places]
    .filter(([, at]) => at.length > 1)
    .map(([name, at]) => `${name} is a type of ${at.join(" and ")}: each needs a name of its own.\n`)
    .join("");
}

function words() {
  const found = (file, text, word, place) =>
    [...text.matchAll(word)].map(([each]) => `${file} has "${each}" in ${place}: use another word.\n`);
  return files
    .filter((file) => PLAIN.test(file))
    .flatMap((file) => {
      const source = readFileSync(join(root, file), "utf8");
      const comments = [...source.matchAll(COMMENT)].join("\n");
      const code = source.replace(COMMENT, "").replace(QUOTED, "");
      return [...found(file, code, OLD_NAME, "a name"), ...found(file, comments, RIDDLE, "a comment")];
    })
    .join("");
}

/** Each row of SECURITY.md's table of tests names some, and each of these is there: `file`: "title". */
function proofs() {
  const [, section = ""] =
    /^## Which test fails$(.*?)^## /ms.exec(readFileSync(join(root, "SECURITY.md"), "utf8")) ?? [];
  const rows = section.split("\n").filter((line) => /^\|(?!---| adversary )/.test(line));
  if (rows.length === 0) return "There is no table of tests in SECURITY.md.";
  return rows
    .flatMap((row) => {
      const named = [...row.matchAll(/`([^`]+)`: "([^"]+)"/g)];
      if (named.length === 0) return [`Names no test: ${row}\n`];
      return named.flatMap(([, file, title]) => (titles(file).has(title) ? [] : [`${file} has no test "${title}".\n`]));
    })
    .join("");
}

/** Each spec has a budget, and waits for a fixed time no more often than that says. */
function waits() {
  const budget = readBudget();
  const specs = files.filter((file) => /^e2e\/[^/]+\.spec\.ts$/.test(file));
  return specs
    .flatMap((path) => {
      const file = path.slice("e2e/".length);
      const waits = readFileSync(join(root, path), "utf8").match(FIXED_WAIT)?.length ?? 0;
      if (budget[file] === undefined) return [`${file} is not in e2e/budget.json.\n`];
      const most = budget[file].waits ?? 0;
      return waits > most ? [`${file} has ${waits} fixed waits; e2e/budget.json allows ${most}.\n`] : [];
    })
    .join("");
}

/**
 * Every measured figure has its results file: the pages in docs/results are what the lab makes of the files there, and so
 * are the figures in README.md that are marked; those with a unit of time, rate or percent are all marked.
 */
async function results() {
  const load = async (file) => (await runnerImport(join(root, file), { configFile: false, logLevel: "silent" })).module;
  const { parseResults } = await load("apps/lab/src/shared/results.ts");
  const { filled, resultsPage, plotNames } = await load("apps/lab/src/shared/report.ts");
  const folder = join(root, "docs/results");
  const names = readdirSync(folder);
  const read = (path) => (existsSync(path) ? readFileSync(path, "utf8") : "");
  const files = names
    .filter((name) => name.endsWith(".json"))
    .map((name) => {
      const file = parseResults(read(join(folder, name)), name);
      if (name !== `${file.experiment}.json`) throw new Error(`${name} holds the results of ${file.experiment}.`);
      return file;
    });
  const again = "Write it again: npm run lab -- report.\n";
  const readme = read(join(root, "README.md"));
  const { text, problems } = filled(readme, files);
  const expected = new Set(["README.md", ...files.map(({ experiment }) => `${experiment}.json`), ...plotNames(files)]);
  return [
    ...problems.map((problem) => `${problem}\n`),
    ...(text === readme ? [] : [`README.md has other figures than docs/results. ${again}`]),
    ...(read(join(folder, "README.md")) === resultsPage(files)
      ? []
      : [`docs/results/README.md is not what its JSON files say. ${again}`]),
    ...[...expected].filter((name) => !names.includes(name)).map((name) => `docs/results/${name} is missing. ${again}`),
    ...names.filter((name) => !expected.has(name)).map((name) => `docs/results/${name} has no results file.\n`),
  ].join("");
}

/** Of the tests in a file that are run. */
function titles(file) {
  if (!files.includes(file)) return new Set();
  const source = readFileSync(join(root, file), "utf8");
  return new Set(
    [...source.matchAll(/\b(?:test|it)(?:\.each\([^;]*?\))?\(\s*(["'`])(.*?)\1/gs)].map(([, , title]) => title),
  );
}

function unseen(seen) {
  const looked = new Set(seen);
  const missed = files.filter((file) => !looked.has(file));
  if (files.length === 0) return "There are no source files.";
  return missed.length ? `Not looked at:\n  ${missed.join("\n  ")}\n` : "";
}
