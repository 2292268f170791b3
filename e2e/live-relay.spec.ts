import {
  freePort,
  liveRelayAuthUrl,
  liveRelayEnvironment,
  type MoqRelay,
  newSecret,
  Server,
  startMoqRelay,
} from "@sealcast/testbed";
import { SHOWN } from "./stage/expect.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { longestStill, picturesOf, watchStills } from "./stage/stills.ts";
import { test as base, expect } from "./stage/test.ts";
import { watch } from "./stage/viewers.ts";

/** Viewers who get a connection here, at most. */
const MESH_VIEWERS = 1;

interface Relayed {
  readonly relays: readonly MoqRelay[];
  /** Ours, whose streams go over these for who finds no connection. */
  readonly server: Server;
}

const test = base.extend<{ relayed: Relayed | null }>({
  relayed: async ({}, use) => {
    const port = await freePort();
    const secret = newSecret();
    const authUrl = liveRelayAuthUrl(`http://127.0.0.1:${port}`, secret);
    const first = await startMoqRelay({ authUrl, secret });
    const second = first && (await startMoqRelay({ authUrl, secret, peer: first }));
    if (first === null || second === null) return use(null);
    const relays = [first, second];
    const environment = {
      ...liveRelayEnvironment(relays, secret),
      MESH_VIEWERS: `${MESH_VIEWERS}`,
      LOG_LEVEL: "debug",
    };
    const server = await Server.start({ port, environment });
    await use({ relays, server });
    await server.stop();
    await Promise.all(relays.map(({ program }) => program.stop("SIGKILL")));
  },
});

test.setTimeout(300_000);

test("one viewer over a connection, two over relays: all see the host's film; a relay is killed, and one of them is removed", async ({
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
  const host = await person("Host");
  const written: string[] = [];
  host.page.on("console", (message) => void written.push(message.text()));
  const link = await host.goLive(relayed.server.url);
  const [direct] = (await watch(person, link, 1)) as [ChromiumPerson];
  await direct.seesMoving("the stream");
  const over = [await person("Ben", { before: tapSound }), await person("Cleo", { before: tapSound })] as const;
  for (const viewer of over) {
    viewer.page.on("console", (message) => void written.push(message.text()));
    await viewer.page.goto(link);
    await viewer.seesMoving("the stream");
    await expect(viewer.badge).toHaveText("encrypted", SHOWN);
    expect(await viewer.configurations(), "connections of who watches over a relay").toEqual([]);
    expect(await viewer.page.evaluate(loudness), "before it is turned on").toBe(0);
    await viewer.page.getByRole("button", { name: "Turn sound on" }).click();
    await expect.poll(() => viewer.page.evaluate(loudness), SHOWN).toBeGreaterThan(0.01);
  }
  await direct.seesMoving("the stream");
  await expect(host.badge).toHaveText("encrypted", SHOWN);
  await expect(host.page.getByRole("listitem", { name: "Viewer 2" })).toContainText("watches over a relay", SHOWN);
  await expect(host.page.getByRole("status", { name: "Viewers" })).toHaveText("3");

  expect(
    written.filter((words) => words.includes("jwt=")),
    "tokens written to the console",
  ).toEqual([]);

  await test.step("the relay that they are at is killed: pictures go on at the other", async () => {
    await Promise.all(over.map((viewer) => viewer.video("the stream").evaluate(watchStills)));
    await relayed.relays[0]?.program.stop("SIGKILL");
    for (const viewer of over) {
      await expect.poll(() => picturesOf(viewer), { timeout: 20_000 }).toBeGreaterThan(50);
      test.info().annotations.push(await longestStill(viewer));
      await viewer.seesMoving("the stream");
      await expect(viewer.badge).toHaveText("encrypted", SHOWN);
    }
  });

  await test.step("a removed viewer opens nothing more, and the others go on", async () => {
    const [removed, stays] = over;
    await host.page.getByRole("listitem", { name: "Viewer 2" }).getByRole("button", { name: "Remove" }).click();
    await host.page.getByRole("button", { name: "Remove viewer 2" }).click();
    await expect(removed.page.getByRole("heading", { name: "You were removed from the stream" })).toBeVisible(SHOWN);
    // What was shown as the heading came may be counted after it.
    await stays.seesMoving("the stream");
    const seen = await picturesOf(removed);
    await direct.seesMoving("the stream");
    await stays.seesMoving("the stream");
    await expect(stays.badge).toHaveText("encrypted", SHOWN);
    expect(await picturesOf(removed), "pictures of who was removed").toBe(seen);
  });
});

/** Runs in the page, before its own scripts: what an audio context is to play can be looked at. */
function tapSound(): void {
  const found = globalThis as unknown as { taps: AnalyserNode[] };
  found.taps = [];
  const connect: (this: AudioNode, to: AudioNode) => AudioNode = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (this: AudioNode, to: AudioNode) {
    if (to instanceof AudioDestinationNode) {
      const tap = new AnalyserNode(to.context as AudioContext, { fftSize: 32_768 });
      found.taps.push(tap);
      connect.call(this, tap);
    }
    return connect.call(this, to);
  } as typeof AudioNode.prototype.connect;
}

/** The largest sample of late of what the page plays itself. */
function loudness(): number {
  const { taps } = globalThis as unknown as { taps: AnalyserNode[] };
  return taps.reduce((loudest, tap) => {
    const samples = new Float32Array(tap.fftSize);
    tap.getFloatTimeDomainData(samples);
    return samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), loudest);
  }, 0);
}
