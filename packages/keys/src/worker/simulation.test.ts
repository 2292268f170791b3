import fc from "fast-check";
import type { CiphersuiteImpl } from "ts-mls";
import { describe, expect, test, vi } from "vitest";
import { modelledCrypto, modelledSuite } from "./modelled.cases.ts";
import type * as Node from "./node.ts";
import { DEEDS, type Opponent, Simulation, type States, type Step } from "./simulation.cases.ts";
import { mlsSuite } from "./suite.ts";

const RUNS = Number(process.env.FUZZ_RUNS ?? 20);
const SEED = process.env.FUZZ_SEED === undefined ? {} : { seed: Number(process.env.FUZZ_SEED) };
const START = 1_800_000_000_000;
const real = await mlsSuite();
const { states } = vi.hoisted((): { states: States } => ({ states: new Map() }));

// Every state that a group is ever in passes by here.
vi.mock("./node.ts", async (original) => {
  const { nodeOf } = await original<typeof Node>();
  return {
    async nodeOf(...[state, suite]: Parameters<typeof nodeOf>) {
      const place = await nodeOf(state, suite);
      states.set(place.token, state);
      return place;
    },
  };
});

function steps(...opponents: Opponent[]): fc.Arbitrary<Step[]> {
  const deeds = [...DEEDS.honest, ...opponents.flatMap((kind) => DEEDS[kind])];
  const step = fc.record({
    what: fc.constantFrom(...deeds),
    who: fc.nat(20),
    whom: fc.nat(20),
    pause: fc.integer({ min: 0, max: 3000 }),
  });
  return fc.array(step, { minLength: 3, maxLength: 14 });
}

async function simulate(
  seed: number,
  opponents: readonly Opponent[],
  schedule: readonly Step[],
  suite: CiphersuiteImpl = modelledSuite,
): Promise<Simulation> {
  states.clear();
  // Key packages hold for a time that MLS looks up by itself.
  vi.spyOn(Date, "now").mockReturnValue(START);
  if (suite === modelledSuite) vi.stubGlobal("crypto", modelledCrypto(seed));
  try {
    const simulation = await Simulation.begin({ suite, states, seed, opponents });
    for (const step of schedule) await simulation.take(step);
    await simulation.end();
    return simulation;
  } finally {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  }
}

const KINDS: Record<string, Opponent[]> = {
  nobody: [],
  "a server": ["server"],
  "a member": ["member"],
  "an outsider": ["outsider"],
  everybody: ["server", "outsider", "member"],
};

describe("whatever honest people do, all who may be are together in the end, and nobody else hears them", () => {
  test.each(Object.entries(KINDS))("against %s", { timeout: 600_000 }, async (_, opponents) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), steps(...opponents), async (seed, schedule) => {
        const c = process.cpuUsage();
        const w = performance.now();
        const s = await simulate(seed, opponents, schedule).catch((e) => {
          console.log("FAIL", e.message);
          throw e;
        });
        const u = process.cpuUsage(c);
        console.log(
          "cpu",
          (u.user + u.system) / 1000,
          "wall",
          performance.now() - w,
          schedule.length,
          s.room.clock.now(),
        );
      }),
      { numRuns: RUNS, ...SEED },
    );
  });
});

test.skip("real", async () => {
  expect(real).toBeDefined();
});
