import { appendFileSync } from "node:fs";
import fc from "fast-check";
import type { CiphersuiteImpl } from "ts-mls";
import { afterEach, describe, expect, test, vi } from "vitest";
import { modelledCrypto, modelledSuite } from "./modelled.cases.ts";
import type * as Node from "./node.ts";
import { DEEDS, type Opponent, Simulation, States, type Step } from "./simulation.cases.ts";
import { mlsSuite } from "./suite.ts";

const RUNS = Number(process.env.FUZZ_RUNS ?? 8);
/** Over the real cryptography. */
const REAL_RUNS = Number(process.env.FUZZ_REAL_RUNS ?? 2);
const SEED = process.env.FUZZ_SEED === undefined ? {} : { seed: Number(process.env.FUZZ_SEED) };
const START = 1_800_000_000_000;
const real = await mlsSuite();
const states = new States();

// Every state that a group is ever in passes by here.
vi.mock("./node.ts", async (original) => {
  const { nodeOf } = await original<typeof Node>();
  return {
    async nodeOf(...[state, suite]: Parameters<typeof nodeOf>) {
      const place = await nodeOf(state, suite);
      states.add(place.token, state);
      return place;
    },
  };
});

/** One run: what it takes to have the same again, where the cryptography is modelled. */
interface Schedule {
  readonly seed: number;
  readonly opponents: readonly Opponent[];
  readonly steps: readonly Step[];
}

function schedules(opponents: readonly Opponent[], deeds: readonly Step["what"][]): fc.Arbitrary<Schedule> {
  const step = fc.record({
    what: fc.constantFrom(...deeds),
    who: fc.nat(20),
    whom: fc.nat(20),
    pause: fc.integer({ min: 0, max: 3000 }),
  });
  const steps = fc.array(step, { minLength: 3, maxLength: 14 });
  return fc.record({ seed: fc.nat(), opponents: fc.constant(opponents), steps });
}

async function begin({ seed, opponents }: Schedule, suite: CiphersuiteImpl): Promise<Simulation> {
  states.clear();
  // Key packages hold for a time that MLS looks up by itself.
  vi.spyOn(Date, "now").mockReturnValue(START);
  if (suite === modelledSuite) vi.stubGlobal("crypto", modelledCrypto(seed));
  return Simulation.begin({ suite, states, seed, opponents });
}

async function simulate(schedule: Schedule, suite = modelledSuite): Promise<Simulation> {
  const simulation = await begin(schedule, suite);
  for (const step of schedule.steps) await simulation.take(step);
  await simulation.end();
  return simulation;
}

/** What does not hold yet, for long runs: FUZZ_LOG names a file that gets a line for each. */
function count(what: string, detail: string, schedule: Schedule | null): void {
  const { FUZZ_LOG } = process.env;
  if (FUZZ_LOG !== undefined) appendFileSync(FUZZ_LOG, `${JSON.stringify({ what, detail, schedule })}\n`);
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const KINDS: Record<string, Opponent[]> = {
  nobody: [],
  "a server": ["server"],
  "a member": ["member"],
  "an outsider": ["outsider"],
  "all of them": ["server", "outsider", "member"],
};

describe.each(Object.entries(KINDS))("against %s", { timeout: 600_000 }, (_, opponents) => {
  const deeds = [...DEEDS.honest, ...opponents.flatMap((kind) => DEEDS[kind])];

  test("all honest people end together, alone, and nobody hears them unseen on the way", async () => {
    const property = fc.asyncProperty(schedules(opponents, deeds), async (schedule) => {
      const { withheld, parted } = await simulate(schedule);
      if (withheld.length > 0) count("withheld", withheld.join(", "), schedule);
      if (parted !== null) count("parted", parted, schedule);
      count("schedules", "", null);
    });
    await fc.assert(property, { numRuns: RUNS, ...SEED });
  });

  test("the same over the real cryptography", async () => {
    const property = fc.asyncProperty(schedules(opponents, deeds), async (schedule) => {
      vi.unstubAllGlobals();
      await simulate(schedule, real);
    });
    await fc.assert(property, { numRuns: REAL_RUNS, ...SEED });
  });
});

test("while people do nothing, an outsider changes nothing at all", { timeout: 600_000 }, async () => {
  const property = fc.asyncProperty(schedules(["outsider"], DEEDS.outsider), async (schedule) => {
    const simulation = await begin(schedule, modelledSuite);
    await simulation.pass(12_000);
    const before = simulation.standing;
    for (const step of schedule.steps) await simulation.take(step);
    await simulation.pass(12_000);
    expect(simulation.standing).toBe(before);
  });
  await fc.assert(property, { numRuns: RUNS, ...SEED });
});

test("the model and the real cryptography tell one story", { timeout: 600_000 }, async () => {
  // Of two who founded a group each, or who commit in one moment, chance decides who wins.
  const deeds = ["join", "leave", "close", "rename", "mode", "remove"] as const;
  const property = fc.asyncProperty(schedules([], deeds), async (schedule) => {
    const modelled = await simulate(schedule);
    vi.unstubAllGlobals();
    const { story } = await simulate(schedule, real);
    expect(modelled.story).toEqual(story);
  });
  await fc.assert(property, { numRuns: REAL_RUNS, ...SEED });
});
