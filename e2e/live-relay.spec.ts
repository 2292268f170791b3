import { Dashboard } from "./stage/dashboard.ts";
import { AGAIN, SHOWN } from "./stage/expect.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { hideAddress, loudness, playedSeconds, type RelayedServer, relayed, tapSound } from "./stage/relayed.ts";
import { standStill } from "./stage/stand-still.ts";
import { longestStill, picturesOf, watchStills } from "./stage/stills.ts";
import { test as base, expect } from "./stage/test.ts";
import { playNewest, VaultPage } from "./stage/vault.ts";
import { watch } from "./stage/viewers.ts";

const test = base.extend<{ relayed: RelayedServer | null }>({ relayed });

test.setTimeout(300_000);

test("viewers over a connection and over relays, of whom one finds no connection: all see the host's film; one is removed, relays are killed, and who stays gets the connection that is free", async ({
  relayed,
  person,
  expectedErrors,
}) => {
  if (relayed === null) return test.skip(true, "no moq-relay");
  // Of a relay that is killed.
  expectedErrors.push(
    /WebSocket connection to .* failed/,
    /ERR_CONNECTION_REFUSED/,
    /Failed to establish a connection/,
  );
  expectedErrors.push(/WebTransportError: Connection lost/);
  const host = await person("Host", { lines: 360 });
  const written: string[] = [];
  host.page.on("console", (message) => void written.push(message.text()));
  const link = await host.goLive(relayed.server.url);
  const ben = await person("Ben", { before: tapSound });
  await ben.page.addInitScript(hideAddress);
  await ben.page.goto(link);
  await test.step("for who hides their address behind a TURN server that is not there, there is a place and no connection", async () => {
    await expect(entry(host, 1)).toContainText("watches over a relay", SHOWN);
  });
  const [direct] = (await watch(person, link, 1)) as [ChromiumPerson];
  await direct.seesMoving("the stream");
  const cleo = await person("Cleo", { before: tapSound });
  await VaultPage.setUp(cleo, relayed.server.url);
  await cleo.page.goto(link);
  const over = [ben, cleo] as const;
  for (const viewer of over) {
    viewer.page.on("console", (message) => void written.push(message.text()));
    await viewer.seesMoving("the stream");
    await expect(viewer.badge).toHaveText("encrypted", SHOWN);
    expect(await viewer.configurations(), `connections that ${viewer.name} tried`).toHaveLength(viewer === ben ? 1 : 0);
    expect(await viewer.page.evaluate(loudness), "before it is turned on").toBe(0);
    await viewer.page.getByRole("button", { name: "Turn sound on" }).click();
    await expect.poll(() => viewer.page.evaluate(loudness), SHOWN).toBeGreaterThan(0.01);
  }
  await test.step("who comes opens the group of pictures that the relay has, and waits for no other", async () => {
    await cleo.page.getByRole("button", { name: "Encryption details" }).click();
    const picture = async () => (await cleo.proof()).find(({ Track }) => Track?.includes("video"));
    await expect.poll(picture, SHOWN).toBeDefined();
    expect((await picture())?.Refused).not.toContain(AGAIN);
    await cleo.page.keyboard.press("Escape");
    await expect(cleo.page.getByRole("dialog")).toHaveCount(0);
  });
  await direct.seesMoving("the stream");
  await expect(host.badge).toHaveText("encrypted", SHOWN);
  await expect(entry(host, 3)).toContainText("watches over a relay", SHOWN);
  await expect(host.page.getByRole("status", { name: "Viewers" })).toHaveText("3");

  expect(
    written.filter((words) => words.includes("jwt=")),
    "tokens written to the console",
  ).toEqual([]);

  await test.step("in a small window a small picture comes, and a large one again in a large window", async () => {
    const width = () => cleo.video("the stream").evaluate((video: HTMLVideoElement) => video.videoWidth);
    const { width: before = 0, height = 0 } = cleo.page.viewportSize() ?? {};
    expect(await width()).toBe(640);
    await cleo.page.setViewportSize({ width: 400, height });
    await expect.poll(width, SHOWN).toBe(320);
    await cleo.seesMoving("the stream");
    await cleo.page.setViewportSize({ width: before, height });
    await expect.poll(width, SHOWN).toBe(640);
    await cleo.seesMoving("the stream");
    await expect(cleo.badge).toHaveText("encrypted", SHOWN);
  });

  await test.step("the small size once more, of which relays still have what nobody signs any more: nobody is accused for it", async () => {
    const { width = 0, height = 0 } = cleo.page.viewportSize() ?? {};
    const size = () => cleo.video("the stream").evaluate((video: HTMLVideoElement) => video.videoWidth);
    const passes = async (seconds: number) => {
      const before = await cleo.page.evaluate(playedSeconds);
      await expect.poll(() => cleo.page.evaluate(playedSeconds), { timeout: 60_000 }).toBeGreaterThan(before + seconds);
    };
    await passes(6);
    await cleo.page.setViewportSize({ width: 400, height });
    await expect.poll(size, SHOWN).toBe(320);
    // A track is forged 15 s after a frame that nobody has signed.
    await passes(17);
    await expect(cleo.badge).toHaveText("encrypted");
    await cleo.page.setViewportSize({ width, height });
    await expect.poll(size, SHOWN).toBe(640);
  });

  await test.step("the host's page stands still for five seconds and signs nothing: nobody is accused, and all goes on", async () => {
    await host.page.evaluate(standStill, 5_000);
    for (const viewer of [direct, ...over]) {
      await viewer.seesMoving("the stream");
      await expect(viewer.badge).toHaveText("encrypted", SHOWN);
      await expect(viewer.page.getByRole("heading", { name: "The picture is not the host’s" })).toHaveCount(0);
    }
  });

  await test.step("the dashboards have each stage of the picture's way, and at the viewer the whole of it", async () => {
    const [hosts, viewers] = [await Dashboard.open(host), await Dashboard.open(cleo)];
    await hosts.follow("Picture, to relays");
    await viewers.follow("Picture, from the host");
    for (const name of ["Encode", "Seal", "Send"])
      await expect.poll(async () => (await hosts.stage(name)).mean, SHOWN).toBeGreaterThan(0);
    for (const name of ["Encode", "Seal", "Send", "Relays", "Open", "Jitter buffer", "Decode", "Render"])
      await expect.poll(async () => (await viewers.stage(name)).mean, SHOWN).toBeGreaterThanOrEqual(0);
    await expect.poll(() => viewers.endToEnd(), SHOWN).toBeGreaterThan(0);
    for (const { page } of [host, cleo]) {
      await page.keyboard.press("Escape");
      await expect(page.getByRole("complementary", { name: "Dashboard" })).toHaveCount(0);
    }
  });

  await expect(cleo.page.getByText(/about [\d.]+ sec.* from the host’s computer to here/)).toBeVisible(SHOWN);

  await test.step("a viewer records picture and sound once the host lets them", async () => {
    const record = cleo.page.getByRole("button", { name: "Record", exact: true });
    await expect(record).toHaveCount(0);
    await host.page.getByText("Devices and quality").click();
    await host.page.getByRole("checkbox", { name: "Let viewers record" }).check();
    await record.click(SHOWN);
    const own = cleo.page.getByRole("group", { name: "Your recording" });
    await expect(own).toContainText(/0:(0[3-9]|[1-5]\d)/, SHOWN);
    await cleo.page.getByRole("button", { name: "Stop recording", exact: true }).click();
    await expect(own).toContainText("The recording is saved in your vault.", SHOWN);
    expect(await recorded(cleo, relayed.server.url)).toEqual({ hasPicture: true, hasSound: true });
  });

  await test.step("nobody listens for some seconds: who does again hears the host of now", async () => {
    for (const { page } of over) await page.getByRole("button", { name: "Turn sound off" }).click();
    await Promise.all(over.map((viewer) => viewer.video("the stream").evaluate(watchStills)));
    for (const viewer of over) await expect.poll(() => picturesOf(viewer), SHOWN).toBeGreaterThan(60);
    for (const { page } of over) await page.getByRole("button", { name: "Turn sound on" }).click();
    for (const viewer of over) await hearsNow(viewer);
  });

  await test.step("the relay that they are at is killed: pictures and sound go on at the other", async () => {
    await Promise.all(over.map((viewer) => viewer.video("the stream").evaluate(watchStills)));
    await relayed.relays[0]?.program.stop("SIGKILL");
    for (const viewer of over) {
      await expect.poll(() => picturesOf(viewer), { timeout: 20_000 }).toBeGreaterThan(50);
      test.info().annotations.push(await longestStill(viewer));
      await viewer.seesMoving("the stream");
      await hearsNow(viewer);
      await expect(viewer.badge).toHaveText("encrypted", SHOWN);
    }
  });

  await test.step("a removed viewer opens nothing more, and the others go on", async () => {
    const [removed, stays] = over;
    await entry(host, 1).getByRole("button", { name: "Remove" }).click();
    await host.page.getByRole("button", { name: "Remove viewer 1" }).click();
    await expect(removed.page.getByRole("heading", { name: "You were removed from the stream" })).toBeVisible(SHOWN);
    // What was shown as the heading came may be counted after it.
    await stays.seesMoving("the stream");
    const seen = await picturesOf(removed);
    await direct.seesMoving("the stream");
    await stays.seesMoving("the stream");
    await expect(stays.badge).toHaveText("encrypted", SHOWN);
    expect(await picturesOf(removed), "pictures of who was removed").toBe(seen);
  });

  await test.step("who has the connection leaves: it goes to who watches over a relay, whose picture and sound go on meanwhile", async () => {
    await cleo.video("the stream").evaluate(watchStills);
    await direct.page.close();
    await expect(entry(host, 3)).not.toContainText("watches over a relay", SHOWN);
    await expect.poll(() => cleo.configurations(), SHOWN).toHaveLength(1);
    await cleo.seesMoving("the stream");
    await expect(cleo.badge).toHaveText("encrypted", SHOWN);
    await expect(host.badge).toHaveText("encrypted", SHOWN);
    test.info().annotations.push(await longestStill(cleo));
  });

  await test.step("no relay is left: who watched over it waits for a place, and has it when another leaves", async () => {
    const [last] = (await watch(person, link, 1)) as [ChromiumPerson];
    // A removal has replaced the link.
    await host.page.getByRole("button", { name: "Let in" }).click(SHOWN);
    await last.seesMoving("the stream");
    await expect(host.page.getByText("watches over a relay")).toHaveCount(1, SHOWN);
    await relayed.relays[1]?.program.stop("SIGKILL");
    await expect(last.page.getByRole("heading", { name: "The stream is full" })).toBeVisible(SHOWN);
    await cleo.page.close();
    await last.seesMoving("the stream");
    await expect(last.badge).toHaveText("encrypted", SHOWN);
    await expect(host.badge).toHaveText("encrypted", SHOWN);
  });
});

/** What the host's page says of a viewer. */
function entry(host: ChromiumPerson, number: number) {
  return host.page.getByRole("listitem", { name: `Viewer ${number}` });
}

/** Not what was heard before: that is over after a second of playing. */
async function hearsNow({ page }: ChromiumPerson): Promise<void> {
  const before = await page.evaluate(playedSeconds);
  await expect.poll(() => page.evaluate(playedSeconds), SHOWN).toBeGreaterThan(before + 1);
  await expect.poll(() => page.evaluate(loudness), SHOWN).toBeGreaterThan(0.01);
}

/** What the newest recording in their vault plays: whether its picture has light and dark, and whether there is sound. */
async function recorded(person: ChromiumPerson, home: string) {
  const { library, video } = await playNewest(person, home);
  const found = await video.evaluate((element: HTMLVideoElement & { webkitAudioDecodedByteCount: number }) => {
    const drawn = new OffscreenCanvas(32, 18).getContext("2d");
    drawn?.drawImage(element, 0, 0, 32, 18);
    const greens = drawn?.getImageData(0, 0, 32, 18).data.filter((_, at) => at % 4 === 1) ?? [];
    return {
      hasPicture: Math.max(...greens) - Math.min(...greens) > 50,
      hasSound: element.webkitAudioDecodedByteCount > 0,
    };
  });
  await library.close();
  return found;
}
