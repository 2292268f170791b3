import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium as engine } from "@playwright/test";
import { expectAccessible, STILL } from "./stage/accessible.ts";
import { chromium } from "./stage/browser.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { portrait, readingInNoise, sharpnessSeen, watchSharpness } from "./stage/portrait.ts";
import { test as base, expect } from "./stage/test.ts";

/** A model is loaded, on a machine that may be busy. */
const LOADED = { timeout: 120_000 };
/** Of the room's sharpness without a background. */
const BLURRED = 0.5;
const SHARP = 0.8;
/** Of the face's. */
const KEPT = 0.6;
/** Pieces of sound, of 10 ms, in which noise has its level; and those in which the reader has paused for a tenth, wherever they begin. */
const FLOOR_PIECES = 600;
const READING_PIECES = 1_200;

interface Scene {
  folder: string;
  /** Its camera sees someone in a room, and its microphone hears them read in noise. */
  studio: Browser;
}

const test = base.extend<Scene>({
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), "effects-"));
    await use(folder);
    rmSync(folder, { recursive: true });
  },
  studio: async ({ folder }, use) => {
    const log = `--log-net-log=${join(folder, "net.json")}`;
    const browser = await engine.launch(chromium([...portrait(), ...readingInNoise(folder), log]).launchOptions);
    await use(browser);
    await browser.close();
  },
});

test.setTimeout(600_000);

test("a blurred background: others see the person sharp and never the room, from the click on; if the worker dies the camera is off; remembered", async ({
  server,
  person,
  studio,
}) => {
  const ada = await person("Ada", { browser: studio, context: STILL });
  const ben = await person("Ben");
  await ben.open(await ada.startCall(server.url));
  await watchSharpness(ben, '[aria-label="Participant Ada"] video');
  const clear = (await seen(ben, 5)).last;

  await test.step("from the click on, the camera is off until the first blurred frame", async () => {
    await choose(ada, "Blur");
    await expect(ben.tile("Ada").locator("video:visible")).toHaveCount(0);
    await sharpnessSeen(ben);
    await expect(ben.tile("Ada").locator("video:visible")).toHaveCount(1, LOADED);
    const { sharpestRoom, last } = await seen(ben, 5);
    expect(sharpestRoom, "the room, of every frame that Ben saw").toBeLessThan(BLURRED * clear.room);
    expect(last.face, "the face").toBeGreaterThan(KEPT * clear.face);
  });

  await test.step("its cost stands beside it", async () => {
    await expect(ada.page.getByText(/On this computer: .* for each frame, .* of a processor core/).first()).toBeVisible(
      LOADED,
    );
    await expectAccessible(ada.page);
  });

  await test.step("another background takes its place without a frame of the room", async () => {
    await ada.page.getByRole("radio", { name: "Mist" }).check();
    const { sharpestRoom } = await seen(ben, 5);
    expect(sharpestRoom).toBeLessThan(BLURRED * clear.room);
    await ada.page.getByRole("radio", { name: "Blur" }).check();
  });

  await test.step("a worker that dies takes the camera with it, and both say so", async () => {
    expect(await kill(ada, "background")).toBe(1);
    await expect(ada.page.getByText("Your background stopped working, so your camera is off.")).toBeAttached(LOADED);
    await expect(ben.tile("Ada").locator("video:visible")).toHaveCount(0);
    expect((await sharpnessSeen(ben)).sharpestRoom).toBeLessThan(BLURRED * clear.room);
    await ada.page.keyboard.press("Escape");
    await ada.page.getByRole("button", { name: "Try again" }).click();
    const { sharpestRoom } = await seen(ben, 5);
    expect(sharpestRoom).toBeLessThan(BLURRED * clear.room);
  });

  await test.step("after a reload, their picture is blurred from its first frame, for themselves too", async () => {
    await ada.page.reload();
    await watchSharpness(ada, '[aria-label="Participant Ada (you)"] video');
    for (const one of [ada, ben]) expect((await seen(one, 5)).sharpestRoom).toBeLessThan(BLURRED * clear.room);
  });

  await test.step("the room shows again once that is chosen", async () => {
    await choose(ada, "None");
    await expect.poll(async () => (await seen(ben, 3)).last.room, LOADED).toBeGreaterThan(SHARP * clear.room);
    for (const one of [ada, ben]) await expect(one.badge).toHaveText("encrypted", LOADED);
  });
});

test("noise is suppressed in what is sent, the voice stays; without its worker the microphone goes on", async ({
  server,
  person,
  studio,
}) => {
  const [ada, ben] = [await person("Ada", { browser: studio }), await person("Ben")];
  await ben.open(await ada.startCall(server.url));
  await ben.hears();
  const before = await levels(ada, FLOOR_PIECES);
  await devices(ada);
  await ada.page.getByRole("checkbox", { name: "Suppress noise" }).check();
  await expect(ada.page.getByText(/On this computer/)).toBeVisible(LOADED);
  const after = await levels(ada, READING_PIECES);
  expect(after.floor, `noise of ${before.floor} dB`).toBeLessThan(before.floor - 12);
  expect(Math.abs(after.voice - before.voice), "the voice, in dB").toBeLessThan(9);
  await kill(ada, "noise");
  // Or it was off before, since this computer has too much to do.
  await expect(ada.page.getByText(/^Noise suppression .*off/).first()).toBeAttached(LOADED);
  await expect(ada.page.getByRole("checkbox", { name: "Suppress noise" })).not.toBeChecked();
  await ben.hears();
  expect((await levels(ada, FLOOR_PIECES)).floor).toBeGreaterThan(after.floor + 6);
});

test("effects ask nothing of any other origin: neither the page, nor its workers, nor the browser's network", async ({
  server,
  person,
  studio,
  folder,
}) => {
  const ada = await person("Ada", { browser: studio });
  await ada.startCall(server.url);
  await choose(ada, "Blur");
  await expect(ada.page.getByText(/On this computer/)).toBeVisible(LOADED);
  await ada.page.getByRole("radio", { name: "None" }).check();
  await expect(ada.page.getByText(/On this computer/)).toHaveCount(0);
  await ada.page.getByRole("checkbox", { name: "Suppress noise" }).check();
  await expect(ada.page.getByText(/On this computer/)).toBeVisible(LOADED);
  expect(ada.requests.filter((url) => new URL(url).origin !== server.url)).toEqual([]);
  await studio.close();
  const asked = askedByPages(readFileSync(join(folder, "net.json"), "utf8"), server.url);
  expect(asked.filter((url) => /\.(wasm|tflite)$/.test(url)).length, "what effects load").toBeGreaterThanOrEqual(3);
  expect(asked.filter((url) => new URL(url).host !== new URL(server.url).host)).toEqual([]);
});

test("a browser without tracks that are read frame by frame is told that it has no effects", async ({
  server,
  person,
}) => {
  const ada = await person("Ada", { before: withoutProcessors });
  await ada.startCall(server.url);
  await devices(ada);
  await expect(ada.page.getByText("This browser cannot change your background or suppress noise.")).toBeVisible();
  await expect(ada.page.getByRole("radio", { name: "Blur" })).toHaveCount(0);
});

test("push to talk: the microphone is on while the space bar or the button is held, and off however that ends", async ({
  server,
  person,
}) => {
  const ada = await person("Ada");
  await ada.startCall(server.url);
  await devices(ada);
  await ada.page.getByRole("checkbox", { name: "Push to talk" }).check();
  await ada.page.keyboard.press("Escape");
  const talk = ada.page.getByRole("button", { name: "Hold to talk" });
  const isOn = (on: boolean) => expect(talk).toHaveAttribute("aria-pressed", String(on));
  await isOn(false);

  await test.step("the space bar, after a button was clicked, too", async () => {
    await ada.page.getByRole("button", { name: "Camera" }).click();
    await expect(ada.page.getByRole("button", { name: "Camera" })).toHaveAttribute("aria-pressed", "false");
    await ada.page.keyboard.down(" ");
    await isOn(true);
    await ada.page.keyboard.up(" ");
    await isOn(false);
    await expect(ada.page.getByRole("button", { name: "Camera" })).toHaveAttribute("aria-pressed", "false");
  });

  await test.step("a control that the keyboard has reached keeps its space bar", async () => {
    await ada.page.keyboard.press("Tab");
    await ada.page.keyboard.press("Shift+Tab");
    await expect(ada.page.getByRole("button", { name: "Camera" })).toBeFocused();
    await ada.page.keyboard.press(" ");
    await expect(ada.page.getByRole("button", { name: "Camera" })).toHaveAttribute("aria-pressed", "true");
    await isOn(false);
  });

  await test.step("the button, held, and by a click without a pointer", async () => {
    await talk.hover();
    await ada.page.mouse.down();
    await isOn(true);
    await ada.page.mouse.up();
    await isOn(false);
    await talk.focus();
    await ada.page.keyboard.press("Enter");
    await isOn(true);
    await ada.page.keyboard.press("Enter");
    await isOn(false);
  });

  await test.step("the window left while it is held", async () => {
    await ada.page.keyboard.down(" ");
    await isOn(true);
    await ada.page.evaluate(() => void dispatchEvent(new Event("blur")));
    await isOn(false);
    await ada.page.keyboard.up(" ");
  });

  await test.step("keys that are turned off do nothing, and the choice is remembered", async () => {
    await ada.press("Keyboard shortcuts");
    await ada.page.getByRole("switch", { name: "Use these keys" }).uncheck();
    await ada.page.keyboard.press("Escape");
    await ada.page.getByRole("heading", { name: "Call" }).focus();
    await ada.page.keyboard.down(" ");
    await ada.page.keyboard.up(" ");
    await isOn(false);
    await ada.page.reload();
    await isOn(false);
    await expect(ada.page.getByRole("button", { name: "Leave call" })).toBeVisible();
  });
});

/** What Chromium's own log of the network says that our pages and their workers asked for: each event is a line. */
function askedByPages(log: string, origin: string): string[] {
  const own = log.split("\n").filter((line) => line.includes(`"initiator":"${origin}"`));
  return [...new Set(own.flatMap((line) => /"url":"([^"]+)"/.exec(line)?.[1] ?? []))];
}

function devices(person: ChromiumPerson): Promise<void> {
  return person.press("Devices");
}

async function choose(person: ChromiumPerson, background: string): Promise<void> {
  await devices(person);
  await person.page.getByRole("radio", { name: background }).check();
}

/** What that person's page shows, once it has shown this number of frames. */
async function seen(person: ChromiumPerson, frames: number) {
  await sharpnessSeen(person);
  const all = { frames: 0, sharpestRoom: 0, last: { room: 0, face: 0 } };
  const more = async () => {
    const { frames, sharpestRoom, last } = await sharpnessSeen(person);
    all.frames += frames;
    all.sharpestRoom = Math.max(all.sharpestRoom, sharpestRoom);
    all.last = last;
    return all.frames;
  };
  await expect.poll(more, LOADED).toBeGreaterThan(frames);
  return all;
}

/** Ends workers of someone's page as a crash would, without a message to the page. Gives how many there were. */
function kill({ page }: ChromiumPerson, name: string): Promise<number> {
  return page.evaluate((name) => {
    const { workers } = globalThis as unknown as { workers: { url: string; worker: Worker }[] };
    const killed = workers.filter(({ url }) => url.includes(`/${name}.worker`));
    for (const { worker } of killed) worker.terminate();
    return killed.length;
  }, name);
}

/** How loud what a person sends is: in the quietest tenth of moments, and in the loudest twentieth, in dB below full scale. */
function levels({ page }: ChromiumPerson, most: number): Promise<{ floor: number; voice: number }> {
  return page.evaluate(async (most) => {
    const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
    const senders = connections.flatMap((connection) => connection.getSenders());
    const track = senders.map(({ track }) => track).find((track) => track?.kind === "audio");
    interface Reader {
      readonly readable: ReadableStream<AudioData>;
    }
    const { MediaStreamTrackProcessor } = globalThis as unknown as {
      MediaStreamTrackProcessor: new (init: { track: MediaStreamTrack | null | undefined }) => Reader;
    };
    const reader = new MediaStreamTrackProcessor({ track }).readable.getReader();
    const powers: number[] = [];
    for (let pieces = 0; pieces < most; pieces++) {
      const { value } = await reader.read();
      if (value === undefined) break;
      const samples = new Float32Array(value.numberOfFrames);
      value.copyTo(samples, { planeIndex: 0, format: "f32-planar" });
      value.close();
      powers.push(10 * Math.log10(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length + 1e-12));
    }
    await reader.cancel();
    powers.sort((a, b) => a - b);
    const at = (share: number) => powers[Math.floor(share * powers.length)] ?? 0;
    return { floor: at(0.1), voice: at(0.95) };
  }, most);
}

/** Runs in the page, before its own scripts. */
function withoutProcessors(): void {
  Reflect.deleteProperty(globalThis, "MediaStreamTrackProcessor");
}
