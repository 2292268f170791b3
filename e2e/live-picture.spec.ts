import type { Locator } from "@playwright/test";
import { colouredSources, holdStill, resize, sees, stopSharing } from "./stage/coloured.ts";
import { SHOWN } from "./stage/expect.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";
import { watch } from "./stage/viewers.ts";

test.setTimeout(180_000);
/** Between silence and the softest of the sounds here. */
const LOUD = 1e-5;

test("a viewer sees the camera, the screen, both, and the camera again, and hears what is shared, also without the microphone", async ({
  server,
  person,
}) => {
  const host = await person("Host", { before: colouredSources });
  const viewers = await watch(person, await host.goLive(server.url), 1);
  await showsEach(host, viewers);

  const [viewer] = viewers as [ChromiumPerson];
  await viewer.page.getByRole("button", { name: "Turn sound on" }).click();
  await loudness(viewer).toBeGreaterThan(LOUD);
  await host.page.getByRole("button", { name: "Microphone", exact: true }).click();
  await loudness(viewer).toBeLessThan(LOUD);
  await source(host, "Screen").check();
  await loudness(viewer).toBeGreaterThan(LOUD);
  await stopSharing(host);
  await loudness(viewer).toBeLessThan(LOUD);
  await host.page.getByRole("button", { name: "Microphone", exact: true }).click();
  await loudness(viewer).toBeGreaterThan(LOUD);
});

test("so do two viewers: turned upright, from a page that is not drawn, and a third who comes while nothing moves", async ({
  server,
  person,
}) => {
  const host = await person("Host", { before: colouredSources });
  const link = await host.goLive(server.url);
  const viewers = await watch(person, link, 2);
  const all = (expected: Parameters<typeof sees>[2]) =>
    Promise.all(viewers.map((viewer) => sees(viewer, "the stream", expected)));
  await showsEach(host, viewers);
  await expect.poll(() => host.encryptionDetails(), SHOWN).toContain("for 2 people");

  await test.step("a camera that is turned upright: viewers get the tall picture, and the wide one again", async () => {
    await resize(host, "camera", 360, 640);
    await all({ middle: "red", aspect: 0.6 });
    await source(host, "Screen and camera").check();
    await all({ middle: "blue", corner: "red", aspect: 1.6 });
    await resize(host, "camera", 640, 360);
    await resize(host, "screen", 800, 1280);
    await all({ middle: "blue", corner: "red", aspect: 0.6 });
  });

  await test.step("a host whose page is behind another and not drawn any more goes on sending both", async () => {
    const other = await host.context.newPage();
    await other.bringToFront();
    await all({ middle: "blue", corner: "red" });
    // What the page itself drew would come no oftener than that.
    await expect.poll(() => cameWhileDrawing(host, viewers), SHOWN).toBeGreaterThan(3);
    await other.close();
    await host.page.bringToFront();
  });

  await test.step("who comes while nothing on the screen moves sees it all the same", async () => {
    await source(host, "Camera").check();
    await all({ middle: "red", aspect: 1.8 });
    await source(host, "Screen").check();
    await all({ middle: "blue", aspect: 0.6 });
    await holdStill(host);
    const [late] = (await watch(person, link, 1)) as [ChromiumPerson];
    await sees(late, "the stream", { middle: "blue", corner: "blue" });
  });
});

/** What a stream can be of, one after the other, each seen by all. */
async function showsEach(host: ChromiumPerson, viewers: ChromiumPerson[]): Promise<void> {
  const all = (expected: Parameters<typeof sees>[2]) =>
    Promise.all(viewers.map((viewer) => sees(viewer, "the stream", expected)));
  await all({ middle: "red", corner: "red", aspect: 1.8 });
  await source(host, "Screen").check();
  await all({ middle: "blue", corner: "blue", aspect: 1.6 });
  await expect(host.page.getByText("Viewers also hear what you share.")).toBeVisible();
  await source(host, "Screen and camera").check();
  await all({ middle: "blue", corner: "red", aspect: 1.6 });
  await host.page.getByRole("button", { name: "Camera", exact: true }).click();
  await all({ middle: "blue", corner: "blue", aspect: 1.6 });
  await host.page.getByRole("button", { name: "Camera", exact: true }).click();
  await all({ middle: "blue", corner: "red" });
  await stopSharing(host);
  await all({ middle: "red", corner: "red", aspect: 1.8 });
  await expect(source(host, "Camera")).toBeChecked();
  for (const one of [host, ...viewers]) await expect(one.badge).toHaveText("encrypted", SHOWN);
}

test("where the composer fails, the screen is shown alone", async ({ server, person, expectedErrors }) => {
  expectedErrors.push(/broken composer/);
  const host = await person("Host", { before: colouredSources });
  await host.context.route(/composer\.worker[^/]*\.js$/, (route) =>
    route.fulfill({ contentType: "text/javascript", body: 'throw new Error("broken composer");' }),
  );
  const [viewer] = (await watch(person, await host.goLive(server.url), 1)) as [ChromiumPerson];
  await source(host, "Screen and camera").click();
  await sees(viewer, "the stream", { middle: "blue", corner: "blue" });
  await expect(source(host, "Screen")).toBeChecked();
});

test("a quality sets the size of the picture and what each link may carry", async ({ server, person }) => {
  // Chromium's own fake screen comes in the size that it is asked for.
  const host = await person("Host");
  const link = await host.goLive(server.url);
  await watch(person, link, 1);
  await source(host, "Screen").click();
  await expect.poll(() => widthShown(host), SHOWN).toBe(1280);
  await expect.poll(() => mostOfLinks(host), SHOWN).toEqual([2_800_000]);
  await host.page.getByText("Devices and quality").click();
  const quality = host.page.getByRole("combobox", { name: "Quality" });
  await quality.selectOption("Low data: 360p, for a slow connection");
  await expect.poll(() => widthShown(host), SHOWN).toBe(640);
  await expect.poll(() => mostOfLinks(host), SHOWN).toEqual([750_000]);
  await watch(person, link, 1);
  await expect.poll(() => host.encryptionDetails(), SHOWN).toContain("for 2 people");
  await expect.poll(() => mostOfLinks(host), SHOWN).toEqual([750_000, 750_000]);
  await quality.selectOption("Sharp: 1080p, for a fast computer and connection");
  await expect.poll(() => widthShown(host), SHOWN).toBe(1920);
  await expect.poll(() => mostOfLinks(host), SHOWN).toEqual([4_500_000, 4_500_000]);
});

/** The energy of the sound that came in a second, by the page's own clock: a beep has much more than LOUD, silence much less. */
function loudness(viewer: ChromiumPerson) {
  return expect.poll(
    async () => {
      const before = (await viewer.counted()).audioEnergy;
      await viewer.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1_000)));
      return (await viewer.counted()).audioEnergy - before;
    },
    { timeout: 30_000 },
  );
}

/** How many pictures come to each viewer while the browser draws the host's page once, over a while. */
async function cameWhileDrawing({ page }: ChromiumPerson, viewers: ChromiumPerson[]): Promise<number> {
  const frames = () =>
    Promise.all(
      viewers.map((viewer) =>
        viewer
          .video("the stream")
          .evaluate((video: HTMLVideoElement) => video.getVideoPlaybackQuality().totalVideoFrames),
      ),
    );
  const before = await frames();
  const drawn = await page.evaluate(async () => {
    let drawn = 0;
    const count = () => {
      drawn++;
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    return drawn;
  });
  const came = (await frames()).map((count, at) => count - (before[at] ?? 0));
  return Math.min(...came) / Math.max(drawn, 1);
}

/** Of the host's own preview, which shows what goes out. */
function widthShown({ page }: ChromiumPerson): Promise<number> {
  return page.getByLabel("What viewers see").evaluate((video: HTMLVideoElement) => video.videoWidth);
}

/** Bits per second that the picture's senders are set to, by the browser's word. */
function mostOfLinks({ page }: ChromiumPerson): Promise<(number | undefined)[]> {
  return page.evaluate(() => {
    const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
    const senders = connections.flatMap((connection) => connection.getSenders());
    const pictures = senders.filter(({ track }) => track?.kind === "video");
    return pictures.flatMap((sender) => sender.getParameters().encodings.map(({ maxBitrate }) => maxBitrate));
  });
}

function source({ page }: ChromiumPerson, name: string): Locator {
  return page.getByRole("group", { name: "Viewers see" }).getByRole("radio", { name, exact: true });
}
