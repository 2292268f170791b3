import { freePort, liveRelayAuthUrl, liveRelayEnvironment, newSecret, Server, startMoqRelays } from "@sealcast/testbed";
import { SHOWN } from "./stage/expect.ts";
import { loudness, tapSound } from "./stage/relayed.ts";
import { SlowUpload } from "./stage/slow-upload.ts";
import { picturesOf, watchStills } from "./stage/stills.ts";
import { expect, test } from "./stage/test.ts";
import { watch } from "./stage/viewers.ts";

test.setTimeout(240_000);

test("a host whose connection carries less than viewers watch over relays: the host's page says so, sound goes on, the picture comes smaller", async ({
  person,
}) => {
  const secret = newSecret();
  const port = await freePort();
  const relays = await startMoqRelays({ authUrl: liveRelayAuthUrl(`http://127.0.0.1:${port}`, secret), secret });
  if (relays === null) return test.skip(true, "no moq-relay");
  const [{ url, internal }] = relays;
  const slow = await SlowUpload.before(Number(new URL(url).port));
  const relay = liveRelayEnvironment([{ url: slow.url, internal }], secret);
  const server = await Server.start({ port, environment: { ...relay, MESH_VIEWERS: "1" } });
  try {
    const host = await person("Host", { lines: 360 });
    const link = await host.goLive(server.url);
    await watch(person, link, 1);
    const viewer = await person("Viewer", { before: tapSound });
    await viewer.page.goto(link);
    await viewer.seesMoving("the stream");
    await viewer.page.getByRole("button", { name: "Turn sound on" }).click();
    const isHeard = () => expect.poll(() => viewer.page.evaluate(loudness), SHOWN).toBeGreaterThan(0.01);
    await isHeard();
    const width = () => viewer.video("the stream").evaluate((video: HTMLVideoElement) => video.videoWidth);
    expect(await width()).toBe(640);
    const notice = host.page.getByText("Your connection is too slow for this quality");

    await viewer.video("the stream").evaluate(watchStills);
    const [began, before] = [performance.now(), slow.taken];
    await expect.poll(() => picturesOf(viewer), SHOWN).toBeGreaterThan(40);
    await expect(notice).toHaveCount(0);
    const usual = (1_000 * (slow.taken - before)) / (performance.now() - began);
    slow.takes(usual / 3);
    await expect(notice).toBeVisible(SHOWN);
    await expect.poll(width, SHOWN).toBe(320);
    await isHeard();
    await viewer.seesMoving("the stream");
    await expect(viewer.badge).toHaveText("encrypted", SHOWN);

    slow.takes(Number.POSITIVE_INFINITY);
    await expect(notice).toBeHidden({ timeout: 60_000 });
    await expect.poll(width, { timeout: 60_000 }).toBe(640);
  } finally {
    await server.stop();
    slow.close();
    await Promise.all(relays.map(({ program }) => program.stop("SIGKILL")));
  }
});
