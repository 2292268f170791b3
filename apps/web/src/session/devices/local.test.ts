import { openCamera, openMicrophone } from "@sealcast/media";
import { ManualClock } from "@sealcast/time";
import { beforeEach, expect, test, vi } from "vitest";
import { asItIs, LocalMedia, type Treat, type Treated } from "./local.ts";

vi.mock("@sealcast/media", () => ({ openCamera: vi.fn(), openMicrophone: vi.fn() }));

class FakeTrack extends EventTarget {
  enabled = true;
  readyState = "live";
  getSettings = () => ({ deviceId: "" });
  stop = () => {
    this.readyState = "ended";
  };
}

const fake = () => new FakeTrack() as unknown as MediaStreamTrack;

beforeEach(() => {
  vi.stubGlobal(
    "MediaStream",
    class {
      readonly tracks = new Set<MediaStreamTrack>();
      addTrack = (track: MediaStreamTrack) => this.tracks.add(track);
      removeTrack = (track: MediaStreamTrack) => this.tracks.delete(track);
    },
  );
  for (const open of [openCamera, openMicrophone]) vi.mocked(open).mockImplementation(opened);
});

/** Every track that a device gave. */
let raws: MediaStreamTrack[] = [];
async function opened() {
  const track = fake();
  raws.push(track);
  return { ok: true as const, track };
}

/** Devices whose camera is treated when and as the test says. `seen`: every track that others got of the camera. */
function devices() {
  raws = [];
  const asked: { resolve(treated: Treated | null): void }[] = [];
  const seen = new Set<MediaStreamTrack | null>();
  let treats = true;
  const treat: Treat = async (_, raw) => {
    if (!treats) return asItIs(raw);
    return new Promise((resolve) => asked.push({ resolve }));
  };
  const changed = () => void seen.add(local.track("camera"));
  const local = new LocalMedia(new ManualClock(), treat, changed, () => undefined);
  return { local, asked, seen, treatNothing: () => (treats = false), treatAll: () => (treats = true) };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

test("of a camera that is to be treated nothing is given before that is done, and then what was made of it alone", async () => {
  const { local, asked, seen } = devices();
  void local.set("camera", true);
  await settled();
  expect([local.view.camera.on, local.track("camera")]).toEqual([false, null]);
  const treated = { track: fake(), end: vi.fn() };
  asked[0]!.resolve(treated);
  await settled();
  expect([local.view.camera, local.track("camera")]).toEqual([{ on: true, problem: null }, treated.track]);
  expect(seen.has(raws[0]!)).toBe(false);
  await local.set("camera", false);
  expect(treated.end).toHaveBeenCalled();
  expect([raws[0]!.readyState, local.track("camera")]).toEqual(["ended", null]);
});

test("a camera that shows the room shows nothing from the moment on in which that is to be hidden", async () => {
  const { local, asked, seen, treatNothing, treatAll } = devices();
  treatNothing();
  await local.set("camera", true);
  const [clear] = raws;
  expect(local.track("camera")).toBe(clear);
  treatAll();
  void local.reopen("camera", { hidden: true });
  expect([local.track("camera"), clear!.readyState, local.view.camera.on]).toEqual([null, "ended", false]);
  await settled();
  seen.clear();
  asked[0]!.resolve({ track: fake(), end: () => undefined });
  await settled();
  expect([...seen].some((track) => raws.includes(track!))).toBe(false);
});

test("a camera that cannot be treated is off, and released", async () => {
  const { local, asked, seen } = devices();
  void local.set("camera", true);
  await settled();
  asked[0]!.resolve(null);
  await settled();
  expect([local.view.camera.on, local.track("camera"), raws[0]!.readyState]).toEqual([false, null, "ended"]);
  expect([...seen]).toEqual([null]);
});

test("who turns the camera off while it is being treated has it released at once, and what comes later is let go", async () => {
  const { local, asked } = devices();
  void local.set("camera", true);
  await settled();
  await local.set("camera", false);
  expect(raws[0]!.readyState).toBe("ended");
  const late = { track: fake(), end: vi.fn() };
  asked[0]!.resolve(late);
  await settled();
  expect([local.track("camera"), late.end.mock.calls.length]).toEqual([null, 1]);
});

test("of two ways in which a camera was to be treated the later one counts, no matter which is ready first", async () => {
  const { local, asked } = devices();
  void local.set("camera", true);
  await settled();
  void local.reopen("camera", { hidden: true });
  await settled();
  const [first, second] = [
    { track: fake(), end: vi.fn() },
    { track: fake(), end: vi.fn() },
  ];
  asked[1]!.resolve(second);
  asked[0]!.resolve(first);
  await settled();
  expect(local.track("camera")).toBe(second.track);
  expect([first.end.mock.calls.length, second.end.mock.calls.length]).toEqual([1, 0]);
});

test("a device that is off is not opened again to be treated in another way", async () => {
  const { local } = devices();
  await local.reopen("camera", { hidden: true });
  expect(raws).toEqual([]);
});

test("a microphone that is off stays off when it is treated in another way or another one is chosen; the old one goes on until then", async () => {
  const { local, asked, treatNothing, treatAll } = devices();
  treatNothing();
  await local.set("microphone", true);
  await local.set("microphone", false);
  treatAll();
  void local.reopen("microphone", { hidden: false });
  await settled();
  expect(local.track("microphone")).toBe(raws[0]);
  const treated = { track: fake(), end: () => undefined };
  asked[0]!.resolve(treated);
  await settled();
  expect(local.track("microphone")).toBe(treated.track);
  expect([local.view.microphone.on, treated.track.enabled, raws[1]!.enabled]).toEqual([false, false, false]);
  await local.set("microphone", true);
  expect([treated.track.enabled, raws[1]!.enabled]).toEqual([true, true]);
});

test("a camera whose device went away is off, and what treated it has ended", async () => {
  const { local, asked } = devices();
  void local.set("camera", true);
  await settled();
  const treated = { track: fake(), end: vi.fn() };
  asked[0]!.resolve(treated);
  await settled();
  raws[0]!.dispatchEvent(new Event("ended"));
  expect([local.view.camera, treated.end.mock.calls.length]).toEqual([{ on: false, problem: "unplugged" }, 1]);
});

test("a microphone that opens silently is silent, also where another one is chosen meanwhile", async () => {
  const { local, treatNothing } = devices();
  treatNothing();
  const opening = local.openSilent();
  await local.choose("microphone", "desk");
  await opening;
  expect([local.view.microphone.on, local.track("microphone")?.enabled]).toEqual([false, false]);
  await local.set("microphone", true);
  expect([local.view.microphone.on, local.track("microphone")?.enabled]).toEqual([true, true]);
});
