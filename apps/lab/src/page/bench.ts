import type { LabPage } from "../shared/lab.ts";
import type { RecordedFrame } from "../shared/replay.ts";
import { bandwidth } from "./bandwidth.ts";
import { batch } from "./batch.ts";
import { replay } from "./capacity.ts";
import { encode } from "./encode.ts";
import { filmCamera } from "./film-camera.ts";
import { FramePath } from "./frame-path.ts";
import { Leakage } from "./leakage.ts";
import { liveKeys } from "./live-keys.ts";
import { measuringCost } from "./measuring-cost.ts";
import { comparedPlot, measuredPlot, svgOf } from "./plots.ts";
import { rawClip, save } from "./raw-clip.ts";
import { decode, record } from "./record.ts";
import { selective } from "./selective.ts";
import { Signatures } from "./signatures.ts";
import { Arms } from "./threads.ts";
import { vault } from "./vault.ts";

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
  ...vault(),
};

function filmed(): Leakage {
  if (leakage === null) throw new Error("there is no film to attack");
  return leakage;
}

Object.assign(globalThis, { lab });
