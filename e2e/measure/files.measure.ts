import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { Relay } from "@sealcast/testbed";
import { fileOf, sendFiles } from "../stage/files.ts";
import type { ChromiumPerson } from "../stage/person.ts";
import { expect, test } from "../stage/test.ts";
import { throughPort } from "../stage/through-relay.ts";
import { withoutPicker } from "../stage/vault.ts";
import { pass } from "./pass.ts";

const MB = 1_000_000;
const MEASURED_MS = 15_000;

/** What the network between the two carries; null: as much as this computer does. */
for (const bytesPerSecond of [null, 1_000_000, 400_000]) {
  test(`files: beside a call of 720, over ${bytesPerSecond ?? "no limit of"} bytes a second`, async ({
    server,
    person,
  }) => {
    const folder = mkdtempSync(join(tmpdir(), "sealcast-files-"));
    const relay = await Relay.open({ delayMs: 10, lossPercent: 0, ...(bytesPerSecond !== null && { bytesPerSecond }) });
    const through = (end: "near" | "far") =>
      bytesPerSecond === null ? () => undefined : throughPort(relay.portFor(end));
    const ada = await person("Ada", { lines: 720, before: through("near") });
    const ben = await person("Ben", { lines: 720, before: through("far") });
    await ben.page.addInitScript(withoutPicker);
    await ben.open(await ada.startCall(server.url));
    await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
    await pass(MEASURED_MS);
    const alone = await frames(ben, "Ada");
    await sendFiles(ada, [zeros(folder, 1_900 * MB)], "Ben");
    await ben.page.getByRole("button", { name: "Save zeros.bin" }).click();
    const received = await fileOf(ben, "zeros.bin");
    const bytes = () => received.getByRole("progressbar").evaluate((bar) => (bar as HTMLProgressElement).value);
    await expect.poll(bytes, { timeout: 30_000 }).toBeGreaterThan(0);
    const [before, since] = [await bytes(), Date.now()];
    const beside = await frames(ben, "Ada");
    const megabytesPerSecond = ((await bytes()) - before) / MB / ((Date.now() - since) / 1_000);
    const machine = `${cpus().length} cores, ${cpus()[0]?.model}`;
    const figures = { bytesPerSecond, megabytesPerSecond, alone, beside, loadAverage: loadavg()[0] };
    console.log(JSON.stringify({ what: "files", machine, ...figures }));
    for (const one of [ada, ben]) await one.page.close();
    relay.close();
    rmSync(folder, { recursive: true });
  });
}

function zeros(folder: string, bytes: number): string {
  const path = join(folder, "zeros.bin");
  const file = openSync(path, "w");
  writeSync(file, Buffer.of(0), 0, 1, bytes - 1);
  closeSync(file);
  return path;
}

/** Pictures of someone that are shown, a second, how high they are, and the longest gap between two. */
async function frames(person: ChromiumPerson, of: string) {
  return person.video(of).evaluate(async (element, ms) => {
    const video = element as HTMLVideoElement;
    const times: number[] = [];
    const until = performance.now() + ms;
    await new Promise<void>((done) => {
      const next = (now: number) => {
        times.push(now);
        if (now < until) video.requestVideoFrameCallback(next);
        else done();
      };
      video.requestVideoFrameCallback(next);
    });
    const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    return {
      perSecond: Math.round((10_000 * gaps.length) / gaps.reduce((sum, gap) => sum + gap, 0)) / 10,
      longestGapMs: Math.round(Math.max(...gaps)),
      height: video.videoHeight,
    };
  }, MEASURED_MS);
}
