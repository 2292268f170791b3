import { randomBytes } from "node:crypto";
import { loadavg } from "node:os";
import { type Browser, chromium as engine, type Page } from "@playwright/test";
import { fakeDevices, media, openCall, Server, startLiveKit, startRedis } from "@sealcast/testbed";
import { smallCamera, untreatedSound } from "@sealcast/testbed/page";
import { Balancer } from "../stage/balancer.ts";
import { chromium } from "../stage/browser.ts";
import type { ChromiumPerson } from "../stage/person.ts";
import { expect, test } from "../stage/test.ts";
import { pass } from "./pass.ts";
import { untapped } from "./untapped.ts";

const NAMES = ["Ada", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jule", "Kai", "Lea"];
const WINDOW = { viewport: { width: 800, height: 600 }, deviceScaleFactor: 0.5 };
/** Of twelve cameras on one computer: what its two cores encode. */
const CAMERA = { height: 90, frameRate: 3 };
/** The others have their microphones off, as most have in a call of twelve. */
const SPEAKING = 2;
const PEOPLE = Number(process.env.PEOPLE ?? NAMES.length);
/** The others have their cameras off: twelve times twelve pictures want more than two cores. */
const CAMERAS = Number(process.env.CAMERAS ?? PEOPLE);
/** Everybody sees every camera, or sees it again. */
const SEEN = { timeout: 120_000 };
const SETTLE_MS = 10_000;

/** What stands in each page: when each person's picture last changed, and for how long it stood still at most. */
interface Stills {
  readonly last: Map<string, { frames: number; at: number; longest: number; hasCamera: boolean }>;
}

test.setTimeout(900_000);

test("twelve over two LiveKit nodes and two servers that share rooms: each of a kind is killed, and then Redis", async () => {
  const redis = await startRedis();
  const first = redis && (await startLiveKit({ redis }));
  const second = first && (await startLiveKit({ redis, secret: first.environment.LIVEKIT_API_SECRET ?? "" }));
  if (redis === null || first === null || second === null) return test.skip(true, "no redis-server or livekit-server");
  const relays = await Balancer.before(...[first, second].map(({ url }) => Number(new URL(url).port)));
  const environment = {
    ...{ ...redis.environment, ...first.environment, LIVEKIT_URL: relays.url.replace("http", "ws") },
    ...{ REDIS_SECRET: randomBytes(32).toString("hex"), MESH_PEOPLE: "2" },
  };
  const nodes = [await Server.start({ environment }), await Server.start({ environment })] as const;
  const balancer = await Balancer.before(...nodes.map(({ port }) => port));
  const browser = await engine.launch(chromium(fakeDevices(media.film360)).launchOptions);
  const people = await call(browser, balancer.url);
  await everybodySees(people);
  await pass(SETTLE_MS);
  const found: Record<string, unknown> = { people: people.length, cameras: CAMERAS, usual: await worstStill(people) };
  for (const [what, kill] of [
    ["server", () => nodes[0].stop("SIGKILL")],
    ["LiveKit node", () => first.program.stop("SIGKILL")],
    ["Redis", () => redis.program.stop("SIGKILL")],
  ] as const) {
    await reset(people);
    await kill();
    const said = await writes(people, `After the ${what}`);
    await pass(30_000);
    await everybodySees(people);
    found[what] = { messageSeconds: said, ...(await worstStill(people)) };
    console.log(JSON.stringify(found));
  }
  for (const one of people) expect(await one.badges(), one.name).toEqual(["encrypted"]);
  await browser.close();
  for (const each of [balancer, relays]) each.close();
  for (const each of [...nodes, second.program]) await each.stop("SIGKILL");
});

async function call(browser: Browser, home: string): Promise<ChromiumPerson[]> {
  const people: ChromiumPerson[] = [];
  let link = "";
  for (const name of NAMES.slice(0, PEOPLE)) {
    const one = await untapped(name, browser, WINDOW);
    await one.page.addInitScript(smallCamera, CAMERA);
    await one.page.addInitScript(untreatedSound);
    if (link === "") link = await openCall(one.page, home);
    else await one.page.goto(link);
    if (people.length >= SPEAKING) await one.press("Microphone");
    if (people.length >= CAMERAS) await one.press("Camera");
    await one.join();
    people.push(one);
    await one.page.evaluate(watch);
    console.log(`${name} is in, load ${loadavg()[0]?.toFixed(1)}`);
    // As people come: not all within one minute, on one computer.
    await pass(SETTLE_MS);
  }
  for (const one of people) {
    await one.recordBadge();
    await one.page.getByRole("button", { name: /^Chat/ }).click();
  }
  return people;
}

/** Runs in the page. */
function watch(): void {
  const stills: Stills = { last: new Map() };
  Object.assign(globalThis, { stills });
  setInterval(() => {
    const now = performance.now();
    for (const tile of document.querySelectorAll('[role="group"][aria-label^="Participant "]')) {
      const name = tile.ariaLabel ?? "";
      const frames = tile.querySelector("video")?.getVideoPlaybackQuality().totalVideoFrames ?? 0;
      const known = stills.last.get(name) ?? { frames: 0, at: now, longest: 0, hasCamera: false };
      const has = frames !== known.frames && frames > 0;
      const longest = Math.max(known.longest, now - known.at);
      stills.last.set(name, { frames, at: has ? now : known.at, longest, hasCamera: has || known.hasCamera });
    }
  }, 200);
}

const still = (page: Page) =>
  page.evaluate(() => {
    const { last } = (globalThis as unknown as { stills: Stills }).stills;
    const pictures = [...last.values()].filter(({ hasCamera }) => hasCamera);
    return pictures.map(({ longest, at }) => ({ longest, since: performance.now() - at }));
  });

const reset = (people: readonly ChromiumPerson[]) =>
  Promise.all(
    people.map(({ page }) =>
      page.evaluate(() => {
        const { last } = (globalThis as unknown as { stills: Stills }).stills;
        for (const of of last.values()) Object.assign(of, { longest: 0, at: performance.now() });
      }),
    ),
  );

async function everybodySees(people: readonly ChromiumPerson[]): Promise<void> {
  const missing = async () => {
    const all = await Promise.all(people.map(({ page }) => still(page)));
    return all.map((tiles) => CAMERAS - tiles.filter(({ since }) => since < 2_000).length);
  };
  await expect.poll(missing, SEEN).toEqual(people.map(() => 0));
}

/** Seconds, over all pages and pictures. */
async function worstStill(people: readonly ChromiumPerson[]): Promise<{ longestStill: number; medianStill: number }> {
  const all = (await Promise.all(people.map(({ page }) => still(page)))).flat().map(({ longest }) => longest);
  const sorted = all.sort((a, b) => a - b);
  const seconds = (ms = 0) => Math.round(ms / 100) / 10;
  return { longestStill: seconds(sorted.at(-1)), medianStill: seconds(sorted[sorted.length >> 1]) };
}

/** Seconds until everybody has read it. */
async function writes(people: readonly ChromiumPerson[], text: string): Promise<number> {
  const since = performance.now();
  const [one] = people;
  const chat = one?.page.getByRole("textbox", { name: "Message" });
  await chat?.fill(text);
  await one?.page.keyboard.press("Enter");
  for (const { page } of people)
    await expect(page.getByRole("log", { name: "Messages" }).getByText(text)).toBeVisible({ timeout: 60_000 });
  return Math.round((performance.now() - since) / 100) / 10;
}
