import { bandwidth } from "../../experiments/bandwidth/bandwidth.page.ts";
import { batch } from "../../experiments/batch/batch.page.ts";
import { replay } from "../../experiments/capacity/capacity.page.ts";
import { encode } from "../../experiments/encoders/encode.page.ts";
import { FramePath } from "../../experiments/frame-path/frame-path.page.ts";
import { Leakage } from "../../experiments/leakage/leakage.page.ts";
import { liveKeys } from "../../experiments/live-keys/live-keys.page.ts";
import { measuringCost } from "../../experiments/measuring-cost/measuring-cost.page.ts";
import { relay } from "../../experiments/relay/relay.page.ts";
import { selective } from "../../experiments/selective/selective.page.ts";
import { Signatures } from "../../experiments/signatures/signatures.page.ts";
import { Arms } from "../../experiments/threads/threads.page.ts";
import { vault } from "../../experiments/vault/vault.page.ts";
import type { LabPage } from "../shared/lab.ts";
import type { RecordedFrame } from "../shared/replay.ts";
import { filmCamera } from "./film-camera.ts";
import { comparedPlot, measuredPlot, svgOf } from "./plots.ts";
import { rawClip, save } from "./raw-clip.ts";
import { decode, record } from "./record.ts";

// The lab's page asks for the film; browsers that the command starts have it for a camera already.
if (new URLSearchParams(location.search).get("camera") === "film") filmCamera();

/** What has been recorded, and what came of it. */
let encoded: RecordedFrame[] = [];
let raw: SharedArrayBuffer[] = [];
let arms: Arms | null = null;
let signatures: Signatures | null = null;
let framePath: FramePath | null = null;
let leakage: Leakage | null = null;

const lab: LabPage = {
  saveRaw: async (jpegs) => save("clip.y4m", await rawClip(jpegs)),
  async record(of) {
    encoded = await record(of);
    const bytes = encoded.reduce((sum, { data }) => sum + data.byteLength, 0);
    return { bytes, keyFrames: encoded.filter(({ type }) => type === "key").length };
  },
  replay: (step) => replay(encoded, step),
  async decode(count) {
    raw = await decode(encoded, count);
    return { bytes: raw[0]?.byteLength ?? 0 };
  },
  plan: () => {
    arms ??= new Arms();
    return arms.plan;
  },
  async sealPass(pass) {
    arms ??= new Arms();
    const [ms, bytes] = await arms.pass(pass.frames === "raw" ? raw : encoded.map(({ data }) => data), pass);
    return { ms, bytes };
  },
  encodePass: (of) => encode(raw, of),
  signaturesPass(of) {
    signatures ??= new Signatures();
    return signatures.pass(encoded, of);
  },
  passFrames(block) {
    framePath ??= new FramePath();
    return framePath.run(block);
  },
  async film(frames) {
    leakage = await Leakage.film(frames);
    return { encodings: await Leakage.encodings(), greySsim: leakage.greySsim };
  },
  leak: (test) => filmed().run(test),
  leakSheet: () => filmed().sheet,
  plotMeasured: (file) => svgOf(measuredPlot(file)),
  plotCompared: (figures) => svgOf(comparedPlot(figures)),
  ...selective(),
  ...bandwidth(() => encoded),
  ...batch(),
  ...liveKeys(),
  ...measuringCost(),
  ...relay(),
  ...vault(),
};

function filmed(): Leakage {
  if (leakage === null) throw new Error("there is no film to attack");
  return leakage;
}

Object.assign(globalThis, { lab });
