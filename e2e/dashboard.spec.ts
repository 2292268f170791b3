import { expectAccessible, STILL } from "./stage/accessible.ts";
import { Dashboard, isolated, REGIONS } from "./stage/dashboard.ts";
import { SHOWN } from "./stage/expect.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";
import { watch } from "./stage/viewers.ts";

test.setTimeout(180_000);

test("in a call every region has figures that move and agree with what others count; closed, it asks nothing and leaves nothing", async ({
  server,
  person,
}) => {
  const [ada, ben] = [await person("Ada", { before: countMessages }), await person("Ben")];
  await ben.open(await ada.startCall(server.url));
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  expect(await said(ada, TIMING)).toBe(0);
  const before = await held(ada);
  const dashboard = await Dashboard.open(ada);
  for (const name of REGIONS) await expect(dashboard.region(name)).toBeVisible();

  await test.step("latency: all stages are known, and make up the whole", async () => {
    await dashboard.follow("Picture, from Ben");
    await expect.poll(() => dashboard.endToEnd(), SHOWN).toBeGreaterThan(0);
    const stages = [
      "Capture",
      "Encode",
      "Seal",
      "Send",
      "Network and assembly",
      "Open",
      "Jitter buffer",
      "Decode",
      "Render",
    ];
    for (const name of stages) await expect.poll(async () => (await dashboard.stage(name)).mean, SHOWN).not.toBeNaN();
    for (const name of ["Seal", "Network and assembly", "Open", "Decode"])
      expect(await dashboard.stage(name)).toMatchObject({ measured: "per frame", p50: expect.any(Number) });
    for (const name of ["Capture", "Encode", "Send", "Jitter buffer", "Render"])
      expect(await dashboard.stage(name)).toMatchObject({ measured: "mean", p50: Number.NaN });
    await dashboard.follow("Sound, from Ben");
    await expect.poll(async () => (await dashboard.stage("Capture")).measured, SHOWN).toBe("per frame");
    await dashboard.follow("Picture, to Ben");
    await expect.poll(async () => (await dashboard.stage("Seal")).p50, SHOWN).toBeGreaterThan(0);
  });

  await test.step("CPU: workers are busy", async () => {
    await expect
      .poll(
        async () => Object.values(await dashboard.figures("CPU", "Share of time")).some((share) => share > 0),
        SHOWN,
      )
      .toBe(true);
    await expect
      .poll(async () => (await dashboard.figures("CPU", "Encoding and decoding")).Decoders, SHOWN)
      .toBeGreaterThan(0);
    await expect(dashboard.region("CPU")).toContainText("Long tasks");
  });

  await test.step("encryption: what it counts is what passed the transforms, and what the browser counted", async () => {
    for (const [track, side] of [
      ["Picture, to Ben", "seal"],
      ["Picture, from Ben", "open"],
      ["Sound, to Ben", "seal"],
    ] as const) {
      const kind = track.startsWith("Sound") ? "audio" : "video";
      const passed = await written(ada, side, kind);
      await expect.poll(async () => (await dashboard.proof(track)).sealed, SHOWN).toBeGreaterThan(passed);
      const { sealed, browser, readable } = await dashboard.proof(track);
      expect(sealed).toBeLessThanOrEqual(await written(ada, side, kind));
      expect(Math.abs(browser - sealed), "frames that only one of the two counted").toBeLessThan(0.1 * sealed);
      expect(readable).toBe(0);
    }
    expect(await dashboard.proof("Picture, to Ben")).toMatchObject({
      codec: "H264",
      epoch: expect.stringMatching(/^\d+$/),
    });
    const beeps = async () => (await dashboard.figures("Encryption", "Frames sealed"))["Sound, to Ben"];
    await expect.poll(beeps, SHOWN).toBeGreaterThan(10);
    await dashboard.region("Encryption").getByText("The last frame of each track").click();
    await expect(dashboard.region("Encryption").getByText(isolated("Picture, to Ben, in clear"))).toBeVisible();
  });

  await test.step("network: bytes flow both ways", async () => {
    for (const chart of ["Sent", "Received"])
      await expect.poll(async () => (await dashboard.figures("Network", chart)).Ben, SHOWN).toBeGreaterThan(10);
    await expect.poll(async () => (await dashboard.figures("Network", "Round trip")).Ben, SHOWN).not.toBeNaN();
    await expect(dashboard.region("Network")).toContainText("over UDP");
  });

  await test.step("paused, it stands still; then it goes on", async () => {
    await ada.page.getByRole("button", { name: "Pause" }).click();
    const { sealed } = await dashboard.proof("Picture, to Ben");
    const passed = await written(ada, "seal", "video");
    await expect.poll(() => written(ada, "seal", "video"), SHOWN).toBeGreaterThan(passed + 30);
    expect((await dashboard.proof("Picture, to Ben")).sealed).toBe(sealed);
    await ada.page.getByRole("button", { name: "Pause" }).click();
    await expect.poll(async () => (await dashboard.proof("Picture, to Ben")).sealed, SHOWN).toBeGreaterThan(sealed);
  });

  await test.step("the eavesdropper sees nothing, and something once frames are left readable", () =>
    dashboard.eavesdrop("Ben"));

  await test.step("closed, it asks nobody anything any more, and nothing is left of its figures and of what showed them", async () => {
    expect(await said(ada, TIMING)).toBeGreaterThan(2);
    const open = await held(ada);
    expect([open.bytes - before.bytes > 500_000, open.nodes - before.nodes > 400]).toEqual([true, true]);
    await ada.page.getByRole("button", { name: "Close dashboard" }).click();
    await expect(ada.page.getByRole("button", { name: "More" })).toBeFocused();
    const [asked, beats] = [await said(ada, TIMING), await said(ada, HEARTBEAT)];
    for (const what of ["bytes", "nodes"] as const)
      await expect
        .poll(async () => (await held(ada))[what], SHOWN)
        .toBeLessThan(before[what] + (open[what] - before[what]) / 4);
    await expect.poll(() => said(ada, HEARTBEAT), SHOWN).toBeGreaterThan(beats + 1);
    expect(await said(ada, TIMING)).toBe(asked);
  });

  await test.step("of someone who left nothing is shown", async () => {
    await Dashboard.open(ada);
    await expect.poll(async () => (await dashboard.figures("Network", "Sent")).Ben, SHOWN).toBeGreaterThan(0);
    await ben.page.getByRole("button", { name: "Leave call" }).click();
    await expect(dashboard.region("Network")).toContainText("Nobody is connected.", SHOWN);
    for (const name of REGIONS) await expect(dashboard.region(name)).not.toContainText(/Ben|Person/);
  });
});

test("what is exported holds the figures, names nobody, and is read back; neither has an accessibility fault in either theme", async ({
  server,
  person,
}) => {
  const [ada, ben] = [await person("Ada", { context: STILL }), await person("Benjamina")];
  await ben.open(await ada.startCall(server.url));
  await ada.seesMoving("Benjamina");
  const dashboard = await Dashboard.open(ada);
  await dashboard.follow("Picture, from Benjamina");
  await expect.poll(() => dashboard.endToEnd(), SHOWN).toBeGreaterThan(0);
  await ada.page.getByRole("button", { name: "Export", exact: true }).click();
  await dashboard.region("Encryption").getByText("The last frame of each track").click();
  await dashboard.region("Encryption").getByRole("button", { name: "Listen in" }).click();
  await expect(dashboard.region("Encryption").getByTestId("overheard")).toBeVisible(SHOWN);
  await expectAccessible(ada.page);
  const csv = await dashboard.export("Export CSV");
  const dump = await dashboard.export("Export webrtc-internals dump");
  const json = await dashboard.export("Export JSON");
  for (const { text } of [csv, dump, json])
    expect(text).not.toMatch(/Ada|Benjamina|candidate:|\d+\.\d+\.\d+\.\d+(?!\d* Safari)/);
  // The figures of each file are those of its own moment.
  const END_TO_END = "latency|received:camera:1|end-to-end|p50";
  const ofJson = JSON.parse(json.text).series[END_TO_END].at(-1);
  const [head = [], ...rows] = csv.text
    .trim()
    .split("\r\n")
    .map((line) => line.split(","));
  const ofCsv = Number(rows.at(-1)?.[head.indexOf(END_TO_END)]);

  for (const [{ path }, last] of [
    [json, ofJson],
    [csv, ofCsv],
  ] as const) {
    const read = await Dashboard.read(ada, server.url, path);
    await read.follow("Picture, from Person 1");
    expect(Math.abs((await read.endToEnd()) - last)).toBeLessThan(5);
    expect((await read.proof("Picture, to Person 1")).sealed).toBeGreaterThan(0);
    expect((await read.figures("Network", "Sent"))["Person 1"]).toBeGreaterThan(10);
  }
  await expectAccessible(ada.page);
  const connections = Object.values(JSON.parse(dump.text).PeerConnections) as {
    stats: Record<string, { values: string }>;
  }[];
  const decoded = Object.entries(connections[0]?.stats ?? {}).find(([name]) => name.endsWith("-framesDecoded"));
  expect(JSON.parse(decoded?.[1].values ?? "[]").at(-1)).toBeGreaterThan(0);
  const read = await Dashboard.read(ada, server.url, dump.path);
  await expect(read.region("Network")).toBeVisible();

  await ada.page
    .getByLabel("Report", { exact: true })
    .setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from("{}") });
  await expect(ada.page.getByRole("alert")).toContainText("no report of Sealcast");
  await expect(read.region("Network")).toHaveCount(0);
});

test("a live stream has it at both ends: encoded and sealed once, and measured from the encoder to the viewer", async ({
  server,
  person,
}) => {
  const host = await person("Host");
  const link = await host.goLive(server.url);
  const [viewer, other] = (await watch(person, link, 2)) as [ChromiumPerson, ChromiumPerson];
  await Promise.all([viewer.seesMoving("the stream"), other.seesMoving("the stream")]);
  const [atHost, atViewer] = [await Dashboard.open(host), await Dashboard.open(viewer)];
  await expect(atHost.region("Encryption")).toContainText(/frames sealed once, sent to 2 people/, SHOWN);
  await atHost.follow("Picture, to Viewer 1");
  await expect.poll(async () => (await atHost.stage("Encode")).measured, SHOWN).toBe("per frame");
  const before = await written(host, "seal", "video");
  await expect
    .poll(
      async () =>
        (await atHost.proof("Picture, to Viewer 1")).sealed + (await atHost.proof("Picture, to Viewer 2")).sealed,
      SHOWN,
    )
    .toBeGreaterThan(before);
  await expect.poll(() => atViewer.endToEnd(), SHOWN).toBeGreaterThan(0);
  await expect(atViewer.region("Latency")).toContainText("From when the picture comes to the encoder");
  await expect.poll(async () => (await atViewer.stage("Encode")).measured, SHOWN).toBe("per frame");
  expect((await atViewer.stage("Capture")).measured).toBe("not reported");
  const opened = await written(viewer, "open", "video");
  await expect.poll(async () => (await atViewer.proof("Picture, from the host")).sealed, SHOWN).toBeGreaterThan(opened);
  for (const one of [host, viewer])
    for (const name of REGIONS) await expect(new Dashboard(one).region(name)).toBeVisible();
});

const [HEARTBEAT, TIMING] = [1, 3];

/** Runs in the page, before its own scripts: counts what it says over data channels, by kind. */
function countMessages(): void {
  const said: Record<number, number> = {};
  Object.assign(globalThis, { said });
  const send = RTCDataChannel.prototype.send;
  RTCDataChannel.prototype.send = function (message: never) {
    const [kind = 0] = new Uint8Array(message);
    said[kind] = (said[kind] ?? 0) + 1;
    send.call(this, message);
  };
}

function said({ page }: ChromiumPerson, kind: number): Promise<number> {
  return page.evaluate((kind) => (globalThis as unknown as { said: Record<number, number> }).said[kind] ?? 0, kind);
}

/** What the page holds once its garbage was collected: nodes, and bytes in buffers, which a recording is made of. */
async function held({ context, page }: ChromiumPerson): Promise<{ nodes: number; bytes: number }> {
  const session = await context.newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { nodes } = await session.send("Memory.getDOMCounters");
  const { backingStorageSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return { nodes, bytes: backingStorageSize };
}

/** Frames that the taps in a person's workers saw leave. */
async function written(person: ChromiumPerson, side: "seal" | "open", kind: "audio" | "video"): Promise<number> {
  const tapped = await person.tapped();
  return tapped.filter((tap) => tap.side === side && tap.kind === kind).reduce((sum, tap) => sum + tap.written, 0);
}
