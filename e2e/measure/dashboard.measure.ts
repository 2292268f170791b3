import { cpus, loadavg } from "node:os";
import { mergeTests } from "@playwright/test";
import { type Latency, test as measuring } from "@sealcast/latency/playwright";
import { Dashboard } from "../stage/dashboard.ts";
import type { ChromiumPerson } from "../stage/person.ts";
import { expect, test as staging } from "../stage/test.ts";
import { watch } from "../stage/viewers.ts";

const test = mergeTests(staging, measuring);
const SECONDS = 5;
const ROUNDS = 3;

/** Both end when the picture is presented. The stamp begins when the page has copied a picture of the camera's. */
test("end to end: what the dashboard says beside the block code, in a call", async ({ server, person, latency }) => {
  const [ada, ben] = [await person("Ada", { lines: 720 }), await person("Ben", { lines: 720 })];
  for (const { context } of [ada, ben]) await latency.stampCameras(context);
  await ben.open(await ada.startCall(server.url));
  const dashboard = await Dashboard.open(ben);
  await dashboard.follow("Picture, from Ada");
  await compare("dashboardInCall", dashboard, () => latency.of(ben.video("Ada"), { seconds: SECONDS }));
});

test("end to end: the same of a stream that is encoded once for two viewers", async ({ server, person, latency }) => {
  const host = await person("Host");
  await latency.stampCameras(host.context);
  const link = await host.goLive(server.url);
  const withReader: typeof person = async (name, options) => {
    const viewer = await person(name, options);
    await latency.stampCameras(viewer.context);
    return viewer;
  };
  const [viewer] = (await watch(withReader, link, 2)) as [ChromiumPerson];
  const dashboard = await Dashboard.open(viewer);
  await expect(dashboard.region("Latency")).toContainText("comes to the encoder", { timeout: 30_000 });
  await compare("dashboardInStream", dashboard, () => latency.of(viewer.video("the stream"), { seconds: SECONDS }));
});

async function compare(what: string, dashboard: Dashboard, blockCode: () => Promise<Latency>) {
  const rounds = await dashboard.besideBlockCode(blockCode, ROUNDS);
  const machine = `${cpus().length} cores, ${cpus()[0]?.model}`;
  console.log(JSON.stringify({ what, machine, rounds, loadAverage: loadavg()[0] }));
}
