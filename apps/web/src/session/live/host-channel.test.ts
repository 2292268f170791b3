import { expect, it, vi } from "vitest";

vi.mock("../peer/codecs.ts", () => ({
  decodable: () => ["video/h264", "video/vp8"],
  playable: async () => ["video/vp8"],
}));

import { HostChannel } from "./host-channel.ts";
import type { FromViewer } from "./messages.ts";

/** What a page says to the host in whose session it is new. */
async function greeting(connection: { way: { state: string } | null }): Promise<FromViewer[]> {
  const said: FromViewer[] = [];
  const nothing = () => undefined;
  const tellRelayed = () => void said.push({ type: "relayed", shown: true });
  const channel = new HostChannel({
    post: ({ body }: { body: Uint8Array }) => said.push(JSON.parse(new TextDecoder().decode(body))),
    connection: { ...connection, listens: false, hangUp: nothing, tellRelayed },
    recording: { stage: null, heard: nothing },
    asking: { greet: nothing, heard: nothing },
    ...{ show: nothing, changed: nothing },
  } as unknown as ConstructorParameters<typeof HostChannel>[0]);
  await channel.prepare();
  channel.answered("stream");
  return said;
}

const typesOf = (said: FromViewer[]) => said.map(({ type }) => type);

it("who goes on watching over a relay says so to a host who knows them as someone else, as after a restart of the server", async () => {
  expect(typesOf(await greeting({ way: { state: "connected" } }))).toEqual(["hello", "relayed"]);
});

it("of relays whose picture was lost nothing is said", async () => {
  expect(typesOf(await greeting({ way: { state: "reconnecting" } }))).toEqual(["hello"]);
  expect(typesOf(await greeting({ way: null }))).toEqual(["hello"]);
});

it("codecs that play over relays are named beside those of connections", async () => {
  expect(await greeting({ way: null })).toMatchObject([
    { type: "hello", decodes: ["video/h264", "video/vp8"], plays: ["video/vp8"] },
  ]);
});
