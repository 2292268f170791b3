import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { recallDevices } from "../effects/recalled.ts";
import { keepInCall, reloadedIn } from "./comeback.ts";

vi.mock("../speech.tsx", () => ({ recallHidesSpeech: () => false }));

class FakeStorage {
  readonly #kept = new Map<string, string>();
  getItem = (key: string) => this.#kept.get(key) ?? null;
  setItem = (key: string, value: string) => void this.#kept.set(key, value);
}

class FakeNavigation {
  readonly type: string;

  constructor(type: string) {
    this.type = type;
  }
}

/** The page was opened in that way, at an address with that fragment. */
function opened(type: string, hash = ""): void {
  vi.stubGlobal("PerformanceNavigationTiming", FakeNavigation);
  vi.stubGlobal("performance", { getEntriesByType: () => [new FakeNavigation(type)] });
  vi.stubGlobal("location", { hash });
}

beforeEach(() => {
  vi.stubGlobal("sessionStorage", new FakeStorage());
  vi.stubGlobal("localStorage", new FakeStorage());
});
afterEach(() => vi.unstubAllGlobals());

const ON = { devicesOn: { camera: true, microphone: false }, hidesRoom: false };

test("only a reload of the same room's page, without a link in its address, leads past the lobby", () => {
  keepInCall("room", ON);
  opened("reload");
  expect(reloadedIn("room")).toEqual(ON);
  expect(reloadedIn("other")).toBe(null);
  opened("reload", "#secret");
  expect(reloadedIn("room")).toBe(null);
  opened("navigate");
  expect(reloadedIn("room")).toBe(null);
});

test("who hid their room comes back with it hidden, though another tab has chosen to show it or nothing could be kept", () => {
  keepInCall("room", { ...ON, hidesRoom: true });
  localStorage.setItem("sealcast.background", "none");
  opened("reload");
  const comeback = reloadedIn("room");
  expect(recallDevices(comeback).background).toBe("blur");
  expect(recallDevices(null).background).toBe("none");
  localStorage.setItem("sealcast.background", "dusk");
  expect(recallDevices(comeback).background).toBe("dusk");
});
