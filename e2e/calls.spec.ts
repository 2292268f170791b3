import { expect, test } from "./stage/test.ts";

test("two people meet by link, see and hear each other, and every frame that leaves went through a transform", {
  tag: "@journey",
}, async ({ server, person }) => {
  const ada = await person("Ada");
  const ben = await person("Ben");
  const link = await ada.startCall(server.url);
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
});

test("a third person joins and one leaves: the others go on", async ({ server, person }) => {
  const [ada, ben, cleo] = [await person("Ada"), await person("Ben"), await person("Cleo")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await ada.seesMoving("Ben");
  await cleo.open(link);
  await Promise.all([cleo.seesMoving("Ada"), cleo.seesMoving("Ben"), ada.seesMoving("Cleo"), ben.seesMoving("Cleo")]);
  await ada.page.getByRole("button", { name: "Leave call" }).click();
  await expect(ben.tile("Ada")).toHaveCount(0);
  await expect(cleo.tile("Ada")).toHaveCount(0);
  await Promise.all([ben.seesMoving("Cleo"), cleo.seesMoving("Ben"), ben.hears(), cleo.hears()]);
  await expect(ben.badge).toHaveText(/^encrypted/);
});

test("four people meet", async ({ server, person }) => {
  test.slow();
  const names = ["Ada", "Ben", "Cleo", "Dan"];
  // Small windows: without a GPU, painting four large ones takes more of the machine than the call does.
  const people = await Promise.all(
    names.map((name) => person(name, { context: { viewport: { width: 400, height: 500 } } })),
  );
  const [first, ...others] = people;
  if (first === undefined) throw new Error("There is nobody.");
  const link = await first.startCall(server.url);
  await Promise.all(others.map((other) => other.open(link)));
  const pairs = people.flatMap((one) => people.filter((other) => other !== one).map((other) => [one, other] as const));
  await Promise.all(pairs.map(([one, other]) => one.seesMoving(other.name)));
  await Promise.all(people.map((one) => one.hears()));
  // Sound for three goes out in longer packets than browsers make by themselves.
  const lengths = await Promise.all(people.map((one) => one.page.evaluate(packetLengths)));
  expect(Math.max(...lengths.flat())).toBeGreaterThan(20);
});

/** Runs in the page: of how many milliseconds the packets of sound are that it sends, by its connections. */
async function packetLengths(): Promise<number[]> {
  const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
  const sent = async () => {
    const reports = await Promise.all(connections.map((connection) => connection.getStats()));
    return reports.map((report) =>
      [...report.values()].find((of) => of.type === "outbound-rtp" && of.kind === "audio"),
    );
  };
  const before = await sent();
  const isMeasured = (now: (typeof before)[number], i: number) => now.packetsSent - before[i].packetsSent >= 25;
  for (;;) {
    const now = await sent();
    if (now.every(isMeasured))
      return now.map((of, i) => {
        const ms = (of.timestamp - before[i].timestamp) / (of.packetsSent - before[i].packetsSent);
        return 20 * Math.round(ms / 20);
      });
    await new Promise((next) => setTimeout(next, 100));
  }
}

test("whoever reloads comes back to their own place, and the link still invites", { tag: "@journey" }, async ({
  server,
  person,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const ada = await person("Ada");
  const ben = await person("Ben", {
    context: { permissions: ["camera", "microphone", "clipboard-read", "clipboard-write"] },
  });
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await ada.seesMoving("Ben");
  expect(ben.page.url(), "the secret is gone from the address").not.toContain("#");
  await ben.page.reload();
  await ben.join();
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  await expect(ada.page.getByRole("group", { name: /^Participant/ })).toHaveCount(2);
  await ben.page.getByRole("button", { name: "Copy invite link" }).click();
  expect(await ben.page.evaluate(() => navigator.clipboard.readText())).toBe(link);
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
