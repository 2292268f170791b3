import { balanced } from "../../src/shared/balance.ts";
import { FILMED } from "../../src/shared/camera.ts";
import type { Bench, Results, Row } from "../../src/shared/experiment.ts";
import { mean, quantile } from "../../src/shared/statistics.ts";
import type { SignaturesPassed } from "./signatures.ts";

const ROUNDS = 40;

interface Pass extends SignaturesPassed {
  signed: boolean;
}

export async function signatures(bench: Bench): Promise<Results> {
  const recorded = await bench.ask("record", { ...FILMED, frames: bench.quick ? 60 : 150 });
  bench.say(`Recorded ${Math.round(recorded.bytes / 1000)} KB of VP8, ${recorded.keyFrames} key frames.`);
  const pass = async (signed: boolean): Promise<Pass> => ({
    signed,
    ...(await bench.ask("signaturesPass", { signed })),
  });
  // Their code is cold.
  for (const signed of [true, false, true, false]) await pass(signed);
  const passes: Pass[] = [];
  for (const order of balanced([true, false], bench.quick ? 6 : ROUNDS))
    for (const signed of order) {
      const done = await pass(signed);
      passes.push(done);
      bench.measured(signed ? "signed" : "not signed", done.sealUs);
    }
  return { rows: [true, false].map((signed) => row(passes, signed)), summary: summary(passes) };
}

function row(passes: readonly Pass[], signed: boolean): Row {
  const of = passes.filter((pass) => pass.signed === signed);
  const us = (field: "sealUs" | "openUs" | "sealP50Us" | "openP50Us", q: number) => quantile(valuesOf(of, field), q);
  return {
    arm: signed ? "signed" : "not signed",
    sealUs: round(us("sealUs", 0.5)),
    openUs: round(us("openUs", 0.5)),
    sealWaitP50Us: round(us("sealP50Us", 0.5)),
    openWaitP50Us: round(us("openP50Us", 0.5)),
    leastSealUs: round(us("sealUs", 0)),
    leastOpenUs: round(us("openUs", 0)),
    frames: of.reduce((sum, { frames }) => sum + frames, 0),
  };
}

/** Differences are the medians over the rounds, each of which has one pass of either kind. */
function summary(passes: readonly Pass[]): Record<string, number> {
  const [signed, plain] = [true, false].map((is) => passes.filter((pass) => pass.signed === is));
  const extra = (field: "sealUs" | "openUs") => {
    const without = valuesOf(plain, field);
    const differences = valuesOf(signed, field).map((value, i) => value - (without[i] ?? Number.NaN));
    return round(quantile(differences, 0.5));
  };
  return {
    sealExtraUs: extra("sealUs"),
    openExtraUs: extra("openUs"),
    signUs: round(quantile(valuesOf(signed, "signUs"), 0.5)),
    verifyUs: round(quantile(valuesOf(signed, "verifyUs"), 0.5)),
    bytesPerSecond: Math.round(mean(valuesOf(signed, "bytesPerSecond"))),
  };
}

function valuesOf(passes: readonly Pass[] | undefined, field: Exclude<keyof SignaturesPassed, "frames">): number[] {
  return (passes ?? []).map((pass) => pass[field] ?? Number.NaN);
}

function round(value: number): number {
  return Number(value.toFixed(1));
}
