import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Whole groups and rooms, the cheaper ones first. */
const SLOW = ["member-input", "member-limits", "group", "live", "heartbeat", "member"].map(
  (name) => `/${name}.test.ts`,
);

/** A run ends with the first test that fails: most mutants die of a cheap one. */
class CheapFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const cost = ({ moduleId }: TestSpecification) => SLOW.findIndex((name) => moduleId.endsWith(name));
    return files.toSorted((a, b) => cost(a) - cost(b));
  }
}

/** The tests that mutants of the key agreement have to get past: those that run in Node. */
export default defineConfig({
  test: {
    setupFiles: "vitest.setup.ts",
    include: ["packages/keys/src/**/*.test.ts"],
    exclude: ["**/*.browser.test.ts", "**/node_modules/**"],
    sequence: { sequencer: CheapFirst },
    // Loading the modules again for every mutant would take longer than most tests do.
    isolate: false,
    // A mutant dies of what it does wrong, not of a machine that is busy with another one's tests.
    testTimeout: 120_000,
    // Of the properties over whole rooms, which cost seconds a run, one run.
    env: { FUZZ_RUNS: "1" },
  },
});
