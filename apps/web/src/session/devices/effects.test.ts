import { ManualClock } from "@sealcast/time";
import { beforeEach, expect, test, vi } from "vitest";
import type { EffectEngine } from "./effect-engine.ts";
import { Effects } from "./effects.ts";
import { type EffectsChoice, NO_EFFECT } from "./effects-view.ts";

const engine = vi.hoisted(() => ({
  treat: vi.fn(),
  showBackdrop: vi.fn(),
  relieve: vi.fn(),
  readPicture: vi.fn(),
  options: null as null | ConstructorParameters<typeof EffectEngine>[0],
}));

vi.mock("./effect-engine.ts", () => ({
  EffectEngine: class {
    constructor(options: ConstructorParameters<typeof EffectEngine>[0]) {
      engine.options = options;
      // biome-ignore lint/correctness/noConstructorReturn: the test looks at the one double
      return engine;
    }
  },
}));

const NOTHING: EffectsChoice = { background: "none", ownPicture: "", noise: false };
const raw = {} as MediaStreamTrack;
const treated = { track: {} as MediaStreamTrack, end: () => undefined };
const { signal } = new AbortController();

beforeEach(() => vi.clearAllMocks());

function effects(choice: Partial<EffectsChoice> = {}) {
  const did: string[] = [];
  const options = {
    clock: new ManualClock(),
    show: () => undefined,
    reopen: (source: string, { hidden }: { hidden: boolean }) => did.push(`${source} again${hidden ? ", hidden" : ""}`),
    closeCamera: () => did.push("camera off"),
  };
  return { effects: new Effects(options, { ...NOTHING, ...choice }), did };
}

test("without an effect, devices come out as they are and nothing is loaded", async () => {
  const { effects: none } = effects();
  for (const source of ["camera", "microphone"] as const)
    expect((await none.treat(source, raw, signal))?.track).toBe(raw);
  expect(engine.treat).not.toHaveBeenCalled();
});

test("a camera with a background comes out treated, or not at all", async () => {
  const { effects: blurred } = effects({ background: "blur" });
  engine.treat.mockResolvedValueOnce(treated);
  expect(await blurred.treat("camera", raw, signal)).toBe(treated);
  engine.treat.mockResolvedValueOnce(null);
  expect(await blurred.treat("camera", raw, signal)).toBeNull();
  engine.treat.mockRejectedValueOnce(new Error("it did not load"));
  expect(await blurred.treat("camera", raw, signal)).toBeNull();
  expect(blurred.view.camera).toEqual({ ...NO_EFFECT, fault: "failed" });
});

test("a microphone whose noise cannot be suppressed comes out as it is", async () => {
  const { effects: quiet } = effects({ noise: true });
  engine.treat.mockRejectedValueOnce(new Error("it did not load"));
  expect((await quiet.treat("microphone", raw, signal))?.track).toBe(raw);
  expect(quiet.view.microphone.fault).toBe("failed");
});

test("the room is hidden from the moment on in which a background is chosen; between two of them the camera goes on", async () => {
  const { effects: chosen, did } = effects();
  chosen.chooseBackground("blur");
  expect(did).toEqual(["camera again, hidden"]);
  engine.treat.mockResolvedValueOnce(treated);
  await chosen.treat("camera", raw, signal);
  chosen.chooseBackground("dusk");
  await vi.waitFor(() => expect(engine.showBackdrop).toHaveBeenCalledOnce());
  chosen.chooseBackground("none");
  expect(did).toEqual(["camera again, hidden", "camera again"]);
});

test("a background that ends by itself takes the camera with it, and is still chosen", async () => {
  const { effects: blurred, did } = effects({ background: "blur" });
  engine.treat.mockResolvedValueOnce(treated);
  await blurred.treat("camera", raw, signal);
  for (const fault of ["failed", "too-slow"] as const) {
    engine.options?.ended("camera", fault);
    expect(blurred.view).toMatchObject({ background: "blur", camera: { state: "off", fault } });
  }
  expect(did).toEqual(["camera off", "camera off"]);
  blurred.chooseBackground("dusk");
  expect(blurred.view.camera.fault, "the camera is still off for it").toBe("too-slow");
  engine.treat.mockResolvedValueOnce(treated);
  await blurred.treat("camera", raw, signal);
  expect(blurred.view.camera.fault).toBeNull();
  engine.options?.ended("camera", "too-slow");
  blurred.chooseBackground("none");
  expect(blurred.view.camera.fault).toBeNull();
});

test("noise suppression that ends by itself is off, says why, and the microphone goes on without", async () => {
  const { effects: quiet, did } = effects({ noise: true });
  engine.treat.mockResolvedValueOnce(treated);
  await quiet.treat("microphone", raw, signal);
  engine.options?.ended("microphone", "silent");
  expect(did).toEqual(["microphone again"]);
  expect((await quiet.treat("microphone", raw, signal))?.track).toBe(raw);
  expect(quiet.view).toMatchObject({ noise: false, microphone: { state: "off", fault: "silent" } });
  quiet.suppressNoise(true);
  expect(quiet.view.microphone.fault).toBeNull();
});

test("a picture that cannot be read changes nothing; one that can stands behind the person", async () => {
  const { effects: own, did } = effects();
  engine.readPicture.mockResolvedValueOnce(null);
  expect(await own.chooseOwnPicture(new Blob())).toBeNull();
  expect([own.view.background, did]).toEqual(["none", []]);
  engine.readPicture.mockResolvedValueOnce("data:image/jpeg;base64,AAAA");
  expect(await own.chooseOwnPicture(new Blob())).toBe("data:image/jpeg;base64,AAAA");
  expect([own.view.background, own.view.ownPicture, did]).toEqual([
    "own",
    "data:image/jpeg;base64,AAAA",
    ["camera again, hidden"],
  ]);
});
