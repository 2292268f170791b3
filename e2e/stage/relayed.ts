import type { TestFixture } from "@playwright/test";
import {
  freePort,
  liveRelayAuthUrl,
  liveRelayEnvironment,
  type MoqRelay,
  newSecret,
  Server,
  startMoqRelays,
} from "@sealcast/testbed";

export interface RelayedServer {
  readonly relays: readonly MoqRelay[];
  /** Ours, whose streams go over these for who finds no connection. */
  readonly server: Server;
}

/** A server of one's own before two relays, where one viewer gets a connection; null where there is no moq-relay. */
export const relayed: TestFixture<RelayedServer | null, object> = async ({}, use) => {
  const started = await startRelayed();
  await use(started);
  await started?.stop();
};

/** The same for other fixtures. `reached`: where pages find the relays. */
export async function startRelayed(
  reached: (relays: readonly [MoqRelay, MoqRelay]) => Promise<readonly Pick<MoqRelay, "url" | "internal">[]> = async (
    all,
  ) => all,
): Promise<(RelayedServer & { stop(): Promise<void> }) | null> {
  const port = await freePort();
  const secret = newSecret();
  const relays = await startMoqRelays({ authUrl: liveRelayAuthUrl(`http://127.0.0.1:${port}`, secret), secret });
  if (relays === null) return null;
  const environment = {
    ...liveRelayEnvironment(await reached(relays), secret),
    ...{ MESH_VIEWERS: "1", LOG_LEVEL: "debug" },
  };
  const server = await Server.start({ port, environment });
  const stop = async () => {
    await server.stop();
    await Promise.all(relays.map(({ program }) => program.stop("SIGKILL")));
  };
  return { relays, server, stop };
}

/** Runs in the page, before its own scripts: it gets a place and finds no connection, so it watches over a relay. */
export function hideAddress(): void {
  localStorage.setItem("sealcast.hide-address", "on");
}

/** Runs in the page, before its own scripts: what an audio context is to play can be looked at. */
export function tapSound(): void {
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

/** For how long the page has played sound itself, where that is tapped; seconds. */
export function playedSeconds(): number {
  const { taps } = globalThis as unknown as { taps: AnalyserNode[] };
  return Math.max(...taps.map(({ context }) => context.currentTime));
}

/** The largest sample of late of what the page plays itself, where its sound is tapped. */
export function loudness(): number {
  const { taps } = globalThis as unknown as { taps: AnalyserNode[] };
  return taps.reduce((loudest, tap) => {
    const samples = new Float32Array(tap.fftSize);
    tap.getFloatTimeDomainData(samples);
    return samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), loudest);
  }, 0);
}
