import { expect, test, vi } from "vitest";
import { LiveHostKeys, LiveViewerKeys, newLiveRoom, parseLiveLink } from "../index.ts";
import type { FromHostKeys, FromViewerKeys } from "../shared/live-messages.ts";
import type { KeyUpdate } from "../shared/messages.ts";

const SESSION = "viewer".padEnd(22, "_");
const spawnHost = () => new Worker(new URL("../worker/live-host.worker.ts", import.meta.url), { type: "module" });
const spawnViewer = () => new Worker(new URL("../worker/live-viewer.worker.ts", import.meta.url), { type: "module" });

/** A host's page, whose deliveries go to `deliver`. */
async function open(room: string, deliver: (body: string) => void) {
  const said: FromHostKeys[] = [];
  const news: KeyUpdate[] = [];
  const keys = new LiveHostKeys(spawnHost(), room, (message) => {
    said.push(message);
    if (message.type === "to-room" && message.message.type === "deliver")
      for (const { body } of message.message.items) deliver(body);
  });
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }: MessageEvent<KeyUpdate>) => void news.push(data);
  keys.post({ type: "media", port: port2 });
  const begun = await vi.waitUntil(() => said.find(({ type }) => type === "hosting" || type === "refused"), 10_000);
  return { keys, said, news, begun };
}

test("two workers: the viewer gets the host's key, and a loaded page hosts the same room again", async () => {
  const toViewer: { deliver: (body: string) => void } = { deliver: () => undefined };
  const host = await open(await newLiveRoom(spawnHost()), (body) => toViewer.deliver(body));
  if (host.begun.type !== "hosting") return expect.unreachable(host.begun.type);
  const { room, fragment } = host.begun;
  const link = await parseLiveLink(room, fragment);
  if (!link.ok) return expect.unreachable("a damaged link");

  const said: FromViewerKeys[] = [];
  const news: KeyUpdate[] = [];
  const viewer = new LiveViewerKeys(spawnViewer(), room, (message) => {
    said.push(message);
    if (message.type === "to-room" && message.message.type === "tell")
      host.keys.post({ type: "room", event: { type: "told", from: SESSION, body: message.message.body } });
  });
  void viewer.watch(link);
  toViewer.deliver = (body) => viewer.post({ type: "room", event: { type: "delivered", body } });
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }: MessageEvent<KeyUpdate>) => void news.push(data);
  viewer.post({ type: "media", port: port2 });
  viewer.post({ type: "room", event: { type: "watching", resumed: false, host: "here" } });
  const changes = () => host.said.flatMap((message) => (message.type === "viewers" ? message.changes : []));
  await vi.waitUntil(() => changes().some(({ is }) => is === "watching"), 10_000);
  // Keys come once the viewer has proved that it opened the answer.
  await vi.waitUntil(() => news.some(({ type }) => type === "epoch"), 10_000);
  expect(said.some(({ type }) => type === "watching")).toBe(true);
  const epochs = (of: KeyUpdate[]) => of.flatMap((item) => (item.type === "epoch" ? [item.epoch] : []));
  expect(news.map(({ type }) => type)).toEqual(["signer", "epoch"]);
  expect(epochs(news)).toEqual(epochs(host.news));
  for (const { keys } of [host, { keys: viewer }]) keys.close();

  const again = await open(room, () => undefined);
  expect(again.begun).toMatchObject({ type: "hosting", room, fragment });
  const stranger = await open("a".repeat(22), () => undefined);
  expect(stranger.begun).toEqual({ type: "refused", why: "not-host" });
  for (const { keys } of [again, stranger]) keys.close();
}, 30_000);
