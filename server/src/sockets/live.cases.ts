import { PROTOCOL_VERSION, type Up } from "@sealcast/protocol";
import { type Link, newLink } from "../rooms/door.cases.ts";
import { liveRoomOf } from "../rooms/door.ts";
import type { Connected, startForTest } from "../server.cases.ts";

type Entry<T extends Up["type"]> = Extract<Up, { type: T }>;

/** What the browser of a stream's host keeps: its own key, and its viewers' link. */
export function newStream() {
  const [host, link] = [newLink(), newLink()];
  return { host, link, room: liveRoomOf(host.door) };
}
type Stream = ReturnType<typeof newStream>;

export function sayHost(
  socket: Connected,
  { host, link }: Pick<Stream, "host" | "link">,
  more: Partial<Entry<"host">> = {},
) {
  const { door: key, signature } = socket.prove(host, "host");
  const load = "l".repeat(22);
  socket.say({ type: "host", version: PROTOCOL_VERSION, key, signature, load, doors: [link.door], ...more });
}

export function sayWatch(socket: Connected, room: string, link: Link, more: Partial<Entry<"watch">> = {}) {
  socket.say({
    type: "watch",
    version: PROTOCOL_VERSION,
    room,
    ...socket.prove(link, "watch"),
    resume: null,
    ...more,
  });
}

export type Started = Awaited<ReturnType<typeof startForTest>>;

export async function hosting({ connect }: Started, stream: Stream) {
  const host = await connect();
  sayHost(host, stream);
  await host.next("hosting");
  return host;
}

export async function watching({ connect }: Started, { room, link }: Stream) {
  const viewer = await connect();
  sayWatch(viewer, room, link);
  await viewer.next("watching");
  return viewer;
}
