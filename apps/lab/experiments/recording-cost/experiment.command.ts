import type { Browser, Page } from "@playwright/test";
import { joinCall, openCall, pressControl, Server } from "@sealcast/testbed";
import { smallCamera } from "@sealcast/testbed/page";
import type { CommandBench, Experiment, Row } from "../../command/experiment.ts";
import { pause, until } from "../../command/until.ts";
import { mean } from "../../src/shared/statistics.ts";
import { framesShown } from "./frames-shown.page.ts";

/** Small and slow, or the browsers' encoders alone would take all of a small computer. */
const LINES = 180;
const PICTURES_PER_SECOND = 15;
const PASSPHRASE = "a passphrase of the lab";
const RECORDS = "Ada";
const OTHER = "Ben";
const ROUNDS = 3;
/** After a recording has begun or ended. */
const SETTLED_MS = 3_000;

/** Frames a second that each of the two sees of the other. */
interface Seen {
  readonly recording: boolean;
  readonly atRecorder: number;
  readonly atOther: number;
}

export const recordingCost: Experiment = {
  async run(bench) {
    const product = await Server.start();
    try {
      const [ada, ben] = await callOfTwo(bench.browser, product.url);
      const seen = await inTurns(bench, ada, ben);
      await Promise.all([ada.context().close(), ben.context().close()]);
      return { rows: seen.map(row), summary: summary(seen) };
    } finally {
      await product.stop();
    }
  },
};

/** Both in the call, the first with a vault that was set up. */
async function callOfTwo(browser: Browser, home: string): Promise<[Page, Page]> {
  const [ada, ben] = [await openPage(browser), await openPage(browser)];
  await ada.goto(`${home}/vault`);
  await ada.getByLabel("Passphrase", { exact: true }).fill(PASSPHRASE);
  await ada.getByLabel("Passphrase, again").fill(PASSPHRASE);
  await ada.getByRole("button", { name: "Set up vault" }).click();
  await ada.getByRole("heading", { name: "Keep your recovery key" }).waitFor();
  const link = await openCall(ada, home);
  await joinCall(ada, RECORDS);
  await ben.goto(link);
  await joinCall(ben, OTHER);
  await until("both see each other", async () => {
    const [one, other] = await Promise.all([frames(ada, OTHER), frames(ben, RECORDS)]);
    return one > 0 && other > 0 ? "" : `${one} and ${other} frames`;
  });
  return [ada, ben];
}

async function openPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ locale: "en-US" });
  await context.addInitScript(smallCamera, { height: LINES, frameRate: PICTURES_PER_SECOND });
  return context.newPage();
}

async function inTurns(bench: CommandBench, ada: Page, ben: Page): Promise<Seen[]> {
  const seen: Seen[] = [];
  const ms = bench.quick ? 5_000 : 20_000;
  for (let round = 0; round < (bench.quick ? 1 : ROUNDS); round++) {
    for (const recording of [false, true]) {
      if (recording) await record(ada, ben, round === 0);
      await pause(SETTLED_MS);
      const [atRecorder, atOther] = await Promise.all([rate(ada, OTHER, ms), rate(ben, RECORDS, ms)]);
      seen.push({ recording, atRecorder, atOther });
      bench.say(
        `${recording ? "recording" : "no recording"}: ${atRecorder.toFixed(1)} and ${atOther.toFixed(1)} a second`,
      );
      if (recording) await ada.getByRole("button", { name: "Stop recording" }).click();
    }
  }
  return seen;
}

/** With both in it: the other is asked the first time. */
async function record(ada: Page, ben: Page, isAsked: boolean): Promise<void> {
  await pressControl(ada, "Record");
  const asked = ben.getByRole("dialog", { name: "May you be recorded?" });
  if (isAsked) await asked.getByRole("button", { name: `Allow ${RECORDS} to record you` }).click();
  await ada.getByText(`In it: you, ${OTHER}.`).waitFor();
}

/** Frames a second that a page shows of one other person. */
async function rate(page: Page, of: string, ms: number): Promise<number> {
  const [before, since] = [await frames(page, of), performance.now()];
  await pause(ms);
  return (1000 * ((await frames(page, of)) - before)) / (performance.now() - since);
}

function frames(page: Page, of: string): Promise<number> {
  const video = page.getByRole("group", { name: `Participant ${of}`, exact: true }).locator("video");
  return video.evaluate(framesShown);
}

function row({ recording, atRecorder, atOther }: Seen): Row {
  return {
    recording: recording ? "yes" : "no",
    framesPerSecondAtRecorder: Number(atRecorder.toFixed(2)),
    framesPerSecondAtOther: Number(atOther.toFixed(2)),
  };
}

function summary(seen: readonly Seen[]): Record<string, number> {
  const of = (recording: boolean) =>
    mean(seen.filter((one) => one.recording === recording).flatMap(({ atRecorder, atOther }) => [atRecorder, atOther]));
  const [without, recorded] = [of(false), of(true)];
  return {
    framesPerSecondWithout: Number(without.toFixed(2)),
    framesPerSecondWith: Number(recorded.toFixed(2)),
    ratio: Number((recorded / without).toFixed(3)),
  };
}
