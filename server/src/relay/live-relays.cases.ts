import { Broadcast, Connection, Path, Time } from "@moq/net";
import { freePort, liveRelayAuthUrl, newSecret, startMoqRelays } from "@sealcast/testbed";
import { onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { type Connected, startMeasured } from "../server.cases.ts";
import { hosting, newStream, sayWatch } from "../sockets/live.cases.ts";
import type { LiveRelayAnswer } from "./live-relays.ts";

/** Our server before two moq-relays that pass streams on to each other; null where there is no moq-relay here. */
export async function beforeLiveRelays() {
  vi.stubGlobal("WebSocket", WebSocket);
  const [port, secret] = [await freePort(), newSecret()];
  const authUrl = liveRelayAuthUrl(`http://127.0.0.1:${port}`, secret);
  const relays = await startMoqRelays({ authUrl, secret });
  if (relays === null) return null;
  for (const { program } of relays) onTestFinished(() => program.stop("SIGKILL"));
  const [first, second] = relays;
  const [urls, internal] = [relays.map(({ url }) => url), relays.map((relay) => relay.internal)];
  const server = await startMeasured({ config: { port, liveRelays: { urls, internal, secret } } });
  return { ...server, first: first.url, second: second.url, secret };
}
export type Stage = NonNullable<Awaited<ReturnType<typeof beforeLiveRelays>>>;

/** A stream with its host. */
export async function stream(stage: Stage) {
  const made = newStream();
  const host = await hosting(stage, made);
  /** A viewer whom the host has accepted, and what the host calls it. */
  const viewer = async () => {
    const socket = await stage.connect();
    sayWatch(socket, made.room, made.link);
    await socket.next("watching");
    const { viewer: id } = await host.next("viewer");
    host.say({ type: "deliver", accept: [id], items: [{ to: id, body: "answer" }] });
    await socket.next("delivered");
    return { socket, id };
  };
  return { ...made, host, viewer };
}

export async function ask(one: Connected): Promise<LiveRelayAnswer> {
  one.say({ type: "live-relay" });
  return one.next("live-relay");
}

type Given = Pick<LiveRelayAnswer, "path" | "name" | "token">;

/**
 * A page's session at a relay, over a WebSocket.
 *
 * @throws Where the relay refuses it.
 */
export async function connect(relay: string, { path, token }: Pick<Given, "path" | "token">) {
  const url = new URL(`${relay}${path}?jwt=${token}`);
  const established = await Connection.connect(url, { signal: AbortSignal.timeout(20_000) });
  onTestFinished(() => established.close());
  let isOpen = true;
  void established.closed.finally(() => {
    isOpen = false;
  });
  return { established, isOpen: () => isOpen };
}

/** Publishes one track that says this, again and again. */
export async function publish(relay: string, given: Given, says: string, name = given.name) {
  const { established, isOpen } = await connect(relay, given);
  const broadcast = new Broadcast.Producer();
  const track = broadcast.createTrack("track");
  established.publish(Path.from(name), broadcast);
  const say = setInterval(() => {
    if (!isOpen()) return clearInterval(say);
    track.writeFrame({ payload: new TextEncoder().encode(says), timestamp: Time.Timestamp.now() });
  }, 20);
  onTestFinished(() => clearInterval(say));
  return { isOpen };
}

/** Subscribes to that track as soon as it is there, and notes what it says. */
export async function subscribe(relay: string, given: Given, name = given.name) {
  const { established, isOpen } = await connect(relay, given);
  const heard = new Set<string>();
  const watched = established.announcedBroadcast(Path.from(name));
  watched.active.subscribe((broadcast) => {
    const track = broadcast?.track("track").subscribe({ latencyMax: 1_000 });
    if (track !== undefined) void hear(track, heard).catch(() => undefined);
  });
  return { heard, isOpen };
}

async function hear(track: { readString(): Promise<string | undefined> }, heard: Set<string>): Promise<void> {
  for (let said = await track.readString(); said !== undefined; said = await track.readString()) heard.add(said);
}
