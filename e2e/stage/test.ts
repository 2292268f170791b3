import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  test as base,
  chromium as engine,
  type TestInfo,
} from "@playwright/test";
import { Server } from "@sealcast/testbed";
import { keepConnections, keepWorkers, smallCamera, untreatedSound } from "@sealcast/testbed/page";
import { camera, chromium } from "./browser.ts";
import { expect } from "./expect.ts";
import { Middle } from "./middle.ts";
import { ChromiumPerson } from "./person.ts";
import { type Receiving, type Tapped, tapMediaWorkers } from "./tap.ts";

const FEW_LINES = 180;
/** Frame rate of small cameras. */
export const SLOW = 5;

interface Options {
  receiving?: Receiving;
  /** Another browser than the test's own, for someone with other permissions or whose process is stopped. */
  browser?: Browser;
  context?: BrowserContextOptions;
  /** A folder that a browser of its own keeps everything in, as one that is installed does. */
  profile?: string;
  /** The camera's height: small unless a test is about more, so that many browsers fit on one machine. 720: whatever the page asks for. */
  lines?: 180 | 360 | 720;
  /** Runs in each media worker before its own script. */
  sabotage?: () => void;
  /** Runs in the page before its own scripts. */
  before?: () => void;
}

/** Unix time in seconds from which on no test begins any more; what it left out is named. */
const UNTIL = Number(process.env.TESTS_UNTIL || Number.POSITIVE_INFINITY);

export interface Stage {
  server: Server;
  /** Another address of the server, in hostile hands. */
  middle: () => Promise<Middle>;
  /** Brings someone with a browser of their own on stage. */
  person: (name: string, options?: Options) => Promise<ChromiumPerson>;
  /** Errors that belong to what the test does. */
  expectedErrors: RegExp[];
}

/**
 * Every test runs the real server and real browsers. After each, whatever it was about: no page had an error (a content
 * security violation is one), every connection was made fail-closed, and no (KID, counter) pair covered two frames: the
 * same on two links means the same bytes.
 */
export const test = base.extend<Stage & { inTime: undefined }>({
  inTime: [
    async ({}, use, info) => {
      info.skip(Date.now() / 1_000 > UNTIL, "the time that all tests may take was over");
      await use(undefined);
    },
    { auto: true },
  ],
  expectedErrors: async ({}, use) => use([]),
  server: async ({}, use) => {
    const server = await Server.start({ environment: { LOG_LEVEL: "debug" } });
    await use(server);
    await server.stop();
  },
  middle: async ({ server }, use) => {
    const middles: Middle[] = [];
    await use(async () => {
      const middle = await Middle.before(server.port);
      middles.push(middle);
      return middle;
    });
    for (const middle of middles) await middle.close();
  },
  page: async ({ page }, use, info) => {
    countPage(info);
    await use(page);
  },
  person: async ({ browser, expectedErrors }, use, info) => {
    const people: ChromiumPerson[] = [];
    await use(async (name, options = {}) => {
      countPage(info);
      const context = await open(options, browser);
      await tapMediaWorkers(context, options.receiving ?? "as-is", options.sabotage ?? (() => undefined));
      await context.addInitScript(keepConnections);
      await context.addInitScript(keepWorkers);
      await context.addInitScript(untreatedSound);
      const height = options.lines ?? FEW_LINES;
      if (height !== 720) await context.addInitScript(smallCamera, { height, frameRate: SLOW });
      if (options.before !== undefined) await context.addInitScript(options.before);
      const person = new ChromiumPerson(name, context, await context.newPage());
      people.push(person);
      return person;
    });
    if (info.status !== info.expectedStatus) for (const person of people) await attachReasons(person, info);
    await Promise.all(people.map((person) => expectSound(person, expectedErrors)));
    await Promise.all(people.map((person) => person.context.close()));
  },
});

/** Pages are most of what a test costs. What a spec may open is in budget.json, and its report says what it opened. */
export function countPage(info: TestInfo): void {
  info.annotations.push({ type: "page" });
}

function open({ profile, context, ...options }: Options, browser: Browser): Promise<BrowserContext> {
  if (profile === undefined) return (options.browser ?? browser).newContext(context);
  const { launchOptions, locale } = chromium(camera(360));
  return engine.launchPersistentContext(profile, {
    ...launchOptions,
    ...(locale !== undefined && { locale }),
    ...context,
  });
}

/** Of a test that failed: why a badge says "failing", which is gone with the page. */
async function attachReasons(person: ChromiumPerson, info: TestInfo): Promise<void> {
  const isFailing = await person.badge
    .and(person.page.getByText("failing"))
    .isVisible()
    .catch(() => false);
  if (!isFailing) return;
  const reasons = await person.encryptionDetails().catch((error: Error) => error.message);
  await info.attach(`what ${person.name}'s badge is about`, { body: reasons, contentType: "text/plain" });
}

/** No test may expect one: the page's own code breaks no policy, whatever happens to it. */
const VIOLATION = /Content Security Policy|requires 'Trusted|Integrity-Policy/i;

async function expectSound(person: ChromiumPerson, expected: RegExp[]): Promise<void> {
  expect(
    person.errors.filter((error) => VIOLATION.test(error)),
    `policies broken in ${person.name}'s page`,
  ).toEqual([]);
  const unexpected = person.errors.filter((error) => !expected.some((pattern) => pattern.test(error)));
  expect(unexpected, `errors in ${person.name}'s page`).toEqual([]);
  if (person.page.isClosed()) return;
  for (const configuration of await person.configurations())
    expect(configuration, "without this flag Chromium lets frames by until a transform is attached").toMatchObject({
      encodedInsertableStreams: true,
    });
  expect(misused((await person.tapped()).map(({ frames }) => frames)), `${person.name}'s misused counters`).toEqual([]);
}

/** SFrame headers that covered two frames: twice on one link, or other bytes on another. */
function misused(links: Tapped["frames"][]): string[] {
  const prints = new Map<string, number>();
  return links.flatMap((frames) => {
    const onThisLink = new Set<string>();
    return frames.flatMap(({ header, print }) => {
      const isMisused = onThisLink.has(header) || (prints.get(header) ?? print) !== print;
      onThisLink.add(header);
      prints.set(header, print);
      return isMisused ? [header] : [];
    });
  });
}

export { expect };
