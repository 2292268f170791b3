import type { ChromiumPerson } from "./stage/person.ts";
import { type ReaderScene, reading } from "./stage/reader.ts";
import { test as base, expect } from "./stage/test.ts";

/** The last frames of sound that are looked at: two seconds of the shortest packets. */
const FRAMES = 100;
/** Of a constant bitrate one, and one more where the network had it changed. */
const CONSTANT = 2;
const FOLLOWS_SPEECH = 15;
/** Packets a second, of fifty: Opus sends one now and then, so that the other end knows what the silence sounds like. */
const IN_SILENCE = 10;

const test = base.extend<ReaderScene>(reading);

test("hidden speech patterns: sound has one size, in silence too, switched during a call without a gap, and is remembered", async ({
  server,
  person,
  reader,
}) => {
  const ada = await person("Ada", { browser: reader });
  const ben = await person("Ben");
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await Promise.all([ada.seesMoving("Ben"), ben.hears()]);
  await expect.poll(() => differentLengths(ada), { timeout: 20_000 }).toBeGreaterThan(FOLLOWS_SPEECH);

  const before = await lost(ben);
  await ada.hideSpeech(true);
  await expect.poll(() => differentLengths(ada), { timeout: 20_000 }).toBeLessThanOrEqual(CONSTANT);
  await ben.hears();
  expect((await lost(ben)) - before, "packets of sound that never came").toBe(0);
  await expect(ada.badge).toHaveText("encrypted");

  await ada.hideSpeech(false);
  await expect.poll(() => differentLengths(ada), { timeout: 20_000 }).toBeGreaterThan(FOLLOWS_SPEECH);

  const heard = await lost(ben);
  await ada.page.getByRole("button", { name: "Microphone" }).click();
  await expect.poll(soundRate(ada), { timeout: 20_000, message: "packets in silence" }).toBeLessThan(IN_SILENCE);
  await ada.hideSpeech(true);
  await expect.poll(soundRate(ada), { timeout: 20_000 }).toBeGreaterThan(4 * IN_SILENCE);
  await ada.hideSpeech(false);
  await ada.page.getByRole("button", { name: "Microphone" }).click();
  await ben.hears();
  expect((await lost(ben)) - heard, "packets of sound that never came").toBe(0);
  for (const one of [ada, ben]) await expect(one.badge).toHaveText("encrypted");

  await ada.hideSpeech(true);
  await ada.page.reload();
  await ben.seesMoving("Ada");
  await expect.poll(() => sent(ada), { timeout: 20_000 }).toBeGreaterThan(FRAMES);
  expect(await differentLengths(ada), "from the first packets after a reload").toBeLessThanOrEqual(CONSTANT);
});

test("hidden speech patterns: a live stream's sound has one size for every viewer", async ({
  server,
  person,
  reader,
}) => {
  const host = await person("Host", { browser: reader });
  await host.page.goto(server.url);
  await host.page.getByRole("button", { name: "Go live" }).click();
  await host.page.getByRole("checkbox", { name: "Hide speech patterns" }).check();
  await host.start();
  const viewer = await person("Viewer");
  await viewer.page.goto(await host.viewersLink());
  await viewer.seesMoving("the stream");
  await viewer.page.getByRole("button", { name: "Turn sound on" }).click();
  await expect.poll(() => sent(host), { timeout: 20_000 }).toBeGreaterThan(FRAMES);
  expect(await differentLengths(host)).toBeLessThanOrEqual(CONSTANT);
});

async function differentLengths(person: ChromiumPerson): Promise<number> {
  return new Set((await person.soundLengths()).slice(-FRAMES)).size;
}

/** Frames of sound a second, each time since the last. */
function soundRate(person: ChromiumPerson): () => Promise<number> {
  let last = { frames: Number.NaN, at: 0 };
  return async () => {
    const [before, now] = [last, { frames: await sent(person), at: performance.now() }];
    last = now;
    return (1_000 * (now.frames - before.frames)) / (now.at - before.at);
  };
}

async function sent(person: ChromiumPerson): Promise<number> {
  return (await person.soundLengths()).length;
}

/** Packets of sound that the browser missed. */
function lost({ page }: ChromiumPerson): Promise<number> {
  return page.evaluate(async () => {
    const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
    let missed = 0;
    for (const connection of connections)
      for (const entry of (await connection.getStats()).values())
        if (entry.type === "inbound-rtp" && entry.kind === "audio") missed += entry.packetsLost ?? 0;
    return missed;
  });
}
