import { ManualClock } from "@sealcast/time";
import { afterEach, expect, test, vi } from "vitest";
import { EffectEngine } from "./effect-engine.ts";
import type { EffectsChoice } from "./effects-view.ts";

const shown = vi.hoisted((): unknown[] => []);

vi.mock("../workers.ts", () => ({ spawnBackground: vi.fn(), spawnNoise: vi.fn() }));
vi.mock("@sealcast/effects", () => ({
  canTreat: () => true,
  BackgroundEffect: class {
    started = Promise.resolve(true);
    show = (backdrop: unknown) => void shown.push(backdrop);
    close = () => undefined;

    constructor(_worker: Worker, _raw: MediaStreamTrack, backdrop: unknown) {
      shown.push(backdrop);
    }
  },
}));

afterEach(() => vi.unstubAllGlobals());

test("what is chosen while the picture before it is still read stands behind the person in the end", async () => {
  let read: () => void = () => undefined;
  const reading = new Promise<void>((resolve) => {
    read = resolve;
  });
  vi.stubGlobal(
    "Image",
    class {
      decode = () => reading;
    },
  );
  vi.stubGlobal("createImageBitmap", async () => ({}));
  let choice: EffectsChoice = { background: "own", ownPicture: "data:", noise: false };
  const nothing = () => undefined;
  const options = { clock: new ManualClock(), choice: () => choice, set: nothing, ended: nothing };
  const engine = new EffectEngine(options);
  const treated = engine.treat("camera", {} as MediaStreamTrack, new AbortController().signal);
  choice = { ...choice, background: "dusk" };
  await engine.showBackdrop();
  read();
  expect(await treated).not.toBe(null);
  await vi.waitFor(() => expect(shown.at(-1)).toEqual({ kind: "drawn", name: "dusk" }));
});
