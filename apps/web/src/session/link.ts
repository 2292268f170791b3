import { type LayerCount, newLink, newLiveRoom } from "@sealcast/keys";
import { spawnHostKeys } from "./workers.ts";

/** A fresh call's path, its secret in the fragment: "/call/ROOM#SECRET". Nothing is told to the server. */
export async function newCallPath(layers: LayerCount): Promise<string> {
  const { room, secret } = await newLink(layers);
  return callPath(room, secret);
}

export function callPath(room: string, secret: string): string {
  return `/call/${room}#${secret}`;
}

/** A fresh live stream's path for its host, "/live/ROOM": this browser keeps what makes it the host. */
export async function newLivePath(): Promise<string> {
  return `/live/${await newLiveRoom(spawnHostKeys())}`;
}

/** For viewers. */
export function watchPath(room: string, fragment: string): string {
  return `/watch/${room}#${fragment}`;
}
