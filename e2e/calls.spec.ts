import { nothingButRepeats } from "./stage/participant.ts";
import { expect, test } from "./stage/test.ts";

test("two people meet by link, see and hear each other; every frame that leaves went through a transform, also once all media workers died; who reloads is back", {
  tag: "@journey",
}, async ({ server, person }) => {
  const ada = await person("Ada");
  const ben = await person("Ben");
  const link = await ada.startCall(server.url);
  await expect(ada.badge).toHaveText("no media");
  await ben.open(link);
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  await Promise.all([ada.hears(), ben.hears()]);
  await expect(ada.badge).toHaveText(/^encrypted/);
  await expect(ben.badge).toHaveText(/^encrypted/);
  // A browser takes even the sound of a muted video to the loudspeaker's clock, a hundred times a second.
  expect(await ada.video("Ada (you)").evaluate(kinds)).toEqual(["video"]);
  expect(await ada.video("Ben").evaluate(kinds)).toEqual(["audio", "video"]);

  for (const one of [ada, ben]) {
    await expect.poll(async () => (await one.counted()).framesSent, { timeout: 30_000 }).toBeGreaterThan(40);
    // The browser is asked first: what it has counted by then must have left a transform before.
    const counted = await one.counted();
    const sealed = (await one.tapped()).filter(({ side }) => side === "seal");
    const written = (kind: string) => sealed.filter((t) => t.kind === kind).reduce((sum, t) => sum + t.written, 0);
    expect(counted.packetsSent).toBeGreaterThan(60);
    expect(written("video")).toBeGreaterThanOrEqual(counted.framesSent);
    expect(written("video") - counted.framesSent, "video frames in flight").toBeLessThan(15);
    expect(written("audio")).toBeGreaterThanOrEqual(counted.packetsSent);
    expect(written("audio") - counted.packetsSent, "audio frames in flight").toBeLessThan(25);
  }
  await ada.page.getByRole("button", { name: "Encryption details" }).click();
  await expect(ada.page.getByRole("table")).toContainText("H264");
  await ada.page.getByRole("button", { name: "Close" }).click();

  expect(await ada.killMediaWorkers()).toBeGreaterThan(0);
  await expect(ada.page.getByText("A part of the page that seals frames had stopped. It was replaced.")).toBeVisible();
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada"), ada.hears(), ben.hears()]);
  await ben.page.getByRole("button", { name: "Encryption details" }).click();
  const received = (await ben.proof()).filter(({ Track }) => Track?.startsWith("Ada sent"));
  expect(received.length).toBe(2);
  for (const { Refused } of received)
    expect(Refused, "a frame that came unsealed would be refused").toMatch(nothingButRepeats);
  await ben.page.keyboard.press("Escape");
  for (const one of [ada, ben]) await expect(one.badge).toHaveText(/^encrypted/);

  expect(ben.page.url(), "the secret is gone from the address").not.toContain("#");
  await ben.page.reload();
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  await expect(ada.page.getByRole("group", { name: /^Participant/ }), "Ben has his own place").toHaveCount(2);
  expect(await ben.inviteLink(), "the link still invites").toBe(link);
  await ben.page.close();
  await expect(ada.badge).toHaveText("no media", { timeout: 5_000 });
});

test("camera off releases the device, stops the encoder and clears the picture; on again brings it back", async ({
  server,
  person,
}) => {
  const ada = await person("Ada", { before: keepTracks });
  const ben = await person("Ben");
  await ben.open(await ada.startCall(server.url));
  await ben.seesMoving("Ada");
  const camera = ada.page.getByRole("button", { name: "Camera" });
  await camera.click();
  await expect(camera).toHaveAttribute("aria-pressed", "false");
  await expect.poll(() => ada.page.evaluate(liveCameras), { message: "cameras that are open" }).toBe(0);
  await expect(ben.video("Ada")).toBeHidden();
  expect((await ben.looksLike("Ada")).likeness, "no last picture is left").toBe(0);
  const stopped = (await ada.counted()).framesSent;
  await ben.hears();
  expect((await ada.counted()).framesSent, "frames encoded while the camera is off").toBe(stopped);
  await camera.click();
  await ben.seesMoving("Ada");
});

/** Runs in the page: keeps every camera track that it is given. */
function keepTracks(): void {
  const kept: MediaStreamTrack[] = [];
  Object.assign(globalThis, { cameras: kept });
  const original = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = async (constraints) => {
    const stream = await original(constraints);
    kept.push(...stream.getVideoTracks());
    return stream;
  };
}

function liveCameras(): number {
  const { cameras } = globalThis as unknown as { cameras: MediaStreamTrack[] };
  return cameras.filter((track) => track.readyState === "live").length;
}

/** Of the tracks that a video plays. Runs in the page. */
function kinds(video: Element): string[] {
  const stream = video instanceof HTMLVideoElement && video.srcObject instanceof MediaStream ? video.srcObject : null;
  return (stream?.getTracks() ?? []).map(({ kind }) => kind).sort();
}
