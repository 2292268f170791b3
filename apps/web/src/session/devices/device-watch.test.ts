import { ManualClock, milli } from "@sealcast/time";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Lifetime } from "../lifetime.ts";
import { Devices, type DevicesView } from "./devices.ts";

/** A browser with devices that a test plugs in and out, takes and blocks. */
class Computer extends EventTarget {
  devices: { kind: MediaDeviceKind; deviceId: string; label: string; groupId: string }[] = [];
  blocked = new Set<string>();
  /** Devices take their time to open: until this is kept. */
  opens: Promise<void> = Promise.resolve();
  /** The system gives nothing of what opens. */
  silences = false;
  readonly tracks: FakeTrack[] = [];
  readonly permissions = { camera: new FakePermission(), microphone: new FakePermission() };

  plug(kind: MediaDeviceKind, deviceId: string, groupId = deviceId): void {
    this.devices.push({ kind, deviceId, groupId, label: `The ${deviceId}` });
    this.dispatchEvent(new Event("devicechange"));
  }

  unplug(deviceId: string): void {
    this.devices = this.devices.filter((device) => device.deviceId !== deviceId);
    for (const track of this.tracks) if (track.deviceId === deviceId) track.end();
    this.dispatchEvent(new Event("devicechange"));
  }

  /** The person takes a permission back, or gives it, beside the page's address. */
  permit(what: "camera" | "microphone", isAllowed: boolean): void {
    if (isAllowed) this.blocked.delete(what);
    else this.blocked.add(what);
    this.permissions[what].state = isAllowed ? "granted" : "denied";
    const kind = what === "camera" ? "videoinput" : "audioinput";
    if (!isAllowed) for (const track of this.tracks) if (track.kind === kind) track.end();
    this.permissions[what].dispatchEvent(new Event("change"));
  }

  readonly enumerateDevices = async () => this.devices;

  readonly getUserMedia = async ({ video, audio }: MediaStreamConstraints) => {
    const kind = video ? "videoinput" : "audioinput";
    await this.opens;
    if (this.blocked.has(video ? "camera" : "microphone")) throw new DOMException("", "NotAllowedError");
    const { deviceId } = (video || audio) as { deviceId?: { exact: string } };
    const device = this.devices.find((one) => one.kind === kind && (!deviceId || one.deviceId === deviceId.exact));
    if (device === undefined) throw new DOMException("", "NotFoundError");
    const track = new FakeTrack(kind, device.deviceId, device.label);
    track.muted = this.silences;
    this.tracks.push(track);
    return { getTracks: () => [track] };
  };
}

class FakePermission extends EventTarget {
  state = "granted";
}

class FakeTrack extends EventTarget {
  readonly kind: string;
  readonly deviceId: string;
  readonly label: string;
  enabled = true;
  muted = false;
  isLive = true;

  constructor(kind: string, deviceId: string, label: string) {
    super();
    this.kind = kind;
    this.deviceId = deviceId;
    this.label = label;
  }

  getSettings() {
    return { deviceId: this.deviceId };
  }

  stop(): void {
    this.isLive = false;
  }

  /** As the browser ends it: the page hears of that. */
  end(): void {
    if (!this.isLive) return;
    this.isLive = false;
    this.dispatchEvent(new Event("ended"));
  }

  mute(is: boolean): void {
    this.muted = is;
    this.dispatchEvent(new Event(is ? "mute" : "unmute"));
  }
}

let computer: Computer;
function stubComputer(): void {
  computer = new Computer();
  const permissions = { query: async ({ name }: { name: "camera" | "microphone" }) => computer.permissions[name] };
  vi.stubGlobal("navigator", { mediaDevices: computer, permissions });
}

beforeEach(() => {
  stubComputer();
  vi.stubGlobal(
    "MediaStream",
    class {
      addTrack(): void {}
      removeTrack(): void {}
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

/** Someone whose camera and microphone are on, with these devices. */
function callWith(...plugged: [MediaDeviceKind, string, string?][]) {
  return callOf({ pushToTalk: false }, ...plugged);
}

async function callOf({ pushToTalk }: { pushToTalk: boolean }, ...plugged: [MediaDeviceKind, string, string?][]) {
  for (const device of plugged) computer.plug(...device);
  const clock = new ManualClock();
  let view: Partial<DevicesView> = {};
  const show = (change: Partial<DevicesView>) => {
    view = { ...view, ...change };
  };
  const devices = new Devices(new Lifetime(clock), {
    choice: { background: "none", ownPicture: "", noise: false, hidesSpeech: false, pushToTalk },
    show,
    changed: () => undefined,
    renegotiate: () => undefined,
  });
  await devices.open();
  await settled();
  /** What is heard and seen now. */
  const used = (kind: string) => computer.tracks.filter((track) => track.isLive && track.kind === kind);
  return { clock, devices, used, view: () => view };
}

/** Everything that waits for a promise has gone on. */
async function settled(): Promise<void> {
  await new Promise<void>((done) => void setImmediate(done));
}

test("a microphone that is unplugged: another goes on at once, off where it was off, and the chosen one comes back", async () => {
  const { devices, used, view } = await callWith(["audioinput", "headset"], ["audioinput", "built-in"]);
  devices.actions.choose("microphone", "headset");
  await settled();
  devices.actions.setMicrophone(false);
  computer.unplug("headset");
  await settled();
  expect(used("audioinput").map(({ deviceId, enabled }) => [deviceId, enabled])).toEqual([["built-in", false]]);
  expect(view().deviceNews).toEqual({ kind: "microphone", is: "replaced", label: "The built-in" });
  devices.actions.setMicrophone(true);
  computer.plug("audioinput", "headset");
  await settled();
  expect(used("audioinput").map(({ deviceId, enabled }) => [deviceId, enabled])).toEqual([["headset", true]]);
  expect(view().deviceNews).toMatchObject({ is: "returned", label: "The headset" });
  expect(view().me?.microphone).toEqual({ on: true, problem: null });
});

const MICROPHONES: [MediaDeviceKind, string][] = [
  ["audioinput", "headset"],
  ["audioinput", "built-in"],
  ["audioinput", "desk"],
];

test("a microphone that the person chooses goes before the system's, at whatever moment the former one is pulled out", async () => {
  for (let steps = 0; steps < 12; steps++) {
    stubComputer();
    const { devices, used, view } = await callWith(...MICROPHONES);
    devices.actions.choose("microphone", "headset");
    await settled();
    const acts = [() => devices.actions.choose("microphone", "desk"), () => computer.unplug("headset")];
    let open = () => {};
    computer.opens = new Promise((done) => {
      open = done;
    });
    for (const act of steps % 2 === 0 ? acts : acts.reverse()) {
      act();
      for (let step = 0; step < steps / 2; step++) await Promise.resolve();
    }
    await settled();
    open();
    await settled();
    const outcome = [used("audioinput").map(({ deviceId }) => deviceId), view().chosen?.microphone];
    expect(outcome, `${steps}`).toEqual([["desk"], "desk"]);
    if (steps % 2 === 0) expect(computer.tracks.map(({ deviceId }) => deviceId)).not.toContain("built-in");
    computer.plug("audioinput", "headset");
    await settled();
    expect(view().chosen?.microphone, "nor does the former one come back").toBe("desk");
  }
});

test("a microphone that is off stays off, at whatever moment it is pulled out while another one opens", async () => {
  const ways = {
    chosen: (devices: Devices) => devices.actions.choose("microphone", "desk"),
    treated: (devices: Devices) => void devices.local.reopen("microphone", { hidden: false }),
  };
  for (const [way, begin] of Object.entries(ways))
    for (let steps = 0; steps < 12; steps++) {
      stubComputer();
      const { devices, used } = await callWith(...MICROPHONES);
      devices.actions.choose("microphone", "headset");
      await settled();
      devices.actions.setMicrophone(false);
      let open = () => {};
      computer.opens = new Promise((done) => {
        open = done;
      });
      begin(devices);
      for (let step = 0; step < steps; step++) await Promise.resolve();
      computer.unplug("headset");
      await settled();
      open();
      await settled();
      const heard = computer.tracks.filter(({ isLive, enabled }) => isLive && enabled);
      expect([used("audioinput").length, heard], `${way} ${steps}`).toEqual([1, []]);
      devices.actions.setMicrophone(true);
      await settled();
      expect(used("audioinput").map(({ enabled }) => enabled)).toEqual([true]);
    }
});

test("a chosen microphone that is not there gives way to another while it is missing, and is back when it is there", async () => {
  const { devices, used, view } = await callWith(...MICROPHONES);
  devices.actions.choose("microphone", "headset");
  await settled();
  computer.devices = computer.devices.filter(({ deviceId }) => deviceId !== "desk");
  devices.actions.choose("microphone", "desk");
  computer.unplug("headset");
  await settled();
  expect(used("audioinput").map(({ deviceId }) => deviceId)).toEqual(["built-in"]);
  computer.plug("audioinput", "headset");
  await settled();
  expect(used("audioinput").map(({ deviceId }) => deviceId)).toEqual(["built-in"]);
  computer.plug("audioinput", "desk");
  await settled();
  expect([used("audioinput").map(({ deviceId }) => deviceId), view().chosen?.microphone]).toEqual([["desk"], "desk"]);
});

test("a camera that comes back does not take the place of the one that the person chose meanwhile", async () => {
  const { devices, used, view } = await callWith(["videoinput", "front"], ["videoinput", "desk"]);
  devices.actions.choose("camera", "front");
  await settled();
  computer.unplug("front");
  computer.unplug("desk");
  await settled();
  devices.actions.choose("camera", "desk");
  await settled();
  computer.plug("videoinput", "front");
  await settled();
  expect([used("videoinput"), view().chosen?.camera]).toEqual([[], "desk"]);
  computer.plug("videoinput", "desk");
  await settled();
  expect(used("videoinput").map(({ deviceId }) => deviceId)).toEqual(["desk"]);
});

test("another microphone that is chosen while it is off, or is turned off while that opens, is off", async () => {
  const { devices, used } = await callWith(
    ["audioinput", "built-in"],
    ["audioinput", "desk"],
    ["audioinput", "headset"],
  );
  devices.actions.choose("microphone", "desk");
  devices.actions.setMicrophone(false);
  await settled();
  expect(used("audioinput").map(({ deviceId, enabled }) => [deviceId, enabled])).toEqual([["desk", false]]);
  devices.actions.choose("microphone", "headset");
  await settled();
  expect(used("audioinput").map(({ deviceId, enabled }) => [deviceId, enabled])).toEqual([["headset", false]]);
  computer.unplug("headset");
  computer.unplug("desk");
  computer.unplug("built-in");
  await settled();
  devices.actions.choose("microphone", "built-in");
  computer.plug("audioinput", "built-in");
  await settled();
  expect(used("audioinput").map(({ deviceId, enabled }) => [deviceId, enabled])).toEqual([["built-in", false]]);
});

test("a microphone that was let go while it was away is not on when it comes back", async () => {
  const { devices, used, view } = await callOf({ pushToTalk: true }, ["audioinput", "headset"]);
  devices.actions.choose("microphone", "headset");
  await settled();
  computer.unplug("headset");
  await settled();
  for (const isHeld of [true, false]) {
    devices.actions.setMicrophone(isHeld);
    await settled();
  }
  computer.plug("audioinput", "headset");
  await settled();
  expect(used("audioinput")).toEqual([]);
  expect(view().me?.microphone.on).toBe(false);
  devices.actions.setMicrophone(true);
  await settled();
  expect(used("audioinput").map(({ deviceId, enabled }) => [deviceId, enabled])).toEqual([["headset", true]]);
});

test("with push to talk, too, it is said why the microphone is not open", async () => {
  computer.blocked.add("microphone");
  const { view } = await callOf({ pushToTalk: true }, ["audioinput", "headset"]);
  expect(view().me?.microphone).toEqual({ on: false, problem: "denied" });
  computer.permit("microphone", true);
  await settled();
  expect(view().me?.microphone).toEqual({ on: false, problem: null });
});

test("who has left opens nothing any more, whatever is plugged in", async () => {
  const { devices } = await callWith(["videoinput", "front"]);
  computer.unplug("front");
  await settled();
  devices.local.close();
  const opened = computer.tracks.length;
  computer.plug("videoinput", "front");
  await settled();
  expect(computer.tracks.length).toBe(opened);
});

test("who chose another microphone meanwhile keeps it", async () => {
  const { devices, used } = await callWith(
    ["audioinput", "headset"],
    ["audioinput", "built-in"],
    ["audioinput", "desk"],
  );
  devices.actions.choose("microphone", "headset");
  await settled();
  computer.unplug("headset");
  await settled();
  devices.actions.choose("microphone", "desk");
  await settled();
  computer.plug("audioinput", "headset");
  await settled();
  expect(used("audioinput").map(({ deviceId }) => deviceId)).toEqual(["desk"]);
});

test("the only microphone: it says what to do, and comes back by itself, off where it was off", async () => {
  const { devices, used, view } = await callWith(["audioinput", "headset"]);
  devices.actions.setMicrophone(false);
  computer.unplug("headset");
  await settled();
  expect(view().me?.microphone).toEqual({ on: false, problem: "unplugged" });
  computer.plug("audioinput", "headset");
  await settled();
  expect(used("audioinput").map(({ enabled }) => enabled)).toEqual([false]);
  expect(view().me?.microphone).toEqual({ on: false, problem: null });
});

test("a camera that is unplugged: no other one shows what it sees; the same one comes back", async () => {
  const { used, view } = await callWith(["videoinput", "front"], ["videoinput", "rear"]);
  computer.unplug("front");
  await settled();
  expect([used("videoinput"), view().me?.camera]).toEqual([[], { on: false, problem: "unplugged" }]);
  computer.plug("videoinput", "front");
  await settled();
  expect(used("videoinput").map(({ deviceId }) => deviceId)).toEqual(["front"]);
});

test("a camera that the person turned off meanwhile stays off", async () => {
  const { devices, used } = await callWith(["videoinput", "front"]);
  computer.unplug("front");
  await settled();
  devices.actions.setCamera(false);
  computer.plug("videoinput", "front");
  await settled();
  expect(used("videoinput")).toEqual([]);
});

test("a permission that is taken back is said as that, and given again the device comes back", async () => {
  const { used, view } = await callWith(["videoinput", "front"], ["audioinput", "built-in"]);
  for (const source of ["camera", "microphone"] as const) {
    const kind = source === "camera" ? "videoinput" : "audioinput";
    computer.permit(source, false);
    await settled();
    expect(view().me?.[source]).toEqual({ on: false, problem: "denied" });
    computer.plug(kind, `more ${kind}`);
    await settled();
    expect(used(kind), "blocked is blocked").toEqual([]);
    computer.permit(source, true);
    await settled();
    expect(view().me?.[source]).toEqual({ on: true, problem: null });
    expect(used(kind).length).toBe(1);
  }
});

test("a microphone that a phone call takes is said to be, and goes on by itself; a moment is not worth a word", async () => {
  const { clock, used, view } = await callWith(["audioinput", "built-in"]);
  const [track] = used("audioinput");
  track?.mute(true);
  clock.advance(milli(1_000));
  track?.mute(false);
  clock.advance(milli(5_000));
  expect(view().me?.microphone.problem).toBe(null);
  track?.mute(true);
  clock.advance(milli(2_000));
  expect(view().me?.microphone).toEqual({ on: true, problem: "interrupted" });
  track?.mute(false);
  expect(view().me?.microphone).toEqual({ on: true, problem: null });
});

test("nor does a microphone that the system silences before it opens pass for one that is heard", async () => {
  computer.silences = true;
  const { clock, view } = await callWith(["audioinput", "built-in"]);
  clock.advance(milli(2_000));
  expect(view().me?.microphone).toEqual({ on: true, problem: "interrupted" });
});

test("headphones that go: sound comes from another device, and from them again once they are back", async () => {
  const { devices, view } = await callWith(["audiooutput", "phones"], ["audiooutput", "built-in"]);
  devices.actions.choose("speaker", "phones");
  computer.unplug("phones");
  await settled();
  expect([view().chosen?.speaker, view().deviceNews?.is]).toEqual(["", "replaced"]);
  computer.plug("audiooutput", "phones");
  await settled();
  expect([view().chosen?.speaker, view().deviceNews?.is]).toEqual(["phones", "returned"]);
});

test("the system's choice of a microphone is followed where the person left it to the system", async () => {
  const { devices, used, view } = await callWith(["audioinput", "default", "built-in"], ["audioinput", "headset"]);
  const become = async (groupId: string) => {
    computer.devices = computer.devices.filter(({ deviceId }) => deviceId !== "default");
    computer.plug("audioinput", "default", groupId);
    await settled();
  };
  const [before] = used("audioinput");
  await become("headset");
  expect([before?.isLive, used("audioinput").length, view().deviceNews?.is]).toEqual([false, 1, "followed"]);
  devices.actions.choose("microphone", "headset");
  await settled();
  const [chosen] = used("audioinput");
  await become("built-in");
  expect(chosen?.isLive, "a choice stands").toBe(true);
});
