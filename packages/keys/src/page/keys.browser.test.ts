import { random } from "@sealcast/crypto";
import type { RoomDown } from "@sealcast/protocol";
import { expect, test, vi } from "vitest";
import { newLink, parseLink } from "../shared/link.ts";
import type { FromKeys, KeyUpdate } from "../shared/messages.ts";
import { nodeOf } from "../worker/room/room.cases.ts";
import { KeyAgreement } from "./keys.ts";

const [A, B] = ["A".repeat(22), "B".repeat(22)];

async function open(
  room: string,
  fragment: string,
): Promise<{ keys: KeyAgreement; said: FromKeys[]; news: KeyUpdate[] }> {
  const said: FromKeys[] = [];
  const news: KeyUpdate[] = [];
  const spawn = () => new Worker(new URL("../worker/keys.worker.ts", import.meta.url), { type: "module" });
  const keys = new KeyAgreement(spawn, (message) => void said.push(message));
  const parsed = await parseLink(room, fragment);
  if (!parsed.ok) throw new Error("bad link");
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }: MessageEvent<KeyUpdate>) => void news.push(data);
  keys.post({ type: "start", secret: parsed.secret, room, layers: parsed.layers, seat: random(16), host: "localhost" });
  keys.post({ type: "introduce", name: "Ada" });
  keys.post({ type: "media", port: port2 });
  return { keys, said, news };
}

type ToRoom = Extract<FromKeys, { type: "to-room" }>["message"];

function sent<T extends ToRoom["type"]>(said: FromKeys[], type: T): Extract<ToRoom, { type: T }>[] {
  const toRoom = said.flatMap((message) => (message.type === "to-room" ? [message.message] : []));
  return toRoom.filter((message): message is Extract<ToRoom, { type: T }> => message.type === type);
}

test("two workers found a group, join it, and hand equal epochs to their media workers", async () => {
  const { room, secret } = await newLink(1);
  const [a, b] = [await open(room, secret), await open(room, secret)];
  const tell = (keys: KeyAgreement, event: RoomDown): void => keys.post({ type: "room", event });
  tell(a.keys, { type: "alone" });
  await vi.waitFor(() => expect(a.news.map(({ type }) => type)).toEqual(["signing", "epoch", "send"]), 20_000);
  const { token } = sent(a.said, "enter")[0] ?? expect.unreachable();
  tell(a.keys, { type: "entered", at: nodeOf(token), is: "new", knockKeys: [] });
  const { knockKey } = await vi.waitUntil(() => sent(a.said, "enter")[1], 20_000);
  tell(b.keys, {
    type: "joined",
    member: B,
    token: "T".repeat(22),
    seq: 0,
    resumed: false,
    stunPort: null,
    relay: false,
    turn: false,
  });
  tell(b.keys, { type: "knock-keys", tips: [{ at: nodeOf(token), ...(knockKey ?? expect.unreachable()) }] });
  const { at, body } = await vi.waitUntil(() => sent(b.said, "knock")[0], 20_000);
  tell(a.keys, { type: "knocked", seq: 1, from: B, at, body });
  const commit = await vi.waitUntil(() => sent(a.said, "commit")[0], { timeout: 20_000, interval: 1 });
  if (commit.welcome === null) throw new Error("no welcome");
  const { next } = commit;
  tell(a.keys, { type: "ordered", seq: 2, from: A, at: commit.at, next, body: commit.body });
  tell(b.keys, { type: "welcomed", seq: 3, from: A, body: commit.welcome.body });
  await vi.waitUntil(() => b.said.some(({ type }) => type === "members"), { timeout: 20_000, interval: 1 });
  await vi.waitFor(() => expect(a.news).toContainEqual({ type: "send", epoch: 1 }), 20_000);
  const [one, other] = [a, b].map(({ said }) => sent(said, "enter").at(-1));
  expect(other).toEqual(one);
  for (const { keys } of [a, b]) keys.close();
});

test("the group does not wait for safety codes, of which each takes a good part of a second", async () => {
  const { room, secret } = await newLink(1);
  const { keys, said, news } = await open(room, secret);
  const identities = [1, 2, 3, 4, 5, 6].map((byte) => `0${byte}`.repeat(32));
  for (const identity of identities) keys.post({ type: "compare", identity });
  const codes = () => said.flatMap((message) => (message.type === "code" ? [message.identity] : []));
  await vi.waitUntil(() => codes().length > 0, { timeout: 20_000, interval: 1 });
  keys.post({ type: "room", event: { type: "alone" } });
  await vi.waitUntil(() => news.some(({ type }) => type === "send"), { timeout: 20_000, interval: 1 });
  expect(codes().length, "codes that came first").toBeLessThan(identities.length);
  await vi.waitFor(() => expect(codes()).toEqual(identities), 20_000);
  keys.close();
}, 40_000);
