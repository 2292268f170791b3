import { appendFileSync } from "node:fs";
import fc from "fast-check";
import type { CiphersuiteImpl } from "ts-mls";
import { afterEach, describe, expect, test, vi } from "vitest";
import type * as Node from "../mls/node.ts";
import { mlsSuite } from "../mls/suite.ts";
import { modelledCrypto, modelledSuite } from "./modelled.cases.ts";
import { DEEDS, type Opponent, Simulation, States, type Step } from "./simulation.cases.ts";

const RUNS = Number(process.env.FUZZ_RUNS ?? 8);
/** Over the real cryptography. */
const REAL_RUNS = Number(process.env.FUZZ_REAL_RUNS ?? 2);
/** The same schedules in each run of the tests; others in each run that looks for what few see. */
const seed = process.env.FUZZ_SEED ?? (process.env.FUZZ_RUNS === undefined ? "1" : undefined);
const SEED = seed === undefined ? {} : { seed: Number(seed) };
/** However long a run takes that looks for what few see. */
const timeout = process.env.FUZZ_RUNS === undefined ? 120_000 : 0;
const START = 1_800_000_000_000;
const real = await mlsSuite();
const states = new States();

// Where files of tests share their modules, what is mocked here was loaded by another one, and would be taken as it is.
vi.hoisted(() => vi.resetModules());
// Every state that a group is ever in passes by here.
vi.mock("../mls/node.ts", async (original) => {
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
  const simulation = await Simulation.begin({ suite, states, seed, opponents });
  // Without, opponents could do nothing from inside, and nobody would look at who holds keys.
  expect(states.of(simulation.founder)).toBeDefined();
  return simulation;
}

async function simulate(schedule: Schedule, suite = modelledSuite): Promise<Simulation> {
  const simulation = await begin(schedule, suite);
  for (const step of schedule.steps) await simulation.take(step);
  await simulation.end();
  return simulation;
}

/** FUZZ_LOG names a file that gets a line for each schedule, with what does not hold yet. */
function note({ withheld, parted }: Simulation, schedule: Schedule): void {
  const { FUZZ_LOG } = process.env;
  if (FUZZ_LOG === undefined) return;
  const isWorthTelling = withheld.length > 0 || parted !== null;
  appendFileSync(FUZZ_LOG, `${JSON.stringify(isWorthTelling ? { withheld, parted, schedule } : {})}\n`);
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

describe.each(Object.entries(KINDS))("against %s", { timeout }, (_, opponents) => {
  const deeds = [...DEEDS.honest, ...opponents.flatMap((kind) => DEEDS[kind])];

  test("all honest people end together, alone, and nobody hears them unseen on the way", async () => {
    const property = fc.asyncProperty(schedules(opponents, deeds), async (schedule) => {
      note(await simulate(schedule), schedule);
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

/** Schedules that once failed, or left people apart. */
const FAILED: Schedule[] = [
  // A commit that some can open and others cannot makes two groups.
  failed(0, ["member"], "poison 0 0 0, join 0 0 0, join 0 0 0, join 0 0 0"),
  // A host that was away hears the knock of a newcomer that has been let in meanwhile.
  failed(0, ["member"], "join 0 0 0, drop 0 0 501, mode 0 4 1599"),
  // A founder comes back to a locked room, and lets others into one of its own meanwhile.
  failed(0, ["server"], "mode 0 5 0, join 0 0 1, reload 0 0 0, join 0 0 0, join 0 0 0, join 0 0 0"),
  // All members find at once that nothing valid follows, and take themselves for behind: none of them commits.
  failed(671421771, ["member"], "flood 10 9 94, ahead 12 1 937, garbage 11 4 1739, insider 2 13 1570, drop 14 6 1025"),
  // Those who could open a commit and those who could not go on as two groups: the host is in one of them.
  failed(2108816471, ["member"], "join 20 15 8, join 4 7 11, silence 17 1 1292, poison 16 16 1744"),
  failed(
    108966346,
    ["member"],
    "join 14 20 1582, namesake 3 5 168, close 20 9 1656, restart 19 3 1995, drop 1 0 1438, namesake 7 4 0, despite 17 3 346, poison 5 8 1582, remove 3 11 1491, close 15 15 1163, join 9 7 2697, rename 19 10 2083",
  ),
  failed(
    910211985,
    ["server", "outsider", "member"],
    "restart 5 16 301, twin 19 15 1505, old restock 16 18 1548, old knock 9 2 1090, delay 9 6 1376, alter 1 5 414, join 2 13 925",
  ),
  // A member whose session was given up comes back in another epoch. The others do not hear of it, and remove it each time.
  failed(
    29,
    ["member"],
    "blink 4 18 489, despite 3 13 1937, expel 19 3 2944, expel 0 14 2880, wrong next 20 7 2687, drop 12 8 686, drop 10 13 1515, despite 12 4 2727, wrong next 9 20 1697, garbage 7 12 1819, ahead 5 4 2631, leave 12 4 1129, rename 15 19 2137",
  ),
  // The founder loads their page again, and no longer reads the knocks of a person who waits with an old link.
  failed(
    2147483635,
    ["outsider"],
    "old token 7 4 441, mode 16 19 1958, drop 10 5 1288, join 12 15 2586, remove 4 2 1454, old restock 12 18 2562, drop 16 17 1303, leave 12 10 1854, reload 12 6 1265, old restock 15 13 2848, mode 5 5 2591, old knock 18 11 705, mode 19 20 510, join 2 0 2583",
  ),
  // Halves of a room that is started again, and loses changes for some of it, take each other for gone.
  failed(
    755993980,
    ["server"],
    "alter 8 6 1820, lose 4 17 520, restart 20 3 1842, lose 11 10 2399, reload 17 7 1789, lose 3 13 810, join 7 14 2226, rename 6 0 1834",
  ),
  // One half removes someone meanwhile: the other comes back by the old link.
  failed(
    331342287,
    ["server"],
    "join 2 12 1028, alter 4 8 2361, rename 12 9 383, split 3 13 1172, close 8 7 2610, repeat 15 13 2072, reload 7 0 2344, blink 15 12 2876, lie 8 5 2383, remove 2 18 698",
  ),
  // People come to a server that was started again while the host has no socket.
  failed(0, [], "join 0 0 1, join 0 0 1, drop 0 0 998, restart 0 0 0, join 0 0 0, join 0 0 0, join 0 0 0"),
  // All who have the present link leave while people with the one before wait: the server's room has these found no group.
  failed(0, [], "join 0 0 0, remove 0 5 0, join 0 0 1, reload 0 0 0, leave 5 0 0, join 0 0 0"),
  // A newcomer founds a group at a server that was started again, and is turned away by the room that was there before.
  failed(0, [], "join 0 0 0, restart 0 0 0, join 0 0 1529, join 0 0 2005, mode 0 8 466"),
  // The server is started again when nobody has the present link but the founder's page, which was loaded again.
  failed(0, [], "join 0 0 0, remove 0 5 0, join 0 0 1, reload 0 0 0, leave 5 0 0, restart 0 0 0"),
  // A newcomer founds a group at a server that was started again, by a link that is then replaced and forgotten.
  failed(0, [], "join 0 0 0, remove 0 5 0, restart 0 0 0, join 0 0 1, reload 0 0 0, join 0 0 0, join 0 0 0"),
  // A host alone, with a link that it has replaced, hears of a group by the one before: it cannot knock there, and is asked to let in.
  failed(0, [], "join 0 0 0, remove 0 1 0, restart 0 0 0, mode 0 1 0, drop 0 0 0, remove 0 4 0"),
  // An outsider knocks while the founder's page is loaded again.
  failed(0, ["outsider"], "reload 0 0 0, old knock 0 0 0, join 0 0 0, join 0 0 0, join 0 0 0"),
  // A member takes the host out of a waiting room by a commit for whose epoch it gives a wrong knock key.
  failed(
    1599760194,
    ["member"],
    "ahead 10 9 2429, mode 10 16 2426, wrong next 17 18 2956, wrong next 4 14 512, expel 6 20 2469, insider 7 14 2635",
  ),
  // The same in an open room whose server is started again meanwhile: two groups were left.
  failed(
    462645704,
    ["member"],
    "expel 3 16 357, join 11 12 2272, join 4 11 2444, restart 10 18 1595, mode 12 4 2943, reload 12 7 1870, rename 4 19 393, reload 7 13 2903, ghost 8 15 2157, leave 13 1 353, ghost 11 7 1056, drop 2 13 1039, restart 10 2 2036, strangers 6 9 2123",
  ),
  // The same to a person who then goes on sealing in an epoch that the others have left.
  failed(
    602155439,
    ["member"],
    "reload 10 14 716, expel 0 10 1958, rename 2 9 798, twin 8 14 1275, garbage 14 19 1173, flood 20 5 309, flood 10 5 129, remove 17 9 1142, reload 16 4 2995",
  ),
  // The founder's page is loaded again before it has committed a removal, and then removes someone else.
  failed(
    0,
    [],
    "mode 0 1 0, join 0 0 1, remove 0 1 0, reload 0 0 0, join 0 0 15, close 2 0 184, remove 0 4 0, join 0 0 0, join 0 0 0",
  ),
  // A member goes while a person whom it took out comes in again, who had heard it before and does not any more.
  failed(
    0,
    ["member"],
    "poison 0 0 0, rename 0 0 600, expel 0 0 250, drop 2 0 2900, expel 0 0 2684, close 11 0 260, expel 0 0 6",
  ),
  // Of two who are alone one knocks, changes its name, and with that which of the two should have knocked.
  failed(
    704004497,
    ["server"],
    "split 17 0 650, deaf 0 8 2800, reload 0 0 1250, leave 8 0 2950, reload 0 0 1500, lose 7 0 2950, restart 0 0 0, remove 0 0 650, rename 0 0 950",
  ),
  // Two halves become one group after 13 s, which removes a silent member 28 s later.
  failed(
    0,
    ["server", "outsider", "member"],
    "join 0 0 2233, join 0 0 167, garbage 0 0 0, split 0 0 1442, ahead 0 0 9, wrong next 0 0 949, strangers 0 0 295, remove 0 17 205",
  ),
  // A host comes back to a server that was started again. Of its two guests each is in a branch of its own, and none hears a host.
  failed(
    140713836,
    ["server"],
    "repeat 0 0 1700, join 0 0 950, deaf 0 10 2036, leave 15 0 564, split 7 0 2600, reload 0 0 1525, repeat 0 0 25, rename 4 0 2600, restart 0 0 900",
  ),
  // A founder that is no host of the group which took it in past garbage removes nobody there.
  failed(
    2060424102,
    ["member"],
    "close 9 2 1905, flood 19 13 3000, fill 18 6 2390, leave 1 10 554, close 10 11 1243, flood 15 12 1582, join 19 10 275, strangers 4 11 15, strangers 15 9 2823, garbage 9 4 75, insider 16 3 1120, garbage 11 20 2471, remove 7 13 2657",
  ),
];

/** Steps as `what who whom pause`, with commas between. */
function failed(seed: number, opponents: Opponent[], text: string): Schedule {
  const steps = text.split(", ").map((line): Step => {
    const [, what, ...numbers] = /^(.+) (\d+) (\d+) (\d+)$/.exec(line) ?? [];
    const [who = 0, whom = 0, pause = 0] = numbers.map(Number);
    return { what: what as Step["what"], who, whom, pause };
  });
  return { seed, opponents, steps };
}

test.each(FAILED)("what once failed, with seed $seed against $opponents, holds", { timeout }, async (schedule) => {
  const { parted, withheld } = await simulate(schedule);
  expect([parted, withheld]).toEqual([null, []]);
});

test("where a host forgets the link of its removal before anybody else has it, people meet once the room was empty", async () => {
  // A commit that no other can open keeps the link from them.
  const steps = "poison 0 0 0, remove 0 5 1, reload 0 0 0, join 0 0 0, join 0 0 0, join 0 0 0";
  const { parted, honest } = await simulate(failed(1198926649, ["member"], steps));
  expect(parted).toMatch(/outsid/);
  expect(honest.every(({ isInside }) => isInside)).toBe(true);
});

test.each([
  failed(0, [], "drop 0 0 0, close 1 0 0, join 0 0 0, join 0 0 200, remove 0 5 0, restart 0 0 0"),
  // Others come by the host's link meanwhile.
  failed(
    1242238707,
    [],
    "close 9 18 987, drop 13 19 2251, close 0 15 816, drop 15 11 1485, join 12 0 241, join 8 1 854, remove 2 12 2415, rename 18 14 1201, restart 8 6 1670, restart 15 4 2095, join 6 0 2058, join 3 1 1188, leave 13 20 708",
  ),
])(
  "who came after the epoch in which a host removes someone, at a restarted server, meets it by its link",
  async (schedule) => {
    const { parted, honest, founder } = await simulate(schedule);
    expect(parted).not.toBeNull();
    expect(founder.roster.map(({ name }) => name)).toHaveLength(honest.length);
  },
);

test("while people do nothing, an outsider changes nothing at all", { timeout }, async () => {
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

test("the model and the real cryptography tell one story", { timeout }, async () => {
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
