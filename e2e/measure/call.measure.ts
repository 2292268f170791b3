import { readdirSync, readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { gzipSync } from "node:zlib";
import { type Browser, chromium as engine } from "@playwright/test";
import { camera, chromium } from "../stage/browser.ts";
import type { ChromiumPerson } from "../stage/person.ts";
import { type ReaderScene, reading } from "../stage/reader.ts";
import { test as base, expect } from "../stage/test.ts";
import { pass } from "./pass.ts";

const test = base.extend<ReaderScene>(reading);

const RUNS = 5;
const CALL_MS = 30_000;
const CPU_MS = 10_000;
const MINUTE_MS = 60_000;
/** As long as the recording that is read aloud. */
const SPEECH_MS = 26_000;
const DIST = new URL("../../apps/web/dist/", import.meta.url);

test("join: from the click on Join now to the first remote picture", async ({ server, person }) => {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const ada = await person(`Ada${run}`, { lines: 720 });
    const ben = await person(`Ben${run}`, { lines: 720, before: timeFirstPicture });
    const link = await ada.startCall(server.url);
    times.push(await timeToJoin(ben, link));
    await Promise.all([ada, ben].map((one) => one.page.close()));
  }
  tell("join", { runs: times, medianMs: median(times) });
});

test("join: the same while a third member never acknowledges", async ({ server, person }) => {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const browser = await engine.launch(chromium(camera(720)).launchOptions);
    const ada = await person(`Ada${run}`, { lines: 720 });
    const cleo = await person(`Cleo${run}`, { lines: 720, browser });
    const ben = await person(`Ben${run}`, { lines: 720, before: timeFirstPicture });
    const link = await ada.startCall(server.url);
    await cleo.open(link);
    await ada.seesMoving(cleo.name);
    await freeze(browser);
    times.push(await timeToJoin(ben, link));
    await Promise.all([ada, ben].map((one) => one.page.close()));
    await thaw(browser);
    await browser.close();
  }
  tell("joinWithSilentMember", { runs: times, medianMs: median(times) });
});

test("call: long tasks of two pages in a minute, with a message in it", async ({ server, person }) => {
  const people = [await person("Ada", { lines: 720 }), await person("Ben", { lines: 720 })] as const;
  const [ada, ben] = people;
  await ben.open(await ada.startCall(server.url));
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  await Promise.all(people.map(keepLongTasks));
  await pass(MINUTE_MS / 2);
  await ben.page.getByRole("button", { name: /^Chat/ }).click();
  await ben.page.getByRole("textbox", { name: "Message" }).fill("How loud is it there?");
  await ben.page.keyboard.press("Enter");
  await pass(MINUTE_MS / 2);
  tell("longTasks", { milliseconds: await Promise.all(people.map(longTasks)) });
});

test("call: two people, 30 seconds", async ({ server, person }) => {
  const ada = await person("Ada", { lines: 720 });
  const ben = await person("Ben", { lines: 720 });
  await ben.open(await ada.startCall(server.url));
  await ada.seesMoving("Ben");
  await ada.page.getByRole("button", { name: "Encryption details" }).click();
  const refusedBefore = await refused(ada);
  await pass(CALL_MS);
  const counted = await ada.counted();
  const sealed = (await ada.tapped()).filter(({ side }) => side === "seal");
  const written = (kind: string) => sealed.filter((t) => t.kind === kind).reduce((sum, t) => sum + t.written, 0);
  tell("call", {
    framesSent: counted.framesSent,
    videoFramesSealed: written("video"),
    packetsSent: counted.packetsSent,
    audioFramesSealed: written("audio"),
    refusedAfterTheStart: (await refused(ada)) - refusedBefore,
    proof: await ada.proof(),
  });
});

test("healing: the longest gap in the other's picture when all of one person's media workers are killed", async ({
  server,
  person,
}) => {
  const gaps: { atTheirs: number; atTheOthers: number }[] = [];
  for (let run = 0; run < RUNS; run++) {
    const ada = await person(`Ada${run}`, { lines: 720, before: recordPictures });
    const ben = await person(`Ben${run}`, { lines: 720, before: recordPictures });
    await ben.open(await ada.startCall(server.url));
    await Promise.all([ada.seesMoving(ben.name), ben.seesMoving(ada.name)]);
    await Promise.all([ada, ben].map((one) => one.page.evaluate(forgetPictures)));
    await ada.killMediaWorkers();
    const enough = async (one: ChromiumPerson) => (await one.page.evaluate(pictureTimes)).length > 60;
    await expect.poll(() => Promise.all([enough(ada), enough(ben)]), { timeout: 20_000 }).toEqual([true, true]);
    gaps.push({
      atTheirs: longestGap(await ada.page.evaluate(pictureTimes)),
      atTheOthers: longestGap(await ben.page.evaluate(pictureTimes)),
    });
    await Promise.all([ada, ben].map((one) => one.page.close()));
  }
  tell("workersKilled", {
    gapsMs: gaps,
    medianMs: {
      atTheirs: median(gaps.map((gap) => gap.atTheirs)),
      atTheOthers: median(gaps.map((gap) => gap.atTheOthers)),
    },
  });
});

test("switch: the longest gap in a picture when a third person comes, and when they leave", async ({
  server,
  person,
}) => {
  const gaps: { thirdComes: number; thirdLeaves: number }[] = [];
  for (let run = 0; run < RUNS; run++) {
    const [ada, ben, cleo] = [await person(`Ada${run}`), await person(`Ben${run}`), await person(`Cleo${run}`)];
    const link = await ada.startCall(server.url);
    await ben.open(link);
    await ben.seesMoving(ada.name);
    await ben.video(ada.name).evaluate(recordPicturesOf);
    await cleo.open(link);
    await Promise.all([ben, cleo].map((one) => one.seesMoving(ada.name)));
    await expect.poll(() => standIns(ada), { timeout: 20_000 }).toBe(2);
    const thirdComes = longestGap(await ben.page.evaluate(pictureTimes));
    await ben.page.evaluate(forgetPictures);
    await cleo.page.getByRole("button", { name: "Leave call" }).click();
    await expect.poll(() => standIns(ada), { timeout: 20_000 }).toBe(0);
    await ben.seesMoving(ada.name);
    gaps.push({ thirdComes, thirdLeaves: longestGap(await ben.page.evaluate(pictureTimes)) });
    await Promise.all([ada, ben, cleo].map((one) => one.page.close()));
  }
  tell("switch", { pictureEveryMs: 100, gapsMs: gaps, loadAverage: loadavg()[0] });
});

for (const receivers of [1, 2, 3]) {
  for (const once of [true, false]) {
    const how = once ? "encoded once for all, from two on" : "encoded for each";
    test(`cpu: the sender's, with ${receivers} receivers, ${how}`, async ({ server, person }) => {
      const browser = await engine.launch(chromium(camera(720)).launchOptions);
      const ada = await person("Ada", { lines: 720, browser, ...(!once && { before: encodeForEach }) });
      const link = await ada.startCall(server.url);
      const names = ["Ben", "Cleo", "Dora"].slice(0, receivers);
      for (const name of names) await (await person(name)).open(link);
      for (const name of names) await ada.seesMoving(name);
      const [cpu, time] = [await cpuSeconds(browser), Date.now()];
      await pass(CPU_MS);
      const cores = ((await cpuSeconds(browser)) - cpu) / ((Date.now() - time) / 1_000);
      tell("senderCpu", { receivers, once, cores, loadAverage: loadavg()[0] });
      await ada.page.close();
      await browser.close();
    });
  }
}

test("speech: lengths of sealed sound frames, as they are and hidden", async ({ server, person, reader }) => {
  const ada = await person("Ada", { browser: reader });
  const ben = await person("Ben");
  await ben.open(await ada.startCall(server.url));
  await ada.seesMoving("Ben");
  for (const hidden of [false, true]) {
    await ada.hideSpeech(hidden);
    // What the encoder had begun before is not compared.
    await soundFor(ada, 1_000);
    tell("speech", { hidden, ...(await lengthsFor(ada, SPEECH_MS)), loadAverage: loadavg()[0] });
  }
  await ada.page.close();
});

test("size: scripts that a join loads, gzipped", () => {
  const sizes = readdirSync(new URL("assets/", DIST))
    .filter((file) => file.endsWith(".js"))
    .map((file) => [file, gzipSync(readFileSync(new URL(`assets/${file}`, DIST)), { level: 9 }).length]);
  tell("scriptBytesGzipped", Object.fromEntries(sizes));
});

/** Frames of sound that left within this time. */
async function soundFor(person: ChromiumPerson, ms: number): Promise<{ lengths: number[]; seconds: number }> {
  const [before, since] = [(await person.soundLengths()).length, Date.now()];
  await pass(ms);
  const lengths = (await person.soundLengths()).slice(before);
  return { lengths, seconds: (Date.now() - since) / 1_000 };
}

async function lengthsFor(person: ChromiumPerson, ms: number) {
  const { lengths, seconds } = await soundFor(person, ms);
  const counts = new Map<number, number>();
  for (const length of lengths) counts.set(length, (counts.get(length) ?? 0) + 1);
  const shares = [...counts.values()].map((count) => count / lengths.length);
  return {
    frames: lengths.length,
    differentLengths: counts.size,
    mostFrequent: Object.fromEntries([...counts].sort(([, a], [, b]) => b - a).slice(0, 5)),
    shortest: Math.min(...lengths),
    longest: Math.max(...lengths),
    bitsThatALengthTells: -shares.reduce((sum, share) => sum + share * Math.log2(share), 0),
    kbitPerSecond: lengths.reduce((sum, length) => sum + length, 0) / 125 / seconds,
  };
}

async function timeToJoin(person: ChromiumPerson, link: string): Promise<number> {
  await person.page.goto(link);
  await expect(person.page.locator("video").first()).toBeVisible();
  await person.join();
  const first = () => person.page.evaluate(() => (globalThis as unknown as { firstPictureMs?: number }).firstPictureMs);
  await expect.poll(first, { timeout: 20_000 }).toBeGreaterThan(0);
  return Math.round((await first()) ?? 0);
}

/** Runs in the page: takes the time from the click that joins to the first picture of someone else. */
/** Keeps how long each long task (W3C Long Tasks: over 50 ms) of the page takes, from now on. */
function keepLongTasks({ page }: ChromiumPerson): Promise<void> {
  return page.evaluate(() => {
    const tasks: number[] = [];
    const observer = new PerformanceObserver((list) =>
      tasks.push(...list.getEntries().map(({ duration }) => duration)),
    );
    observer.observe({ type: "longtask" });
    Object.assign(globalThis, { longTasks: tasks });
  });
}

function longTasks({ page }: ChromiumPerson): Promise<number[]> {
  return page.evaluate(() => (globalThis as unknown as { longTasks: number[] }).longTasks);
}

function timeFirstPicture(): void {
  let clicked = 0;
  const isJoin = (target: EventTarget | null) => target instanceof Element && target.closest("[type=submit]") !== null;
  const click = ({ target }: Event) => {
    if (isJoin(target)) clicked = performance.now();
  };
  addEventListener("click", click, { capture: true });
  const watch = ({ target }: Event) => {
    if (!(target instanceof HTMLVideoElement) || target.muted) return;
    target.requestVideoFrameCallback((now) => Object.assign(globalThis, { firstPictureMs: now - clicked }));
  };
  addEventListener("loadedmetadata", watch, { capture: true });
}

/** Runs in the page: the time of every picture of someone else. */
function recordPictures(): void {
  const times: number[] = [];
  Object.assign(globalThis, { times });
  const record = (video: HTMLVideoElement) => {
    video.requestVideoFrameCallback((now) => {
      times.push(now);
      record(video);
    });
  };
  const watch = ({ target }: Event) => {
    if (target instanceof HTMLVideoElement && !target.muted) record(target);
  };
  addEventListener("loadedmetadata", watch, { capture: true });
}

/** Runs in the page: the time of every picture of one person from now on. */
function recordPicturesOf(video: Element): void {
  const times: number[] = [];
  Object.assign(globalThis, { times });
  const record = () => {
    (video as HTMLVideoElement).requestVideoFrameCallback((now) => {
      times.push(now);
      record();
    });
  };
  record();
}

/** How many links of a person encode stand-ins, by the browser's word. */
function standIns(person: ChromiumPerson): Promise<number> {
  return person.page.evaluate(async () => {
    const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
    const live = connections.filter(({ connectionState }) => connectionState === "connected");
    const reports = await Promise.all(live.map(async (connection) => [...(await connection.getStats()).values()]));
    return reports.flat().filter(({ type, frameWidth }) => type === "outbound-rtp" && frameWidth === 32).length;
  });
}

function forgetPictures(): void {
  const { times } = globalThis as unknown as { times: number[] };
  times.splice(0, times.length, performance.now());
}

function pictureTimes(): number[] {
  return (globalThis as unknown as { times: number[] }).times;
}

function longestGap(times: number[]): number {
  return Math.round(Math.max(...times.slice(1).map((time, i) => time - (times[i] ?? 0))));
}

/** Stops every process of a browser that this test started: its page neither acknowledges nor leaves. */
async function freeze(browser: Browser): Promise<void> {
  for (const pid of await processes(browser)) process.kill(pid, "SIGSTOP");
}

async function thaw(browser: Browser): Promise<void> {
  for (const pid of frozen.get(browser) ?? []) process.kill(pid, "SIGCONT");
}

const frozen = new WeakMap<Browser, number[]>();

/** Runs in the page, before its own scripts: a browser that lacks what one encoder for all takes. */
function encodeForEach(): void {
  Reflect.deleteProperty(globalThis, "MediaStreamTrackGenerator");
}

/** Of all processes of a browser. */
async function cpuSeconds(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

async function processes(browser: Browser): Promise<number[]> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  frozen.set(browser, renderers);
  return renderers;
}

async function refused(person: ChromiumPerson): Promise<number> {
  const rows = await person.proof();
  return rows.flatMap((row) => row.Refused?.match(/\d+/g) ?? []).reduce((sum, count) => sum + Number(count), 0);
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function tell(what: string, figures: Record<string, unknown>): void {
  const machine = `${cpus().length} cores, ${cpus()[0]?.model}`;
  console.log(JSON.stringify({ what, machine, ...figures }));
}
