import { FILMED } from "../../src/shared/camera.ts";
import type { Bench, Results, Row } from "../../src/shared/experiment.ts";
import type { ProductName, ReplayStep, Residence } from "../../src/shared/lab.ts";
import { search } from "../../src/shared/search.ts";

const LIMIT_MS = 5;
const FIRST = 32;

const arms = {
  tracks1: { name: "Sealcast, pool of 1", product: "sealcast", workers: 1 },
  tracks2: { name: "Sealcast, pool of 2", product: "sealcast", workers: 2 },
  livekitTracks: { name: "livekit-client's worker", product: "livekit", workers: 1 },
} satisfies Record<string, { name: string; product: ProductName; workers: number }>;

type Arm = (typeof arms)[keyof typeof arms];

/** A search under way, and the residence at each count that held. */
interface Searching {
  steps: Generator<number, number, boolean>;
  step: IteratorResult<number, number>;
  held: Map<number, Residence>;
}

export async function capacity(bench: Bench): Promise<Results> {
  const recorded = await bench.ask("record", { ...FILMED, frames: bench.quick ? 50 : 150 });
  bench.say(`Recorded ${Math.round(recorded.bytes / 1000)} KB of VP8, ${recorded.keyFrames} key frames.`);
  const searches = Object.values(arms).map((arm) => ({ arm, searching: begin(bench.quick) }));
  // In turn, so that a busy spell of the machine falls on all of them.
  while (searches.some(({ searching }) => !searching.step.done))
    for (const { arm, searching } of searches) await advance(bench, arm, searching);
  const rows = searches.map(({ arm, searching }) => row(arm, searching));
  const found = rows.map(({ tracks }) => tracks);
  return { rows, summary: Object.fromEntries(Object.keys(arms).map((key, i) => [key, found[i] ?? 0])) };
}

function begin(quick: boolean): Searching {
  const steps = search(FIRST, quick ? 0.1 : 0.04);
  return { steps, step: steps.next(), held: new Map() };
}

async function advance(bench: Bench, arm: Arm, searching: Searching): Promise<void> {
  if (searching.step.done) return;
  const tracks = searching.step.value;
  const times = bench.quick ? { warmUp: 400, ms: 1_000 } : { warmUp: 1_000, ms: 3_000 };
  const step: ReplayStep = { product: arm.product, workers: arm.workers, tracks, ...times };
  const residence = await bench.ask("replay", step);
  const holds = residence.p95 < LIMIT_MS;
  if (holds) searching.held.set(tracks, residence);
  bench.measured(arm.name, tracks);
  bench.say(`${arm.name}, ${tracks} tracks: p95 ${residence.p95.toFixed(2)} ms${holds ? "" : ", too long"}`);
  searching.step = searching.steps.next(holds);
}

function row({ name, workers }: Arm, { step, held }: Searching): Row & { tracks: number } {
  const residence = held.get(step.value);
  const ms = (value: number | undefined) => (value === undefined ? null : Number(value.toFixed(3)));
  return { arm: name, workers, tracks: step.value, p50Ms: ms(residence?.p50), p95Ms: ms(residence?.p95) };
}
