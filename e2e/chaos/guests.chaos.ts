import { randomInt } from "node:crypto";
import type { Browser } from "@playwright/test";
import { apart } from "../stage/browser.ts";
import type { ChromiumPerson } from "../stage/person.ts";
import { expect, type Stage, test } from "../stage/test.ts";
import { armGuest, MISDEEDS, misbehave } from "./misdeeds.ts";

const SECONDS = Number(process.env.CHAOS_SECONDS ?? 600);
const SEED = Number(process.env.CHAOS_SEED ?? randomInt(2 ** 31));
/** Two honest people see and hear each other again and again, each time within the time that `seesMoving` has. */
const GUESTS = ["Mallory", "Oscar", "Trudy"];

test(`three hostile guests do at random what they may for ${SECONDS} s, and two people go on seeing and hearing each other`, async ({
  server,
  person,
  expectedErrors,
}) => {
  console.log(`CHAOS_SEED=${SEED} CHAOS_SECONDS=${SECONDS}`);
  expectedErrors.push(/./);
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  for (const one of [ada, ben]) await one.recordBadge();
  // What their pages take of this machine is no harm that they do over the network.
  const theirs = await apart();
  theirs.giveWay();
  const guests = await Promise.all(GUESTS.map((name) => comesArmed(person, name, theirs.browser)));
  const roll = dice(SEED);
  const until = Date.now() + SECONDS * 1_000;
  const done: string[] = [];
  const harm = guests.map((guest) => misbehaves(guest, { link, roll, until, done }));
  try {
    while (Date.now() < until) {
      await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada"), ada.hears(), ben.hears()]);
    }
  } catch (error) {
    throw new Error(`CHAOS_SEED=${SEED}, after ${done.length} misdeeds, the last: ${done.slice(-20).join("; ")}`, {
      cause: error,
    });
  } finally {
    await Promise.all(harm);
  }
  expect([...ada.errors, ...ben.errors]).toEqual([]);
  console.log(JSON.stringify({ chaos: { seed: SEED, seconds: SECONDS, misdeeds: done.length } }));
  expect(done.length).toBeGreaterThan(SECONDS / 4);
});

async function comesArmed(person: Stage["person"], name: string, browser: Browser): Promise<ChromiumPerson> {
  const guest = await person(name, { before: armGuest, browser });
  await guest.context.grantPermissions(["camera", "microphone"]);
  return guest;
}

interface Harm {
  readonly link: string;
  readonly roll: () => number;
  readonly until: number;
  readonly done: string[];
}

/** One guest, from its first join to the end: it comes again when it is out. */
async function misbehaves(guest: ChromiumPerson, { link, roll, until, done }: Harm): Promise<void> {
  while (Date.now() < until) {
    if (roll() < 0.05 || !(await isIn(guest))) await comes(guest, link);
    const what = MISDEEDS[Math.floor(roll() * MISDEEDS.length)] ?? MISDEEDS[0];
    const chance = roll();
    const failed = await guest.page.evaluate(misbehave, { what, chance }).catch(String);
    done.push(`${guest.name}: ${what} ${chance.toFixed(2)}${failed === null ? "" : ` (${failed})`}`);
    await guest.page.waitForTimeout(roll() * 1_000);
  }
}

function isIn({ page }: ChromiumPerson): Promise<boolean> {
  return page.getByRole("button", { name: "Leave call" }).isVisible();
}

async function comes(guest: ChromiumPerson, link: string): Promise<void> {
  await guest.page.goto("about:blank");
  await guest.open(link).catch(() => undefined);
}

/** Marsaglia's xorshift. */
function dice(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}
