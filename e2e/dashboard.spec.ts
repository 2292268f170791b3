import { expectAccessible, STILL } from "./stage/accessible.ts";
import { clipPrints, closest, printVideo } from "./stage/clip.ts";
import { Dashboard, isolated, REGIONS } from "./stage/dashboard.ts";
import type { Person } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";
import { watch } from "./stage/viewers.ts";

test.setTimeout(180_000);
/** Figures come once a second, those of frames some seconds later, on a machine that runs four browsers. */
const SHOWN = { timeout: 30_000 };

test("in a call every region has figures that move and agree with what others count", async ({ server, person }) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  await ben.open(await ada.startCall(server.url));
  await ada.seesMoving("Ben");
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
      const before = await written(ada, side, kind);
      await expect.poll(async () => (await dashboard.proof(track)).sealed, SHOWN).toBeGreaterThan(before);
      const { sealed, browser, readable } = await dashboard.proof(track);
      expect(sealed).toBeLessThanOrEqual(await written(ada, side, kind));
      expect(Math.abs(browser - sealed), "frames that only one of the two counted").toBeLessThan(0.1 * sealed);
      expect(readable).toBe(0);
    }
    expect(await dashboard.proof("Picture, to Ben")).toMatchObject({
      codec: "H264",
      epoch: expect.stringMatching(/^\d+$/),
    });
    expect((await dashboard.figures("Encryption", "Frames sealed"))["Sound, to Ben"]).toBeGreaterThan(30);
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

  await test.step("of somebody who left nothing is shown", async () => {
    await ben.page.getByRole("button", { name: "Leave call" }).click();
    await expect(dashboard.region("Network")).toContainText("Nobody is connected.", SHOWN);
    for (const name of REGIONS) await expect(dashboard.region(name)).not.toContainText(/Ben|Person/);
  });
});

test("closed, it asks nobody anything any more", async ({ server, person }) => {
  const ada = await person("Ada", { before: countMessages });
  const ben = await person("Ben");
  await ben.open(await ada.startCall(server.url));
  await ada.seesMoving("Ben");
  expect(await said(ada, TIMING)).toBe(0);
  await Dashboard.open(ada);
  await expect.poll(() => said(ada, TIMING), SHOWN).toBeGreaterThan(2);
  await ada.page.getByRole("button", { name: "Close dashboard" }).click();
  await expect(ada.page.getByRole("button", { name: "Dashboard" })).toBeFocused();
  const [asked, beats] = [await said(ada, TIMING), await said(ada, HEARTBEAT)];
  await expect.poll(() => said(ada, HEARTBEAT), SHOWN).toBeGreaterThan(beats + 1);
  expect(await said(ada, TIMING)).toBe(asked);
});

test("closed, nothing is left of its figures and of what showed them", async ({ server, person }) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  await ben.open(await ada.startCall(server.url));
  await ada.seesMoving("Ben");
  const before = await held(ada);
  const dashboard = await Dashboard.open(ada);
  await expect.poll(() => dashboard.endToEnd(), SHOWN).toBeGreaterThan(0);
  const open = await held(ada);
  expect([open.bytes - before.bytes > 500_000, open.nodes - before.nodes > 400]).toEqual([true, true]);
  await ada.page.getByRole("button", { name: "Close dashboard" }).click();
  await expect
    .poll(async () => (await held(ada)).bytes, SHOWN)
    .toBeLessThan(before.bytes + (open.bytes - before.bytes) / 4);
  await expect
    .poll(async () => (await held(ada)).nodes, SHOWN)
    .toBeLessThan(before.nodes + (open.nodes - before.nodes) / 4);
});

test("what is exported holds the figures, names nobody, and is read back", async ({ server, person }) => {
  const [ada, ben] = [await person("Ada"), await person("Benjamina")];
  await ben.open(await ada.startCall(server.url));
  await ada.seesMoving("Benjamina");
  const dashboard = await Dashboard.open(ada);
  await dashboard.follow("Picture, from Benjamina");
  await expect.poll(() => dashboard.endToEnd(), SHOWN).toBeGreaterThan(0);
  await ada.page.getByRole("button", { name: "Export", exact: true }).click();
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

for (const twice of [false, true])
  test(`the eavesdropper sees nothing of a picture sealed ${twice ? "twice" : "once"}, and something once frames are left readable`, async ({
    server,
    person,
  }) => {
    const [ada, ben] = [await person("Ada"), await person("Ben")];
    await ben.open(await ada.startCall(server.url, { twice }));
    await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
    const dashboard = await Dashboard.open(ada);
    const region = dashboard.region("Encryption");
    await region.getByRole("button", { name: "Listen in" }).click();
    const overheard = async () => {
      const [heard = 0, readable = 0, pictures = 0] =
        ((await region.getByTestId("overheard").textContent()) ?? "").match(/\d+/g)?.map(Number) ?? [];
      return { heard, readable, pictures };
    };
    await expect.poll(async () => (await overheard()).heard, SHOWN).toBeGreaterThan(20);
    expect((await overheard()).readable).toBe(0);
    expect(await likeness(ada, "img"), "what an eavesdropper sees, against the clip").toBeLessThan(0.6);
    await expect.poll(() => likeness(ada, "video"), SHOWN).toBeGreaterThan(0.9);
    await region.getByRole("radio", { name: "Key frames only" }).check();
    await expect.poll(async () => (await overheard()).readable, SHOWN).toBeGreaterThan(20);
    await expect.poll(async () => (await overheard()).pictures, SHOWN).toBeGreaterThan(5);
    await expect(region.getByTestId("policy-cost")).toContainText(/of one core/);
    await expect.poll(async () => (await dashboard.proof("Picture, to Ben")).readable, SHOWN).toBeGreaterThan(0);
    await region.getByRole("button", { name: "Stop listening in" }).click();
    await expect(region.getByTestId("overheard")).toHaveCount(0);
  });

test("a live stream has it at both ends: encoded and sealed once, and measured from the encoder to the viewer", async ({
  server,
  person,
}) => {
  const host = await person("Host");
  const link = await host.goLive(server.url);
  const [viewer, other] = (await watch(person, link, 2)) as [Person, Person];
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

test("it has no accessibility fault in either theme", async ({ server, person }) => {
  const [ada, ben] = [await person("Ada", { context: STILL }), await person("Ben")];
  await ben.open(await ada.startCall(server.url));
  await ada.seesMoving("Ben");
  const dashboard = await Dashboard.open(ada);
  await expect.poll(() => dashboard.endToEnd(), SHOWN).toBeGreaterThan(0);
  await ada.page.getByRole("button", { name: "Export", exact: true }).click();
  await dashboard.region("Encryption").getByText("The last frame of each track").click();
  await dashboard.region("Encryption").getByRole("button", { name: "Listen in" }).click();
  await expect(dashboard.region("Encryption").getByTestId("overheard")).toBeVisible(SHOWN);
  await expectAccessible(ada.page);
  const { path } = await dashboard.export("Export JSON");
  await Dashboard.read(ada, server.url, path);
  await expect(dashboard.region("Network")).toBeVisible();
  await expectAccessible(ada.page);
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

function said({ page }: Person, kind: number): Promise<number> {
  return page.evaluate((kind) => (globalThis as unknown as { said: Record<number, number> }).said[kind] ?? 0, kind);
}

/** What the page holds once its garbage was collected: nodes, and bytes in buffers, which a recording is made of. */
async function held({ context, page }: Person): Promise<{ nodes: number; bytes: number }> {
  const session = await context.newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { nodes } = await session.send("Memory.getDOMCounters");
  const { backingStorageSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return { nodes, bytes: backingStorageSize };
}

/** Frames that the taps in a person's workers saw leave. */
async function written(person: Person, side: "seal" | "open", kind: "audio" | "video"): Promise<number> {
  const tapped = await person.tapped();
  return tapped.filter((tap) => tap.side === side && tap.kind === kind).reduce((sum, tap) => sum + tap.written, 0);
}

/** How much the one or the other of the eavesdropper's two pictures looks like the clip. */
async function likeness({ page }: Person, which: "img" | "video"): Promise<number> {
  const name = which === "img" ? "What an eavesdropper sees" : "The picture";
  const panel = page.getByRole("complementary", { name: "Dashboard" });
  const picture = which === "img" ? panel.getByRole("img", { name }) : panel.getByLabel(name, { exact: true });
  const print = await picture.evaluate(printVideo);
  const clip = await clipPrints((what, given) => page.evaluate(what as (given: unknown) => never, given as unknown));
  return print === null ? 0 : closest(print, clip).likeness;
}
