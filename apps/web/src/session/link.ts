import { type LayerCount, newLink } from "@sealcast/keys";

/** A fresh call's path, its secret in the fragment: "/call/ROOM#SECRET". Nothing is told to the server. */
export async function newCallPath(layers: LayerCount): Promise<string> {
  const { room, secret } = await newLink(layers);
  return callPath(room, secret);
}

export function callPath(room: string, secret: string): string {
  return `/call/${room}#${secret}`;
}
