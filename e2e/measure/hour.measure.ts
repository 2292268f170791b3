import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium as engine, type Page } from "@playwright/test";
import { keepConnections } from "@sealcast/testbed/page";
import { camera, chromium } from "../stage/browser.ts";
import { SHOWN } from "../stage/expect.ts";
import { ChromiumPerson } from "../stage/person.ts";
import { hideAddress, type RelayedServer, relayed, tapSound } from "../stage/relayed.ts";
import { test as base, expect } from "../stage/test.ts";
import { beatingDevices, noteBeats, takeSkews } from "./beat.ts";
import { memoryOf } from "./memory.ts";
import { pass } from "./pass.ts";

const MINUTES = Number(process.env.MINUTES ?? 60);
const MINUTE_MS = 60_000;
/** At such minutes and the next ones garbage is collected: browsers let tens of megabytes of it lie for many minutes, and what stays is what grew. */
const COLLECTED_EVERY = 10;

const test = base.extend<{ relayed: RelayedServer | null }>({ relayed });

test.setTimeout((MINUTES + 5) * MINUTE_MS);

test(`hour: a stream over a relay for ${MINUTES} minutes, memory and how late sound is after its picture`, async ({
  relayed,
}) => {
  if (relayed === null) return test.skip(true, "no moq-relay");
  const host = await open("Host", beatingDevices);
  const link = await host.person.goLive(relayed.server.url);
  const ben = await open("Ben", tapSound, hideAddress);
  const { page } = ben.person;
  await page.goto(link);
  await expect(host.person.page.getByRole("listitem", { name: "Viewer 1" })).toContainText(
    "watches over a relay",
    SHOWN,
  );
  await page.getByRole("button", { name: "Turn sound on" }).click(SHOWN);
  await page.evaluate(noteBeats);
  await ben.person.recordBadge();
  for (let minute = 1; minute <= MINUTES; minute++) {
    await pass(MINUTE_MS);
    const skews = (await page.evaluate(takeSkews)).sort((a, b) => a - b);
    const at = (part: number) => Math.round(skews[Math.floor(part * (skews.length - 1))] ?? Number.NaN);
    const memory = { hostMB: memoryOf(host.profile), viewerMB: memoryOf(ben.profile) };
    const skew = { beeps: skews.length, p10: at(0.1), median: at(0.5), p90: at(0.9) };
    const stands = await page.locator("[data-standing]").getAttribute("data-standing");
    const badges = await ben.person.badges();
    console.log(JSON.stringify({ minute, ...memory, skew, stands, badges, loadAverage: loadavg()[0] }));
    if (minute % COLLECTED_EVERY > 1) continue;
    for (const { person } of [host, ben]) await collectGarbage(person.page);
    const collected = { hostOwnMB: memoryOf(host.profile).own, viewerOwnMB: memoryOf(ben.profile).own };
    console.log(JSON.stringify({ minute, collected }));
  }
  await expect(ben.person.badge).toHaveText("encrypted");
  for (const { person, profile } of [host, ben]) {
    await person.context.close();
    rmSync(profile, { recursive: true, force: true });
  }
});

/** In the page and each of its workers. */
async function collectGarbage(page: Page): Promise<void> {
  const collect = () => (globalThis as unknown as { gc(): void }).gc();
  await page.evaluate(collect);
  for (const worker of page.workers()) await worker.evaluate(collect);
}

/** Someone with a browser of their own, so that its memory is known apart. */
async function open(name: string, ...before: (() => void)[]) {
  const profile = mkdtempSync(join(tmpdir(), "sealcast-hour-"));
  const { launchOptions, locale = "en-US" } = chromium([...camera(360), "--js-flags=--expose-gc"]);
  const viewport = { width: 800, height: 600 };
  const context: BrowserContext = await engine.launchPersistentContext(profile, { ...launchOptions, locale, viewport });
  for (const script of [keepConnections, ...before]) await context.addInitScript(script);
  return { profile, person: new ChromiumPerson(name, context, await context.newPage()) };
}
