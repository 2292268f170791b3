import { SHOWN } from "./stage/expect.ts";
import { loudness, tapSound } from "./stage/relayed.ts";
import { type SlowServer, slow } from "./stage/slow-upload.ts";
import { picturesOf, watchStills } from "./stage/stills.ts";
import { test as base, expect } from "./stage/test.ts";
import { watch } from "./stage/viewers.ts";

const test = base.extend<{ slow: SlowServer | null }>({ slow });

test.setTimeout(240_000);

test("a host whose connection carries less than viewers watch over relays: the host's page says so, sound goes on, the picture comes smaller", async ({
  slow,
  person,
}) => {
  if (slow === null) return test.skip(true, "no moq-relay");
  const host = await person("Host", { lines: 720 });
  const link = await host.goLive(slow.server.url);
  await watch(person, link, 1);
  const viewer = await person("Viewer", { before: tapSound });
  await viewer.page.goto(link);
  await viewer.seesMoving("the stream");
  await viewer.page.getByRole("button", { name: "Turn sound on" }).click();
  const isHeard = () => expect.poll(() => viewer.page.evaluate(loudness), SHOWN).toBeGreaterThan(0.01);
  await isHeard();
  const width = () => viewer.video("the stream").evaluate((video: HTMLVideoElement) => video.videoWidth);
  expect(await width()).toBe(640);
  const notice = host.page.getByText("Viewers get the picture late.");

  await viewer.video("the stream").evaluate(watchStills);
  const [began, before] = [performance.now(), slow.upload.taken];
  await expect.poll(() => picturesOf(viewer), SHOWN).toBeGreaterThan(60);
  await expect(notice).toHaveCount(0);
  const usual = (1_000 * (slow.upload.taken - before)) / (performance.now() - began);
  // Less than the large picture takes, and more than the small one.
  slow.upload.takes(0.75 * usual);
  await expect(notice).toBeVisible(SHOWN);
  await expect.poll(width, SHOWN).toBe(320);
  await viewer.video("the stream").evaluate(watchStills);
  for (let more = 100; more <= 300; more += 100) {
    await expect.poll(() => picturesOf(viewer), SHOWN).toBeGreaterThan(more);
    await isHeard();
    await expect(viewer.badge).toHaveText("encrypted", SHOWN);
  }
  await expect(notice).toBeVisible();
});
