import { Server, startLiveKit } from "@sealcast/testbed";
import { expect, SHOWN } from "./stage/expect.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { test } from "./stage/test.ts";

test.setTimeout(300_000);

/** So many people send to each other directly here. */
const MESH_PEOPLE = 2;
/** A picture that stands still for longer is seen to. */
const LONGEST_STILL_MS = 2_000;

test("with the third of two, a call goes over the media relay, and back when one leaves: pictures go on, sealed, and the relay knows nobody", async ({
  person,
}) => {
  const livekit = await startLiveKit();
  if (livekit === null) return test.skip(true, "no livekit-server");
  const environment = { ...livekit.environment, MESH_PEOPLE: String(MESH_PEOPLE), LOG_LEVEL: "debug" };
  const server = await Server.start({ environment });
  try {
    const [ada, ben, cleo] = [await person("Ada"), await person("Ben"), await person("Cleo")];
    const link = await ada.startCall(server.url);
    await ben.open(link);
    await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
    expect(await relayed(ada)).toEqual([]);
    for (const one of [ada, ben]) {
      await one.recordBadge();
      await one.video(one === ada ? "Ben" : "Ada").evaluate(watchStills);
    }
    await cleo.open(link);
    for (const one of [ada, ben, cleo]) await expect.poll(() => relayed(one), OVER_THE_RELAY).toHaveLength(2);
    await Promise.all([ada, ben, cleo].flatMap((one) => others(one).map((name) => one.seesMoving(name))));
    await Promise.all([ada, ben, cleo].map((one) => one.hears()));
    for (const one of [ada, ben, cleo]) await expect(one.badge).toHaveText("encrypted");
    await cleo.page.getByRole("button", { name: "Leave call" }).click();
    for (const one of [ada, ben]) await expect.poll(() => relayed(one), OVER_THE_RELAY).toEqual([]);
    await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
    for (const one of [ada, ben]) {
      const still = await one.page.evaluate(() => (globalThis as unknown as { longestStill: number }).longestStill);
      test.info().annotations.push({ type: "latency", description: `${one.name}: still for ${still.toFixed(0)} ms at most` });
      expect(still, `${one.name}'s longest still picture`).toBeLessThan(LONGEST_STILL_MS);
      expect(await one.badges(), one.name).toEqual(["encrypted"]);
    }
  } finally {
    await server.stop();
    await livekit.program.stop();
  }
});

const OVER_THE_RELAY = { ...SHOWN, timeout: 60_000 };

const others = (one: ChromiumPerson) => ["Ada", "Ben", "Cleo"].filter((name) => name !== one.name);

/** Of whom a page says that what comes of them goes through the relay. */
async function relayed(one: ChromiumPerson): Promise<string[]> {
  return [];
}

function watchStills(video: Element): void {
  const found = globalThis as unknown as { longestStill: number };
  found.longestStill = 0;
  let at = performance.now();
  const next = (now: number) => {
    found.longestStill = Math.max(found.longestStill, now - at);
    at = now;
    (video as HTMLVideoElement).requestVideoFrameCallback(next);
  };
  (video as HTMLVideoElement).requestVideoFrameCallback(next);
}
